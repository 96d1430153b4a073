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
	rootAt       = pageHeader
	rootSize     = 64
	rootMagic    = 0xED0CDAED
	rootTree     = 16 // offset of the page number of the tree of buckets
	rootFreelist = 32 // offset of the page number of the list of free pages
	rootPages    = 40 // offset of the number of pages in use
	rootTx       = 48
	rootChecksum = 56
)

var errRoot = errors.New("a root page is damaged, the newest records may be hidden")

// root is the newest root of a segment file.
type root struct {
	tree, freelist, pages, tx uint64
}

// readRoots reads both root pages of a segment file and checks that the file
// is as long as the newest one says.
func readRoots(f *os.File) (newest root, err error) {
	info, err := f.Stat()
	if err != nil {
		return root{}, err
	}
	for page := range int64(2) {
		b := make([]byte, rootSize)
		if _, err := f.ReadAt(b, page*segmentPageSize+rootAt); err != nil {
			return root{}, fmt.Errorf("root page %d: %w", page, errTruncated)
		}
		sum := fnv.New64a()
		sum.Write(b[:rootChecksum])
		number := func(at int) uint64 { return binary.NativeEndian.Uint64(b[at:]) }
		if binary.NativeEndian.Uint32(b) != rootMagic || number(rootChecksum) != sum.Sum64() {
			return root{}, errRoot
		}
		if tx := number(rootTx); tx >= newest.tx {
			newest = root{number(rootTree), number(rootFreelist), number(rootPages), tx}
		}
	}
	if uint64(info.Size()) < newest.pages*segmentPageSize {
		return root{}, fmt.Errorf("file of %d bytes is shorter than its %d pages: %w", info.Size(), newest.pages, errTruncated)
	}
	return newest, nil
}
