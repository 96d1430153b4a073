package child

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// Child is one program: started, stopped and started again. It is used by one
// goroutine; Done may be watched by any.
type Child struct {
	Name string // in errors
	Path string
	Args []string
	Env  []string // added to this process's environment
	Log  string   // file that the output is appended to

	cmd  *exec.Cmd
	done chan struct{} // closed when the child has ended
	err  error         // how, once done is closed
}

// ErrRunning is returned by Start for a child that was not stopped.
var ErrRunning = errors.New("it runs already")

// Start runs the child. It ends with this process, however that ends.
func (c *Child) Start() error {
	if c.cmd != nil {
		return fmt.Errorf("start %s: %w", c.Name, ErrRunning)
	}
	out, err := os.OpenFile(c.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer out.Close() // the child has its own
	cmd := exec.Command(c.Path, c.Args...)
	cmd.Env = append(os.Environ(), c.Env...)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	started := make(chan error)
	done := make(chan struct{})
	go func() {
		// The death signal follows the thread that started the child, so that
		// thread stays for as long as the child.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			c.err = cmd.Wait()
		}
		close(done)
	}()
	if err := <-started; err != nil {
		return fmt.Errorf("start %s: %w", c.Name, err)
	}
	c.cmd, c.done = cmd, done
	return nil
}

// Stop ends the child with the signal, waits for it and returns how it ended.
// A child that does not run is left as it is.
func (c *Child) Stop(signal syscall.Signal) error {
	if c.cmd == nil {
		return nil
	}
	if err := c.cmd.Process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("stop %s: %w", c.Name, err)
	}
	<-c.done
	c.cmd = nil
	return c.err
}

// Kill ends the child without warning and waits for it.
func (c *Child) Kill() error {
	err := c.Stop(syscall.SIGKILL)
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return nil // that is how it was to end, or it was quicker
	}
	return err
}

// Done is closed when the child that was started last has ended.
func (c *Child) Done() <-chan struct{} { return c.done }

// Err is how the child ended, after Done; nil is exit code 0.
func (c *Child) Err() error { return c.err }

// Killed tells, after Done, whether SIGKILL ended the child.
func (c *Child) Killed() bool {
	exit := (*exec.ExitError)(nil)
	if !errors.As(c.err, &exit) {
		return false
	}
	status, ok := exit.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}

// Output is all that the child wrote, in all its lives.
func (c *Child) Output() string {
	raw, err := os.ReadFile(c.Log)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err.Error()
	}
	return string(raw)
}

// Tail is the end of the output.
func (c *Child) Tail() string {
	const most = 4 << 10
	out := c.Output()
	return out[max(0, len(out)-most):]
}
