package eventlog

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
)

// Sentinels. The typed errors below carry the place.
var (
	// ErrFailed is returned by Submit, Append and Wait once a commit failed,
	// together with the commit's own error. The log takes no more records
	// until it is opened anew; what was durable can still be read.
	ErrFailed = errors.New("log failed")

	// ErrClosed is returned after Close.
	ErrClosed = errors.New("log closed")

	// ErrLocked is returned by Open and OpenReadOnly when another process (or
	// another Store of this one) holds the directory. It is a LockedError.
	ErrLocked = errors.New("log is in use")

	// ErrNotFound is returned by Read for a seq that is not durable or was
	// never given out.
	ErrNotFound = errors.New("no such record")

	// ErrReadOnly is returned by Submit and Append of a log that was opened
	// for reading.
	ErrReadOnly = errors.New("log is open for reading only")
)

// LockedError says who holds a log directory.
type LockedError struct {
	Path string
	PID  int // 0 when the holder only reads, or did not say
}

func (e *LockedError) Error() string {
	if e.PID == 0 {
		return fmt.Sprintf("log %s is in use by another process", e.Path)
	}
	return fmt.Sprintf("log %s is in use by process %d", e.Path, e.PID)
}

// Is makes a LockedError match ErrLocked.
func (e *LockedError) Is(target error) bool { return target == ErrLocked }

// CorruptError says that stored bytes are not what was written. Records First
// to Last cannot be read; Last 0 means that the end of the damage is not known,
// First 0 that no record is concerned by itself (the manifest, say).
type CorruptError struct {
	First, Last Seq
	Path        string
	Block       uint64 // 0 when it is not known which
	Err         error
}

func (e *CorruptError) Error() string {
	s := e.Path + ": damaged"
	if e.Block != 0 {
		s += fmt.Sprintf(" block %d", e.Block)
	}
	return s + seqRange(e.First, e.Last) + ": " + e.Err.Error()
}

func (e *CorruptError) Unwrap() error { return e.Err }

// GapError says that records First to Last are missing from a log whose
// neighbours are there: a block was removed.
type GapError struct {
	First, Last Seq
	Path        string
}

func (e *GapError) Error() string {
	return fmt.Sprintf("%s: gap:%s missing", e.Path, seqRange(e.First, e.Last))
}

// ForkError says that a block does not go on from the block before it: two
// histories with the same numbers. Want is the chain hash of the block before,
// Got what this block names as such.
type ForkError struct {
	First, Last Seq
	Path        string
	Block       uint64
	Want, Got   Hash
}

func (e *ForkError) Error() string {
	return fmt.Sprintf("%s: fork at block %d%s: it goes on from %.12s, not from %.12s",
		e.Path, e.Block, seqRange(e.First, e.Last), e.Got.String(), e.Want.String())
}

// UnsupportedVersionError says that the bytes are whole but of a format that
// this program does not read. It is never a sign of damage.
type UnsupportedVersionError struct {
	Path    string
	What    string // "manifest", "segment" or "block"
	Version int
	Oldest  int // the oldest version that is read
	Newest  int // the newest one
	First   Seq // the block's first record, when What is "block"
}

func (e *UnsupportedVersionError) Error() string {
	age := "newer"
	if e.Version < e.Oldest {
		age = "older"
	}
	return fmt.Sprintf("%s:%s %s format %d is %s than this program reads (%d to %d)",
		e.Path, seqRange(e.First, e.First), e.What, e.Version, age, e.Oldest, e.Newest)
}

// NotALogError says that a path holds something, but no log. Nothing in it
// was touched.
type NotALogError struct {
	Path string
	Why  string
}

func (e *NotALogError) Error() string { return fmt.Sprintf("%s is not a log: %s", e.Path, e.Why) }

// WrongClusterError says that the log belongs to another cluster than the one
// it was opened for.
type WrongClusterError struct {
	Path  string
	Field string // "name" or "uid"
	Log   string // what the log holds
	Want  string // what was asked for
}

func (e *WrongClusterError) Error() string {
	return fmt.Sprintf("%s is the log of another cluster: cluster %s is %q, not %q",
		e.Path, e.Field, e.Log, e.Want)
}

// FullError says that there is no room for the log to grow. It wraps the
// system's error (ENOSPC, EDQUOT or EFBIG).
type FullError struct {
	Path string
	Err  error
}

func (e *FullError) Error() string {
	if strings.Contains(e.Err.Error(), e.Path) {
		return "no room for the log: " + e.Err.Error()
	}
	return fmt.Sprintf("no room for the log in %s: %v", e.Path, e.Err)
}

func (e *FullError) Unwrap() error { return e.Err }

// LimitError says that a draft is over a bound of limits.go.
type LimitError struct {
	What        string
	Size, Limit int
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("%s of %d is over the limit of %d", e.What, e.Size, e.Limit)
}

// withRoom marks an error as a FullError when the system said so. bbolt puts
// the system's error of a file that cannot grow into its text only, so the text
// counts too.
func withRoom(path string, err error) error {
	if err == nil {
		return nil
	}
	for _, full := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG} {
		if errors.Is(err, full) {
			return &FullError{Path: path, Err: err}
		}
		if strings.Contains(err.Error(), full.Error()) {
			return &FullError{Path: path, Err: fmt.Errorf("%v: %w", err, full)}
		}
	}
	return err
}

func seqRange(first, last Seq) string {
	switch {
	case first == 0:
		return ""
	case last == 0:
		return fmt.Sprintf(" seq %d and on", first)
	case first == last:
		return fmt.Sprintf(" seq %d", first)
	}
	return fmt.Sprintf(" seq %d to %d", first, last)
}
