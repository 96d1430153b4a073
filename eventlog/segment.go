package eventlog

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

var (
	metaBucket   = []byte("meta")
	blocksBucket = []byte("blocks")
	largeBucket  = []byte("large")
	segmentKey   = []byte("segment")
)

// segmentPageSize is 16 KiB: with it a commit of one block touches the fewest
// pages (log.md, measured fact 3).
const segmentPageSize = 16 << 10

// segmentMeta is what a segment says about itself; see format.go.
type segmentMeta struct {
	logID  [16]byte
	secret [sha256.Size]byte
	first  Seq
	block  uint64
	prev   Hash
}

func (m *segmentMeta) encode() []byte {
	b := append(make([]byte, 0, segmentMetaSize), segmentVersion)
	b = append(b, m.logID[:]...)
	b = append(b, m.secret[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(m.first))
	b = binary.BigEndian.AppendUint64(b, m.block)
	b = append(b, m.prev[:]...)
	return binary.BigEndian.AppendUint32(b, checksum(b))
}

func decodeSegmentMeta(b []byte) (m segmentMeta, err error) {
	n := len(b) - 4
	if n < 1 || checksum(b[:n]) != binary.BigEndian.Uint32(b[n:]) {
		return m, errors.New("segment's own record is damaged")
	}
	if b[0] != segmentVersion {
		return m, &UnsupportedVersionError{
			What: "segment", Version: int(b[0]), Oldest: oldestSegmentVersion, Newest: segmentVersion,
		}
	}
	if len(b) != segmentMetaSize {
		return m, errTruncated
	}
	copy(m.logID[:], b[1:])
	copy(m.secret[:], b[17:])
	m.first = Seq(binary.BigEndian.Uint64(b[49:]))
	m.block = binary.BigEndian.Uint64(b[57:])
	copy(m.prev[:], b[65:])
	return m, nil
}

// segment is an open segment file. Reads may run side by side and beside the
// one writer.
type segment struct {
	path string
	db   *bolt.DB
	meta segmentMeta
}

// createSegment makes an empty segment file under its final name. When it
// returns, the file and its name are durable.
func createSegment(dir string, m segmentMeta) error {
	final := inDir(dir, segmentsName, segmentName(m.first))
	temp := final + tempExt
	db, err := openBolt(temp, false, 0)
	if err != nil {
		return err
	}
	err = db.Update(func(tx *bolt.Tx) error {
		for _, name := range [][]byte{blocksBucket, largeBucket} {
			if _, err := tx.CreateBucket(name); err != nil {
				return err
			}
		}
		meta, err := tx.CreateBucket(metaBucket)
		if err != nil {
			return err
		}
		return meta.Put(segmentKey, m.encode())
	})
	if err == nil {
		err = db.Sync() // the file's size too, not only its pages
	}
	if closeErr := db.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	return publish(temp, final)
}

func openBolt(path string, readOnly bool, mapSize int) (db *bolt.DB, err error) {
	var file *os.File
	err = guard(func() error {
		var err error
		db, err = bolt.Open(path, 0o640, &bolt.Options{
			// The directory's lock is held, so nobody waits here for long;
			// bbolt takes 0 for "forever".
			Timeout:         time.Millisecond,
			PageSize:        segmentPageSize,
			FreelistType:    bolt.FreelistMapType,
			InitialMmapSize: mapSize,
			NoStatistics:    true,
			ReadOnly:        readOnly,
			OpenFile: func(name string, flag int, mode os.FileMode) (*os.File, error) {
				var err error
				file, err = os.OpenFile(name, flag, mode)
				return file, err
			},
		})
		return err
	})
	if errors.Is(err, errPage) && file != nil {
		file.Close() // bbolt did not get to it; its lock would stay
	}
	return db, err
}

// openSegment opens a segment file for its writer. Damage that would make
// bbolt misbehave is refused.
func openSegment(path string, mapSize int) (*segment, error) {
	if damage := checkPages(path); damage != nil {
		return nil, locate(path, damage)
	}
	return openPages(path, false, mapSize)
}

// openSegmentReader opens a segment file for reading. Damage is no reason to
// refuse what can still be read: it is returned beside the segment.
func openSegmentReader(path string, mapSize int) (s *segment, suspect, err error) {
	if damage := checkPages(path); damage != nil {
		suspect = locate(path, damage)
		if closedToReaders(damage) {
			return nil, nil, suspect
		}
	}
	s, err = openPages(path, true, mapSize)
	return s, suspect, err
}

// locate turns damage of a file's pages into an error that names the records,
// by reading what can be read.
func locate(path string, damage error) error {
	if errors.Is(damage, fs.ErrPermission) {
		return damage
	}
	where := &CorruptError{First: 1, Path: path, Err: damage}
	if errors.Is(damage, fs.ErrNotExist) {
		where.Err = fs.ErrNotExist
	}
	if closedToReaders(damage) || errors.Is(where.Err, fs.ErrNotExist) {
		return where
	}
	s, err := openPages(path, true, 0)
	if err != nil {
		return where
	}
	t, first := s.sound()
	_, end := s.end()
	_ = s.close() // it was only read
	switch {
	case errors.Is(damage, errRoot), first == nil && end != nil:
		where.First = t.head + 1
	case first != nil:
		where.First, where.Last = damagedRange(first)
	default:
		where.First = 0 // all records are there, the damage is beside them
	}
	return where
}

// openPages opens a segment file that exists.
func openPages(path string, readOnly bool, mapSize int) (*segment, error) {
	corrupt := func(err error) error { return &CorruptError{First: 1, Path: path, Err: err} }
	db, err := openBolt(path, readOnly, mapSize)
	switch {
	case errors.Is(err, berrors.ErrTimeout):
		return nil, &LockedError{Path: path}
	case errors.Is(err, fs.ErrPermission):
		return nil, err
	case err != nil:
		return nil, corrupt(err)
	}
	s := &segment{path: path, db: db}
	err = s.view(func(tx *bolt.Tx) error {
		b := tx.Bucket(metaBucket)
		if b == nil || tx.Bucket(blocksBucket) == nil || tx.Bucket(largeBucket) == nil {
			return errors.New("a bucket is missing")
		}
		var err error
		s.meta, err = decodeSegmentMeta(b.Get(segmentKey))
		return err
	})
	if err == nil {
		return s, nil
	}
	_ = s.close() // the first error tells more
	var version *UnsupportedVersionError
	if errors.As(err, &version) {
		version.Path = path
		return nil, version
	}
	return nil, corrupt(err)
}

func (s *segment) close() error { return guard(s.db.Close) }

func (s *segment) view(read func(*bolt.Tx) error) error {
	return guard(func() error { return s.db.View(read) })
}

// commit puts blocks on disk in one transaction. When it returns nil they are
// durable: bbolt syncs the pages, then the root that shows them.
func (s *segment) commit(blocks []packed) error {
	return guard(func() error {
		return s.db.Update(func(tx *bolt.Tx) error {
			b, large := tx.Bucket(blocksBucket), tx.Bucket(largeBucket)
			if b == nil || large == nil {
				return errors.New("a bucket is missing")
			}
			// Keys only rise, so pages need no room for later ones.
			b.FillPercent, large.FillPercent = 1, 1
			for i := range blocks {
				p := &blocks[i]
				for _, a := range p.aside {
					if err := large.Put(seqKey(a.seq), a.value); err != nil {
						return err
					}
				}
				if err := b.Put(seqKey(p.first), p.value); err != nil {
					return err
				}
			}
			return b.SetSequence(blocks[len(blocks)-1].number)
		})
	})
}

func seqKey(seq Seq) []byte {
	return binary.BigEndian.AppendUint64(make([]byte, 0, 8), uint64(seq))
}

func keySeq(key []byte) (Seq, error) {
	if len(key) != 8 {
		return 0, fmt.Errorf("key of %d bytes", len(key))
	}
	return Seq(binary.BigEndian.Uint64(key)), nil
}
