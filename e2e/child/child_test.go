package child

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// asParent makes this test program start a child and wait.
const asParent = "BINDERY_TEST_PARENT"

func TestMain(m *testing.M) {
	if dir := os.Getenv(asParent); dir != "" {
		c := sleeper(dir)
		if err := c.Start(); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		<-c.Done()
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

func sleeper(dir string) *Child {
	return &Child{Name: "sleeper", Path: "/bin/sh", Args: []string{"-c", "echo here; exec sleep 1000"}, Log: filepath.Join(dir, "out")}
}

func TestStartAgain(t *testing.T) {
	c := sleeper(t.TempDir())
	for range 2 {
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); !errors.Is(err, ErrRunning) {
			t.Errorf("a second start: %v, want %v", err, ErrRunning)
		}
		if err := c.Kill(); err != nil {
			t.Fatal(err)
		}
		if !c.Killed() {
			t.Errorf("ended with %v, want killed", c.Err())
		}
		if err := c.Kill(); err != nil {
			t.Errorf("a second stop: %v", err)
		}
	}
}

func TestHowItEnded(t *testing.T) {
	c := &Child{Name: "ender", Path: "/bin/sh", Args: []string{"-c", "echo $WORD; exit 3"}, Env: []string{"WORD=told"}, Log: filepath.Join(t.TempDir(), "out")}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	<-c.Done()
	exit := (*exec.ExitError)(nil)
	if err := c.Stop(syscall.SIGTERM); !errors.As(err, &exit) || exit.ExitCode() != 3 || c.Killed() {
		t.Errorf("ended with %v, want exit code 3", err)
	}
	if c.Tail() != "told\n" {
		t.Errorf("tail is %q", c.Tail())
	}
	c.Path = "/no/such/program"
	if err := c.Start(); err == nil || !strings.Contains(err.Error(), "ender") {
		t.Errorf("a program that is not there: %v", err)
	}
}

// TestEndsWithItsParent kills a parent without warning: its child ends too.
// The child's output is a pipe, which is at its end when no writer is left.
func TestEndsWithItsParent(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(sleeper(dir).Log, 0o600); err != nil {
		t.Fatal(err)
	}
	parent := exec.Command(os.Args[0])
	parent.Env = append(os.Environ(), asParent+"="+dir)
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	pipe, err := os.Open(sleeper(dir).Log)
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	if err := pipe.SetReadDeadline(time.Now().Add(30 * time.Second)); err != nil {
		t.Fatal(err)
	}
	out := bufio.NewReader(pipe)
	if line, err := out.ReadString('\n'); line != "here\n" {
		t.Fatalf("the child said %q (%v)", line, err)
	}
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait() // killed
	if _, err := out.ReadByte(); !errors.Is(err, io.EOF) {
		t.Errorf("the child lives on: %v", err)
	}
}
