package eventlog_test

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"bindery/eventlog"
	"bindery/eventlog/logtest"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if child := os.Getenv(childEnv); child != "" {
		os.Exit(runChild(child))
	}
	goleak.VerifyTestMain(m)
}

// quickDir is a directory on a memory file system where there is one: most
// tests check what the log does, not how long a disk takes to sync.
func quickDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "eventlog-test-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func TestStore(t *testing.T) {
	quick := quickDir(t)
	logtest.Run(t, func(t testing.TB, dir string, o eventlog.Options) (eventlog.Log, error) {
		return eventlog.Open(filepath.Join(quick, dir), o)
	})
}

func TestMemory(t *testing.T) {
	var mu sync.Mutex
	logs := make(map[string]*eventlog.Memory)
	logtest.Run(t, func(t testing.TB, dir string, o eventlog.Options) (eventlog.Log, error) {
		mu.Lock()
		defer mu.Unlock()
		if l := logs[dir]; l != nil {
			logs[dir] = l.Reopen()
		} else {
			logs[dir] = eventlog.NewMemory(o)
		}
		return logs[dir], nil
	})
}

func fixed() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 6789, time.UTC) }
