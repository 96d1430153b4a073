package eventlog

import (
	"errors"
	"fmt"

	bolt "go.etcd.io/bbolt"
)

// A read transaction on the open segment keeps pages from being reused and the
// file from being mapped anew, so a scan takes at most this much out of one.
const (
	scanBlocks = 64
	scanBytes  = 1 << 20
)

// stored is a block as it came off the disk, or why it did not.
type stored struct {
	header
	value []byte
	err   error
}

// load copies the block that holds seq, and those behind it, out of one short
// transaction. It ends after the first block whose header is damaged. An error
// of its own means that bbolt fell over a page.
func (s *segment) load(seq Seq, blocks int) (out []stored, err error) {
	err = s.view(func(tx *bolt.Tx) error {
		c := tx.Bucket(blocksBucket).Cursor()
		k, v := c.Seek(seqKey(seq))
		if at, err := keySeq(k); err != nil || at != seq {
			if k == nil {
				k, v = c.Last()
			} else {
				k, v = c.Prev()
			}
		}
		for size := 0; k != nil && len(out) < blocks && size < scanBytes; k, v = c.Next() {
			out = append(out, takeStored(k, v))
			if out[len(out)-1].err != nil {
				break
			}
			size += len(v)
		}
		return nil
	})
	if len(out) > 0 {
		err = nil // what lies before a damaged page is good; the next load meets it
	}
	return out, err
}

// takeStored believes a value's length only once its header is checked: a
// damaged page can make it gigabytes.
func takeStored(k, v []byte) (b stored) {
	key, err := keySeq(k)
	if err != nil {
		return stored{err: err}
	}
	if b.header, b.err = decodeHeader(v); b.err != nil {
		b.first = key
		return b
	}
	if b.first != key {
		b.first, b.err = key, errBlockPlace
		return b
	}
	b.value = append([]byte(nil), v...)
	return b
}

// scan walks the blocks of a segment in order, from the one that holds next.
// It checks each block by itself and against the one before.
type scan struct {
	seg     *segment
	next    Seq  // the record wanted next
	last    Seq  // where the scan ends; at most the durable head
	objects bool // unpack full objects

	ahead  []stored
	before *header // the block before, when it was read
}

// block returns the next block, nil at the end. After an error, skip tells
// where the scan can go on.
func (s *scan) block() (*block, error) {
	if s.next > s.last {
		return nil, nil
	}
	if len(s.ahead) == 0 {
		var err error
		if s.ahead, err = s.seg.load(s.next, s.want()); err != nil {
			return nil, s.corrupt(s.next, 0, 0, err)
		}
		if len(s.ahead) == 0 {
			return nil, &GapError{First: s.next, Last: s.last, Path: s.seg.path}
		}
	}
	raw := s.ahead[0]
	s.ahead = s.ahead[1:]
	if raw.err != nil {
		if raw.first < s.next && s.before != nil {
			return nil, &GapError{First: s.next, Last: s.nextGood() - 1, Path: s.seg.path}
		}
		first := s.next
		if raw.first > 0 {
			first = min(first, raw.first)
		}
		return nil, s.corrupt(first, 0, raw.number, raw.err)
	}
	if raw.last() < s.next { // the block before; there is none that holds next
		return nil, &GapError{First: s.next, Last: s.nextGood() - 1, Path: s.seg.path}
	}
	if raw.first > s.next {
		return nil, &GapError{First: s.next, Last: min(raw.first-1, s.last), Path: s.seg.path}
	}
	if err := s.follows(&raw.header); err != nil {
		return nil, err
	}
	b, err := decodeBlock(raw.value, s.objects)
	if err == nil && s.objects {
		err = s.fetchAside(b)
	}
	if err != nil {
		return nil, s.corrupt(raw.first, raw.last(), raw.number, err)
	}
	s.before = &raw.header
	s.next = b.last() + 1
	return b, nil
}

// want is how many blocks to load: one when one record is wanted.
func (s *scan) want() int {
	if s.next == s.last {
		return 1
	}
	return scanBlocks
}

// follows checks that a block goes on from the one before.
func (s *scan) follows(h *header) error {
	number, prev := uint64(0), Hash{}
	switch {
	case s.before != nil:
		number, prev = s.before.number, s.before.chain
	case h.first == s.seg.meta.first:
		number, prev = s.seg.meta.block-1, s.seg.meta.prev
	default:
		return nil
	}
	if h.first < s.next && s.before != nil || h.number != number+1 {
		return s.corrupt(h.first, h.last(), h.number, errBlockPlace)
	}
	if h.prev != prev {
		return &ForkError{First: h.first, Last: h.last(), Path: s.seg.path, Block: h.number, Want: prev, Got: h.prev}
	}
	return nil
}

// fetchAside puts large objects back into their records.
func (s *scan) fetchAside(b *block) error {
	for i := range b.records {
		r := &b.records[i]
		p := &r.parts[2]
		if p.state != partAside {
			continue
		}
		err := s.seg.view(func(tx *bolt.Tx) error {
			object, err := decodeAside(tx.Bucket(largeBucket).Get(seqKey(r.Seq)), r.Seq, p.length)
			r.Object = append([]byte(nil), object...)
			return err
		})
		if err != nil {
			return fmt.Errorf("object of seq %d: %w", r.Seq, err)
		}
	}
	return nil
}

// corrupt makes the error for a place. Where the end is not known, it is just
// before the next block that can be read.
func (s *scan) corrupt(first, last Seq, number uint64, err error) error {
	var version *UnsupportedVersionError
	if errors.As(err, &version) {
		version.Path, version.First = s.seg.path, first
		return version
	}
	if last == 0 {
		s.next = max(s.next, first)
		last = s.nextGood() - 1
	}
	return &CorruptError{First: first, Last: last, Path: s.seg.path, Block: number, Err: err}
}

// nextGood is the first seq behind next at which a sound block begins, or the
// one behind the scan's end. A damaged page hides all the blocks on it, so the
// search doubles its steps and then closes in.
func (s *scan) nextGood() Seq {
	var good Seq
	found := func(seq Seq) bool {
		sound := false
		err := s.seg.view(func(tx *bolt.Tx) error {
			c := tx.Bucket(blocksBucket).Cursor()
			k, v := c.Seek(seqKey(seq))
			// A damaged key misleads bbolt's search by a place or two.
			for try := 0; k != nil && !sound && try < scanBlocks; k, v = c.Next() {
				if b := takeStored(k, v); b.err == nil && b.first >= seq {
					good, sound = b.first, true
				}
				try++
			}
			return nil
		})
		return err == nil && sound
	}
	step := Seq(1)
	for !found(s.next + step) {
		if s.next+step > s.last {
			return s.last + 1
		}
		step *= 2
	}
	low, high := s.next+step/2, s.next+step // bad or untried, good
	for low+1 < high {
		if mid := low + (high-low)/2; found(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	found(high)
	return min(good, s.last+1)
}

// skip goes on behind the damage that err tells of, and reports whether that
// is possible.
func (s *scan) skip(err error) bool {
	_, last := damagedRange(err)
	if last == 0 || last < s.next {
		return false
	}
	s.next, s.before, s.ahead = last+1, nil, nil
	return true
}

// damagedRange is the seq range that a read error concerns.
func damagedRange(err error) (first, last Seq) {
	var corrupt *CorruptError
	var gap *GapError
	var fork *ForkError
	var version *UnsupportedVersionError
	switch {
	case errors.As(err, &corrupt):
		return corrupt.First, corrupt.Last
	case errors.As(err, &gap):
		return gap.First, gap.Last
	case errors.As(err, &fork):
		return fork.First, fork.Last
	case errors.As(err, &version):
		return version.First, 0
	}
	return 0, 0
}

// tail is the last block of a segment and what the segment says about it.
type tail struct {
	head  Seq
	block uint64
	chain Hash
	last  Record
}

// end reads the last block. An error tells that blocks which were committed
// are not there any more.
func (s *segment) end() (t tail, err error) {
	t = tail{head: s.meta.first - 1, block: s.meta.block - 1, chain: s.meta.prev}
	var committed uint64
	var at Seq
	damage := s.view(func(tx *bolt.Tx) error {
		b := tx.Bucket(blocksBucket)
		committed = b.Sequence()
		k, v := b.Cursor().Last()
		if k == nil {
			return nil
		}
		raw := takeStored(k, v)
		at = raw.first
		if raw.err != nil {
			return raw.err
		}
		last, err := decodeBlock(raw.value, false)
		if err != nil {
			return err
		}
		t = tail{last.last(), last.number, last.chain, last.records[last.count-1].Record}
		return nil
	})
	if damage == nil && committed > 0 && committed != t.block {
		damage = fmt.Errorf("%d blocks were committed, the last one found is %d", committed, t.block)
		at = t.head + 1
	}
	if damage == nil {
		return t, nil
	}
	var version *UnsupportedVersionError
	if errors.As(damage, &version) {
		version.Path, version.First = s.path, at
		return t, version
	}
	return t, &CorruptError{First: max(at, s.meta.first), Path: s.path, Err: damage}
}

// sound reads all that can be read: the end of it, and the first damage before
// or behind that. It is for segments that are known to be damaged.
func (s *segment) sound() (t tail, first error) {
	t = tail{head: s.meta.first - 1, block: s.meta.block - 1, chain: s.meta.prev}
	const farOff = 1 << 62
	sc := scan{seg: s, next: s.meta.first, last: farOff}
	for {
		b, err := sc.block()
		if err == nil {
			t = tail{b.last(), b.number, b.chain, b.records[b.count-1].Record}
			continue
		}
		_, last := damagedRange(err)
		if last < farOff && first == nil {
			first = err
		}
		if last >= farOff || !sc.skip(err) {
			return t, first
		}
	}
}
