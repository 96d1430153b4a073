package eventlog_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"bindery/eventlog"
	"bindery/eventlog/logtest"
)

func mustOpen(t testing.TB, dir string, o eventlog.Options) *eventlog.Store {
	t.Helper()
	s, err := eventlog.Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestLock(t *testing.T) {
	dir := filepath.Join(quickDir(t), "log")
	s := mustOpen(t, dir, eventlog.Options{})
	for name, open := range map[string]func(string, eventlog.Options) (*eventlog.Store, error){
		"writer": eventlog.Open, "reader": eventlog.OpenReadOnly,
	} {
		_, err := open(dir, eventlog.Options{})
		var locked *eventlog.LockedError
		if !errors.Is(err, eventlog.ErrLocked) || !errors.As(err, &locked) || locked.PID != os.Getpid() || locked.Path != dir {
			t.Errorf("second %s: %v", name, err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	first, err := eventlog.OpenReadOnly(dir, eventlog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	second, err := eventlog.OpenReadOnly(dir, eventlog.Options{})
	if err != nil {
		t.Fatalf("two readers: %v", err)
	}
	var locked *eventlog.LockedError
	if _, err := eventlog.Open(dir, eventlog.Options{}); !errors.As(err, &locked) || locked.PID != 0 {
		t.Errorf("writer beside readers: %v", err)
	}
	if _, err := first.Submit(context.Background(), eventlog.Draft{Kind: 1}); !errors.Is(err, eventlog.ErrReadOnly) {
		t.Errorf("submit to a reader: %v", err)
	}
	if err := errors.Join(first.Close(), second.Close()); err != nil {
		t.Fatal(err)
	}
	mustOpen(t, dir, eventlog.Options{})
}

// tree is a directory's files with what they hold.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		b, err := os.ReadFile(path)
		out[path] = info.ModTime().String() + strconv.Itoa(len(b)) + string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func sameTree(t *testing.T, dir string, before map[string]string) {
	t.Helper()
	after := tree(t, dir)
	if len(after) != len(before) {
		t.Errorf("%d files, were %d", len(after), len(before))
	}
	for path, b := range before {
		if after[path] != b {
			t.Errorf("%s was touched", path)
		}
	}
}

func TestReadOnlyTouchesNothing(t *testing.T) {
	dir := filepath.Join(quickDir(t), "log")
	records := logtest.Build(t, dir)
	before := tree(t, dir)
	s, err := eventlog.OpenReadOnly(dir, eventlog.Options{ClusterName: "damaged"})
	if err != nil {
		t.Fatal(err)
	}
	if n := countRecords(t, s); n != len(records) {
		t.Errorf("%d records", n)
	}
	if r, err := s.Verify(context.Background(), nil); err != nil || !r.OK() {
		t.Error(err, r)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	sameTree(t, dir, before)

	for _, name := range []string{"LOCK"} { // a copy may lack it
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if s, err = eventlog.OpenReadOnly(dir, eventlog.Options{}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := eventlog.OpenReadOnly(filepath.Join(dir, "nowhere"), eventlog.Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing there: %v", err)
	}
}

// TestReaderOfDamagedEnd: Open refuses a log whose last block is damaged; a
// reader still shows what is before it, and says what is not there.
func TestReaderOfDamagedEnd(t *testing.T) {
	dir := filepath.Join(quickDir(t), "log")
	records := logtest.Build(t, dir)
	last := eventlog.Seq(len(records) - logtest.BlockRecords + 1)
	logtest.FlipBlock(t, dir, last)
	var corrupt *eventlog.CorruptError
	if _, err := eventlog.Open(dir, eventlog.Options{}); !errors.As(err, &corrupt) || corrupt.First != last {
		t.Errorf("open: %v", err)
	}
	s, err := eventlog.OpenReadOnly(dir, eventlog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	n := eventlog.Seq(0)
	var told error
	for r, err := range s.Records(0, 0) {
		if err != nil {
			told = err
			continue
		}
		n = r.Seq
	}
	if n != last-1 || !errors.As(told, &corrupt) || corrupt.First != last {
		t.Errorf("read up to %d, then %v", n, told)
	}
	report, err := s.Verify(context.Background(), nil)
	if err != nil || len(report.Damaged) != 1 || report.Damaged[0].First != last {
		t.Errorf("verify: %+v, %v", report, err)
	}
}

func TestOpenRefusesWhatIsNoLog(t *testing.T) {
	base := quickDir(t)
	file := filepath.Join(base, "file")
	if err := os.WriteFile(file, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, make := range map[string]func(dir string) error{
		"foreign file":            func(dir string) error { return os.WriteFile(filepath.Join(dir, "a.txt"), nil, 0o600) },
		"foreign directory":       func(dir string) error { return os.Mkdir(filepath.Join(dir, "a"), 0o700) },
		"foreign segments":        func(dir string) error { return os.MkdirAll(filepath.Join(dir, "segments", "x"), 0o700) },
		"a file named as segment": func(dir string) error { return os.WriteFile(filepath.Join(dir, "segments"), nil, 0o600) },
	} {
		dir := filepath.Join(base, name)
		if err := errors.Join(os.Mkdir(dir, 0o700), make(dir)); err != nil {
			t.Fatal(err)
		}
		before := tree(t, dir)
		var notALog *eventlog.NotALogError
		if _, err := eventlog.Open(dir, eventlog.Options{}); !errors.As(err, &notALog) {
			t.Errorf("%s: %v", name, err)
		}
		sameTree(t, dir, before)
	}
	var notALog *eventlog.NotALogError
	for _, path := range []string{file, filepath.Join(file, "below")} {
		if _, err := eventlog.Open(path, eventlog.Options{}); path == file && !errors.As(err, &notALog) || err == nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	empty := filepath.Join(base, "empty")
	if err := os.MkdirAll(filepath.Join(empty, "lost+found"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := eventlog.OpenReadOnly(empty, eventlog.Options{}); !errors.As(err, &notALog) {
		t.Errorf("empty directory, reading: %v", err)
	}
	mustOpen(t, empty, eventlog.Options{})
}

// TestOpenAfterUnfinishedStart: a directory as a crash leaves it while the log
// is made is taken over.
func TestOpenAfterUnfinishedStart(t *testing.T) {
	dir := filepath.Join(quickDir(t), "log")
	s := mustOpen(t, dir, eventlog.Options{})
	id := s.Identity().ID
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, f := range []string{"MANIFEST.tmp", filepath.Join("segments", "x.seg.tmp")} {
		if err := os.WriteFile(filepath.Join(dir, f), []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(filepath.Join(dir, "MANIFEST")); err != nil {
		t.Fatal(err)
	}
	s = mustOpen(t, dir, eventlog.Options{})
	if s.Identity().ID == id {
		t.Error("a log that never was is continued")
	}
	if temps, _ := filepath.Glob(filepath.Join(dir, "*", "*.tmp")); len(temps) > 0 {
		t.Errorf("left over: %v", temps)
	}
}

func TestClusterByUID(t *testing.T) {
	dir := filepath.Join(quickDir(t), "log")
	for _, step := range []struct {
		name, uid         string
		wantName, wantUID string
		wrong             string
	}{
		{name: "", uid: "", wantName: "", wantUID: ""},
		{name: "a", uid: "", wantName: "a", wantUID: ""},
		{name: "b", uid: "", wrong: "name"},
		{name: "a", uid: "1", wantName: "a", wantUID: "1"},
		{name: "b", uid: "1", wantName: "a", wantUID: "1"}, // the same, renamed
		{name: "a", uid: "2", wrong: "uid"},
		{name: "b", uid: "", wrong: "name"},
		{name: "", uid: "", wantName: "a", wantUID: "1"},
	} {
		s, err := eventlog.Open(dir, eventlog.Options{ClusterName: step.name, ClusterUID: step.uid})
		var wrong *eventlog.WrongClusterError
		if step.wrong != "" {
			if !errors.As(err, &wrong) || wrong.Field != step.wrong {
				t.Errorf("%+v: %v", step, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%+v: %v", step, err)
		}
		if id := s.Identity(); id.ClusterName != step.wantName || id.ClusterUID != step.wantUID {
			t.Errorf("%+v: %+v", step, id)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
