package eventlog_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"bindery/eventlog"

	"golang.org/x/sys/unix"
)

// The test binary runs itself as a child, so that the child can be killed. The
// variable holds a childPlan.
const childEnv = "EVENTLOG_TEST_CHILD"

// childPlan is what a child does with the log in Dir.
type childPlan struct {
	Dir     string
	Run     int                  // goes into each record
	Writers int                  // goroutines that append
	Stage   eventlog.CommitStage // where it kills itself
	Commit  int                  // at which commit
	Delay   time.Duration        // how much later; 0 at once
	FileMax uint64               // largest size of a file; 0 for none
}

// runChild writes a line to stdout before each submit and after each
// acknowledgement. A line is in the pipe before the next step is taken.
func runChild(plan string) int {
	var p childPlan
	if err := json.Unmarshal([]byte(plan), &p); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	if p.FileMax > 0 {
		limit := unix.Rlimit{Cur: p.FileMax, Max: p.FileMax}
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 2
		}
	}
	if p.Stage == eventlog.CommitUnknown && p.Commit > 0 {
		go dieAfter(p.Delay)
	}
	var commits atomic.Int64
	s, err := eventlog.Open(p.Dir, eventlog.Options{OnCommit: func(stage eventlog.CommitStage, _ eventlog.Seq) {
		if stage == eventlog.CommitBegins {
			commits.Add(1)
		}
		if stage != p.Stage || commits.Load() != int64(p.Commit) {
			return
		}
		if p.Delay == 0 {
			die()
		}
		go dieAfter(p.Delay)
	}})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	var wg sync.WaitGroup
	for w := range p.Writers {
		wg.Go(func() { p.write(s, w) })
	}
	wg.Wait()
	fmt.Printf("end %t %t\n", errors.Is(s.Err(), eventlog.ErrFailed), errors.Is(s.Err(), syscall.EFBIG))
	if err := s.Close(); err != nil && s.Err() == nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	return 0
}

// write appends until the log fails or the plan's time has long come.
func (p *childPlan) write(s *eventlog.Store, writer int) {
	for n := range 400 {
		fact := fmt.Sprintf("%d/%d/%d", p.Run, writer, n)
		fmt.Printf("try %s\n", fact)
		object := make([]byte, 100+n*37%5000)
		if p.FileMax > 0 {
			object = noise(n, 64<<10)
		}
		r, err := s.Append(context.Background(), eventlog.Draft{
			Kind: eventlog.KindObserved, Fact: []byte(fact), Object: object,
		})
		if err != nil {
			return
		}
		fmt.Printf("ack %d %s\n", r[0].Seq, fact)
	}
}

func noise(seed, n int) []byte {
	b := make([]byte, n)
	x := uint64(seed)*2654435761 + 88172645463325252
	for i := range b {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		b[i] = byte(x)
	}
	return b
}

func die() {
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}

// dieAfter spins, since a sleep is too coarse to end inside a commit.
func dieAfter(d time.Duration) {
	for start := time.Now(); time.Since(start) < d; {
	}
	die()
}
