package eventlog

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// lockName is the file whose flock is the log directory's lock. It holds the
// writer's process id, for those who are refused. The lock goes with the
// process, however it ends; the file stays.
const lockName = "LOCK"

// lockDir takes the directory for one writer.
func lockDir(dir string) (*os.File, error) {
	path := inDir(dir, lockName)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o640)
	if err != nil {
		return nil, withRoom(dir, err)
	}
	if err := flock(f, dir, unix.LOCK_EX); err != nil {
		f.Close()
		return nil, err
	}
	if err := writePID(f); err != nil {
		f.Close()
		return nil, withRoom(dir, fmt.Errorf("%s: %w", path, err))
	}
	return f, nil
}

// lockDirShared keeps writers out while a log is read offline. It changes
// nothing, and needs no lock file: a copied log may lack it.
func lockDirShared(dir string) (*os.File, error) {
	f, err := os.Open(inDir(dir, lockName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if err := flock(f, dir, unix.LOCK_SH); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func flock(f *os.File, dir string, how int) error {
	err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return &LockedError{Path: dir, PID: readPID(f)}
	}
	if err != nil {
		return fmt.Errorf("lock %s: %w", f.Name(), err)
	}
	return nil
}

func writePID(f *os.File) error {
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err := f.WriteAt(fmt.Appendf(nil, "%d\n", os.Getpid()), 0)
	return err
}

// unlock empties the file before it gives the lock up, so that the next reader
// is not taken for this process.
func unlock(f *os.File, writer bool) error {
	if f == nil {
		return nil
	}
	if writer {
		if err := f.Truncate(0); err != nil {
			f.Close()
			return err
		}
	}
	return f.Close()
}

func readPID(f *os.File) int {
	b := make([]byte, 20)
	n, err := f.ReadAt(b, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(b[:n])))
	if err != nil {
		return 0
	}
	return pid
}
