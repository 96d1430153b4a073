package eventlog

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"

	bolt "go.etcd.io/bbolt"
)

// recover and SetPanicOnFault catch what bbolt does with most damaged pages,
// but not these: a branch that leads back to itself makes it recurse until the
// process dies; a length or a page count out of bounds makes a commit take
// memory without end, or mark sound pages as free and later write over them.
// So the pages that a commit rewrites, and all branches, are checked here
// before bbolt sees them. The checks know bbolt's page layout, which it keeps
// stable, and that it lays out a page's data without holes:
//
//	page     id (8)  flags (2)  count (2)  overflow (4)  elements  data
//	branch   pos (4)  key size (4)  page (8)
//	leaf     flags (4)  pos (4)  key size (4)  value size (4)
//
// A bucket's value in the tree of buckets is its page (8), its sequence (8)
// and, when that page is 0, a page of its own in place.
const (
	pageHeader  = 16
	pageElement = 16

	pageBranch   = 0x01
	pageLeaf     = 0x02
	pageFreelist = 0x10

	leafIsBucket = 0x01

	// maxDepth is more than a file of any size needs.
	maxDepth = 12
)

// Damage that bbolt must not be let into, not even to read: a tree that never
// ends, and a bucket in place whose elements lie outside it, which bbolt would
// look for in the memory of the process.
var (
	errLoop    = errors.New("the tree of pages has a loop")
	errInPlace = errors.New("a bucket in place is damaged")
)

// closedToReaders reports whether damage is of a kind that ends the process of
// whoever reads on.
func closedToReaders(damage error) bool {
	return errors.Is(damage, errLoop) || errors.Is(damage, errInPlace)
}

// pageCheck checks the pages of one segment file.
type pageCheck struct {
	file *os.File
	root root
	// seen is every page that a branch, a bucket or the root names: one named
	// twice makes a loop, or will be written twice.
	seen map[uint64]bool
	// leaves asks for all leaves to be checked, not only the last ones.
	leaves bool
}

// checkPages checks a segment file before bbolt opens it: the roots, all
// branches, and the pages that the next commit rewrites.
func checkPages(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	newest, err := readRoots(f)
	if err != nil {
		return err
	}
	c := pageCheck{file: f, root: newest, seen: make(map[uint64]bool)}
	return errors.Join(c.tree(newest.tree), c.freelist())
}

// checkPages checks every page of an open segment that a reader may meet. A
// page may be damaged although all that is on it can be read in order.
func (s *segment) checkPages() error {
	f, err := os.Open(s.path)
	if err != nil {
		return err
	}
	defer f.Close()
	// Pages of the transaction's tree are not written over while it is open.
	return s.view(func(tx *bolt.Tx) error {
		c := pageCheck{
			file:   f,
			root:   root{tree: uint64(tx.Cursor().Bucket().RootPage()), pages: uint64(tx.Size()) / segmentPageSize},
			seen:   make(map[uint64]bool),
			leaves: true,
		}
		return c.tree(c.root.tree)
	})
}

func (c *pageCheck) visit(id uint64) error {
	if id < 2 || id >= c.root.pages {
		return fmt.Errorf("page %d is named, of %d", id, c.root.pages)
	}
	if c.seen[id] {
		return fmt.Errorf("page %d: %w", id, errLoop)
	}
	c.seen[id] = true
	return nil
}

// page is a checked page.
type page struct {
	flags    uint16
	overflow uint32
	elements [][4]uint32
	bytes    []byte
}

// read reads a page and what runs over into the next ones.
func (c *pageCheck) read(id uint64) (p page, err error) {
	b := make([]byte, segmentPageSize)
	if _, err := c.file.ReadAt(b, int64(id)*segmentPageSize); err != nil {
		return page{}, fmt.Errorf("page %d: %w", id, err)
	}
	if got := binary.NativeEndian.Uint64(b); got != id {
		return page{}, fmt.Errorf("page %d says that it is page %d", id, got)
	}
	overflow := binary.NativeEndian.Uint32(b[12:])
	if id+uint64(overflow) >= c.root.pages {
		return page{}, fmt.Errorf("page %d runs over by %d, of %d", id, overflow, c.root.pages)
	}
	p, used, err := parsePage(b, (int64(overflow)+1)*segmentPageSize)
	if err != nil {
		return page{}, fmt.Errorf("page %d: %w", id, err)
	}
	if p.flags != pageFreelist && overflow != uint32((used-1)/segmentPageSize) {
		return page{}, fmt.Errorf("page %d runs over by %d and holds %d bytes", id, overflow, used)
	}
	p.overflow = overflow
	return p, nil
}

// parsePage checks that a page's elements lie in it one behind the other, as
// bbolt writes them. size is the page's length; b holds its first bytes.
func parsePage(b []byte, size int64) (p page, used int64, err error) {
	p = page{flags: binary.NativeEndian.Uint16(b[8:]), bytes: b}
	count := int(binary.NativeEndian.Uint16(b[10:]))
	if p.flags == pageFreelist {
		return p, 0, nil
	}
	if p.flags != pageBranch && p.flags != pageLeaf {
		return page{}, 0, fmt.Errorf("flags %x", p.flags)
	}
	used = pageHeader + int64(count)*pageElement
	if used > int64(len(b)) {
		return page{}, 0, fmt.Errorf("%d elements", count)
	}
	for i := range count {
		at := pageHeader + i*pageElement
		var e [4]uint32
		for f := range e {
			e[f] = binary.NativeEndian.Uint32(b[at+4*f:])
		}
		pos, data := e[0], int64(e[1]) // of a branch: the key
		if p.flags == pageLeaf {
			pos, data = e[1], int64(e[2])+int64(e[3])
		}
		if int64(at)+int64(pos) != used || used+data > size {
			return page{}, 0, fmt.Errorf("element %d of %d is out of place", i, count)
		}
		used += data
		p.elements = append(p.elements, e)
	}
	return p, used, nil
}

// tree checks a bucket's tree, level by level: every branch, and of the leaves
// the last one, which the next commit rewrites.
func (c *pageCheck) tree(id uint64) error {
	if err := c.visit(id); err != nil {
		return err
	}
	level := []uint64{id}
	for range maxDepth {
		last, err := c.read(level[len(level)-1])
		if err != nil {
			return err
		}
		if last.flags == pageLeaf {
			for _, id := range level[:len(level)-1] {
				if !c.leaves {
					break
				}
				if p, err := c.read(id); err != nil || p.flags != pageLeaf {
					return errors.Join(fmt.Errorf("page %d is no sound leaf", id), err)
				}
			}
			return c.buckets(last)
		}
		var next []uint64
		for _, id := range level {
			p, err := c.read(id)
			if err != nil {
				return err
			}
			if p.flags != pageBranch || len(p.elements) == 0 {
				return fmt.Errorf("page %d is no branch, others of its level are", id)
			}
			for i := range p.elements {
				child := binary.NativeEndian.Uint64(p.bytes[pageHeader+i*pageElement+8:])
				if err := c.visit(child); err != nil {
					return fmt.Errorf("page %d: %w", id, err)
				}
				next = append(next, child)
			}
		}
		level = next
	}
	return fmt.Errorf("page %d: %w", id, errLoop)
}

// buckets checks the trees of the buckets that a leaf holds, if it holds any.
func (c *pageCheck) buckets(p page) error {
	at := pageHeader + len(p.elements)*pageElement
	for _, e := range p.elements {
		value := at + int(e[2])
		at = value + int(e[3])
		if e[0]&leafIsBucket == 0 {
			continue
		}
		if at > len(p.bytes) || at-value < 16 {
			return errInPlace
		}
		if id := binary.NativeEndian.Uint64(p.bytes[value:]); id != 0 {
			if err := c.tree(id); err != nil {
				return err
			}
			continue
		}
		inline := p.bytes[value+16 : at]
		if len(inline) < pageHeader {
			return errInPlace
		}
		if q, _, err := parsePage(inline, int64(len(inline))); err != nil || q.flags != pageLeaf {
			return fmt.Errorf("%w: %w", errInPlace, errors.Join(errPage, err))
		}
	}
	return nil
}

// freelist checks that no page is listed as free that is in use, as far as the
// branches tell.
func (c *pageCheck) freelist() error {
	id := c.root.freelist
	if err := c.visit(id); err != nil {
		return err
	}
	p, err := c.read(id)
	if err != nil {
		return err
	}
	if p.flags != pageFreelist {
		return fmt.Errorf("page %d is not the list of free pages", id)
	}
	b := make([]byte, (int64(p.overflow)+1)*segmentPageSize-pageHeader)
	if _, err := c.file.ReadAt(b, int64(id)*segmentPageSize+pageHeader); err != nil {
		return err
	}
	count := uint64(binary.NativeEndian.Uint16(p.bytes[10:]))
	if count == 0xFFFF { // more than fit the field: the first entry is the count
		count, b = binary.NativeEndian.Uint64(b), b[8:]
	}
	if count > uint64(len(b)/8) {
		return fmt.Errorf("%d free pages in a list of %d bytes", count, len(b))
	}
	before := uint64(1)
	for i := range count {
		free := binary.NativeEndian.Uint64(b[8*i:])
		if free <= before || free >= c.root.pages || c.seen[free] {
			return fmt.Errorf("page %d cannot be free", free)
		}
		before = free
	}
	return nil
}
