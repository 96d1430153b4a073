package cluster

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// process is one child: started, killed and started again with the same
// arguments.
type process struct {
	name string
	path string
	args []string
	log  string // file that its output is appended to

	cmd  *exec.Cmd
	done chan struct{} // closed when the child has ended
	err  error         // how, once done is closed
}

// start runs the child. It ends with this process, however that ends.
func (p *process) start() error {
	out, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer out.Close() // the child has its own
	cmd := exec.Command(p.path, p.args...)
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
			p.err = cmd.Wait()
		}
		close(done)
	}()
	if err := <-started; err != nil {
		return fmt.Errorf("start %s: %w", p.name, err)
	}
	p.cmd, p.done = cmd, done
	return nil
}

// stop ends the child with the signal and waits for it.
func (p *process) stop(signal syscall.Signal) error {
	if p.cmd == nil {
		return nil
	}
	if err := p.cmd.Process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("stop %s: %w", p.name, err)
	}
	<-p.done
	p.cmd = nil
	return nil
}

// tail is the end of the child's output, for errors.
func (p *process) tail() string {
	const most = 4 << 10
	b, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	if len(b) > most {
		b = b[len(b)-most:]
	}
	return string(b)
}
