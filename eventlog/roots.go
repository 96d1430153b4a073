package eventlog

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
)

// bbolt's root pages, as it documents them: the first two pages of the file,
// written in turn by each commit, each with its own checksum. bbolt opens with
// the newest valid one. So when bits of the newest one rot, it shows the state
// of one commit earlier and says nothing: an acknowledged record would be gone
// silently. Both roots of an undamaged file are valid: a root fits into one
// sector, which a crash leaves old or new.
const (
	rootAt       = 16 // behind the page's header
	rootSize     = 64
	rootMagic    = 0xED0CDAED
	rootPages    = 40 // offset of the number of pages in use
	rootTx       = 48
	rootChecksum = 56
)

var errRoot = errors.New("a root page is damaged, the newest records may be hidden")

// checkRoots reads both root pages of a segment file, and that the file is as
// long as the newest says. It must come before bbolt opens the file.
func checkRoots(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	var newest, pages uint64
	for page := range int64(2) {
		b := make([]byte, rootSize)
		if _, err := f.ReadAt(b, page*segmentPageSize+rootAt); err != nil {
			return fmt.Errorf("root page %d: %w", page, errTruncated)
		}
		sum := fnv.New64a()
		sum.Write(b[:rootChecksum])
		if binary.NativeEndian.Uint32(b) != rootMagic || binary.NativeEndian.Uint64(b[rootChecksum:]) != sum.Sum64() {
			return errRoot
		}
		if tx := binary.NativeEndian.Uint64(b[rootTx:]); tx >= newest {
			newest, pages = tx, binary.NativeEndian.Uint64(b[rootPages:])
		}
	}
	if uint64(info.Size()) < pages*segmentPageSize {
		return fmt.Errorf("file of %d bytes is shorter than its %d pages: %w", info.Size(), pages, errTruncated)
	}
	return nil
}
