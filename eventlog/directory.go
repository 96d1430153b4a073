package eventlog

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Names in a log directory; see format.go.
const (
	segmentsName = "segments"
	segmentExt   = ".seg"
	tempExt      = ".tmp"
)

func inDir(dir string, names ...string) string {
	return filepath.Join(append([]string{dir}, names...)...)
}

func segmentName(first Seq) string { return fmt.Sprintf("%020d%s", uint64(first), segmentExt) }

// dirState is what a path holds.
type dirState uint8

const (
	dirAbsent     dirState = iota // nothing
	dirEmpty                      // a directory with nothing of anybody's in it
	dirUnfinished                 // a log whose making was cut short, or whose manifest is gone
	dirLog                        // a log
)

// inspect tells what a path holds without touching it. Anything that is not
// plainly ours is a NotALogError: a log is never made on top of other files.
func inspect(dir string) (dirState, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return dirAbsent, nil
	}
	if err != nil {
		if info, statErr := os.Stat(dir); statErr == nil && !info.IsDir() {
			return 0, &NotALogError{Path: dir, Why: "it is a file, and a log is a directory"}
		}
		return 0, err
	}
	state := dirEmpty
	for _, e := range entries {
		name := e.Name()
		switch {
		case name == manifestName:
			return dirLog, nil
		case name == segmentsName && e.IsDir():
			if err := inspectSegments(dir); err != nil {
				return 0, err
			}
			state = dirUnfinished
		case name == lockName || strings.HasSuffix(name, tempExt) || name == "lost+found":
			// Ours from a start that was cut short; lost+found is how a
			// freshly made volume looks.
		default:
			return 0, &NotALogError{Path: dir, Why: fmt.Sprintf("it has no %s but holds %s", manifestName, name)}
		}
	}
	return state, nil
}

func inspectSegments(dir string) error {
	entries, err := os.ReadDir(inDir(dir, segmentsName))
	if err != nil {
		return err
	}
	for _, e := range entries {
		if ext := filepath.Ext(e.Name()); e.IsDir() || ext != segmentExt && ext != tempExt {
			return &NotALogError{Path: dir, Why: fmt.Sprintf("it has no %s but holds %s", manifestName, e.Name())}
		}
	}
	return nil
}

// makeDir creates the directory and makes its name durable.
func makeDir(dir string) error {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return err
	}
	return syncDir(filepath.Dir(dir))
}

// removeTemps deletes what an interrupted start or rename left behind. The
// caller holds the lock.
func removeTemps(dir string) error {
	for _, d := range []string{dir, inDir(dir, segmentsName)} {
		temps, err := filepath.Glob(inDir(d, "*"+tempExt))
		if err != nil {
			return err
		}
		for _, t := range temps {
			if err := os.Remove(t); err != nil {
				return err
			}
		}
	}
	return nil
}

// publish gives a finished, synced file its name. Once it returns, the name is
// durable; a crash before that leaves the old file or none, and a temporary
// that the next start removes.
func publish(temp, final string) error {
	if err := os.Rename(temp, final); err != nil {
		return err
	}
	return syncDir(filepath.Dir(final))
}

// syncDir makes names in a directory durable. Rename alone does not.
func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		f.Close()
		return fmt.Errorf("sync %s: %w", dir, err)
	}
	return f.Close()
}
