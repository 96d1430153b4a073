package eventlog_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"bindery/eventlog"

	"golang.org/x/sys/unix"
)

// TestFileLimit meets a limit on the size of files, which works without any
// privilege: the commit fails, the log is closed for writing, nothing
// acknowledged is lost, and with room the log goes on.
func TestFileLimit(t *testing.T) {
	h := newHistory(filepath.Join(quickDir(t), "log"))
	out, _ := h.run(t, childPlan{Run: 1, Writers: 3, FileMax: 1 << 20})
	if !strings.Contains(out, "end true true\n") {
		t.Errorf("the child did not end in ErrFailed and EFBIG: %.200s", out[max(0, len(out)-200):])
	}
	h.check(t)
	h.run(t, childPlan{Run: 2, Writers: 1})
	h.check(t)
}

// TestDiskFull fills a small file system, where one can be mounted; elsewhere
// TestFileLimit is all there is.
func TestDiskFull(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=2m"); err != nil {
		t.Logf("NOT CHECKED: a full disk needs the right to mount: %v", err)
		return
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, 0); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
	ballast := filepath.Join(dir, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 512<<10), 0o600); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "log")
	s, err := eventlog.Open(path, eventlog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	acked := eventlog.Seq(0)
	for err == nil {
		var r []eventlog.Record
		r, err = s.Append(ctx, eventlog.Draft{Kind: eventlog.KindObserved, Object: noise(int(acked), 100<<10)})
		if err == nil {
			acked = r[0].Seq
		}
	}
	var full *eventlog.FullError
	if !errors.As(err, &full) || !errors.Is(err, syscall.ENOSPC) || !errors.Is(err, eventlog.ErrFailed) {
		t.Errorf("append: %v", err)
	}
	t.Log(err)
	<-s.Failed()
	if !errors.Is(s.Err(), syscall.ENOSPC) {
		t.Errorf("Err: %v", s.Err())
	}
	if _, err := s.Submit(ctx, eventlog.Draft{Kind: eventlog.KindNoted}); !errors.Is(err, eventlog.ErrFailed) {
		t.Errorf("submit: %v", err)
	}
	if err := s.Wait(ctx, acked+1); !errors.Is(err, eventlog.ErrFailed) {
		t.Errorf("wait: %v", err)
	}
	if err := s.Wait(ctx, acked); err != nil {
		t.Errorf("wait for a durable record: %v", err)
	}
	if n := countRecords(t, s); n != int(acked) || n == 0 {
		t.Errorf("%d records can be read, %d were acknowledged", n, acked)
	}
	if err := s.Close(); !errors.Is(err, eventlog.ErrFailed) {
		t.Errorf("close: %v", err)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	if s, err = eventlog.Open(path, eventlog.Options{}); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if s.Durable() < acked {
		t.Errorf("durable %d, acknowledged %d", s.Durable(), acked)
	}
	if _, err := s.Append(ctx, eventlog.Draft{Kind: eventlog.KindNoted}); err != nil {
		t.Errorf("append with room again: %v", err)
	}
}

func countRecords(t *testing.T, l eventlog.Log) (n int) {
	t.Helper()
	for _, err := range l.Records(0, 0) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	return n
}
