package logtest

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"bindery/eventlog"

	bolt "go.etcd.io/bbolt"
)

// The log that Build makes: Blocks blocks of BlockRecords records each. The
// first record of block LargeBlock has an object in the side bucket.
const (
	Blocks       = 10
	BlockRecords = 3
	LargeBlock   = 5
)

// Build fills a new log directory and returns its records.
func Build(t testing.TB, dir string) []eventlog.Record {
	t.Helper()
	s, err := eventlog.Open(dir, eventlog.Options{
		ClusterName: "damaged", ClusterUID: "6f0c1c6e-0000-4000-8000-000000000001",
		Now: func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) },
	})
	if err != nil {
		t.Fatal(err)
	}
	var records []eventlog.Record
	for n := range Blocks {
		drafts := make([]eventlog.Draft, BlockRecords)
		for i := range drafts {
			drafts[i] = draft(n*BlockRecords + i)
			drafts[i].Fact = noise(n*BlockRecords+i, 300) // so that the blocks fill a page
		}
		if n == LargeBlock-1 {
			drafts[0].Object = noise(0, eventlog.MaxInlineObject+1)
		}
		records = append(records, mustAppend(t, s, drafts...)...)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return records
}

// noise is bytes that do not compress, the same for each seed.
func noise(seed, n int) []byte {
	b := make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8)}).Read(b)
	return b
}

// Where says which call tells of a damage.
type Where uint8

// The calls that tell.
const (
	ByOpen    Where = iota + 1 // Open refuses
	ByRecords                  // reading the records ends with the error
	ByVerify                   // only recomputing the hashes shows it
)

// Damage is one way in which a log directory that Build made can be damaged,
// or can be the wrong one.
type Damage struct {
	Name string
	// Do damages the closed log.
	Do func(t testing.TB, dir string)
	// Options are what the damaged log is opened with.
	Options eventlog.Options
	Where   Where
	// Is is a pointer to a value of the error type that must be found.
	Is error
	// First and Last are the seqs that the error must name.
	First, Last eventlog.Seq
	// Block is the block that it must name, where that is known.
	Block uint64
}

// Damages is the table of damages.
func Damages() []Damage {
	corrupt, version := &eventlog.CorruptError{}, &eventlog.UnsupportedVersionError{}
	block := func(n uint64) (first, last eventlog.Seq) { return seqs(n) }
	f4, l4 := block(4)
	f5, l5 := block(5)
	f10, _ := block(10)
	return []Damage{
		{Name: "torn tail", Do: truncate, Where: ByOpen, Is: corrupt},
		{Name: "torn last block", Do: tear(10), Where: ByOpen, Is: corrupt, First: f10},
		{Name: "flipped byte in a header", Do: flip(4, 9), Where: ByRecords, Is: corrupt, First: f4, Last: l4},
		{Name: "flipped version in a header", Do: flip(4, 0), Where: ByRecords, Is: corrupt, First: f4, Last: l4},
		{Name: "flipped byte in a header's checksum", Do: flip(4, 114), Where: ByRecords, Is: corrupt, First: f4, Last: l4},
		{Name: "flipped byte in a frame's checksum", Do: flip(4, 41), Where: ByRecords, Is: corrupt, First: f4, Last: l4},
		{Name: "flipped byte in a facts frame", Do: flip(4, 120), Where: ByRecords, Is: corrupt, First: f4, Last: l4, Block: 4},
		{Name: "flipped byte in an objects frame", Do: flip(4, -1), Where: ByRecords, Is: corrupt, First: f4, Last: l4, Block: 4},
		{Name: "flipped byte in a large object", Do: flipLarge, Where: ByRecords, Is: corrupt, First: f5, Last: l5, Block: 5},
		{Name: "removed large object", Do: edit(removeLarge), Where: ByRecords, Is: corrupt, First: f5, Last: l5, Block: 5},
		{Name: "flipped byte in the first root page", Do: flipAt(16 + 20), Where: ByOpen, Is: corrupt},
		{Name: "flipped byte in the second root page", Do: flipAt(16<<10 + 16 + 50), Where: ByOpen, Is: corrupt},
		{Name: "flipped type of the blocks' page", Do: flipPage(8), Where: ByOpen, Is: corrupt, First: 1},
		{Name: "flipped number of blocks on a page", Do: flipPage(10), Where: ByOpen, Is: corrupt},
		{Name: "flipped offset of a block on a page", Do: flipPage(16 + 4*16 + 4), Where: ByOpen, Is: corrupt, First: f5, Last: l5},
		{Name: "flipped segment secret", Do: flipMeta(20), Where: ByOpen, Is: corrupt, First: 1},
		{Name: "swapped blocks", Do: edit(swap(4, 7)), Where: ByRecords, Is: corrupt, First: f4, Last: l4},
		{Name: "removed block", Do: edit(remove(4)), Where: ByRecords, Is: &eventlog.GapError{}, First: f4, Last: l4},
		{Name: "removed last block", Do: edit(remove(10)), Where: ByOpen, Is: corrupt, First: f10},
		{Name: "block that goes on from another", Do: edit(reseal(4, 48, 0xff)), Where: ByRecords, Is: &eventlog.ForkError{}, First: f4, Last: l4, Block: 4},
		{Name: "altered record with right checksums", Do: edit(alter(4)), Where: ByVerify, Is: corrupt, First: f4, Last: l4, Block: 4},
		{Name: "block of an older version", Do: edit(reseal(4, 0, 1)), Where: ByRecords, Is: version, First: f4},
		{Name: "block of a newer version", Do: edit(reseal(4, 0, 3)), Where: ByRecords, Is: version, First: f4},
		{Name: "segment of a newer version", Do: edit(newerSegment), Where: ByOpen, Is: version},
		{Name: "manifest of an older version", Do: manifest(`"version": 1`, `"version": 0`), Where: ByOpen, Is: version},
		{Name: "manifest of a newer version", Do: manifest(`"version": 1`, `"version": 9`), Where: ByOpen, Is: version},
		{Name: "flipped byte in the manifest", Do: flipManifest, Where: ByOpen, Is: corrupt},
		{Name: "lost manifest", Do: removeFile("MANIFEST"), Where: ByOpen, Is: corrupt},
		{Name: "lost segment", Do: removeFile("segments/00000000000000000001.seg"), Where: ByOpen, Is: corrupt, First: 1},
		{Name: "segment of another log", Do: foreignSegment, Where: ByOpen, Is: corrupt, First: 1},
		{Name: "not a log", Do: notALog, Where: ByOpen, Is: &eventlog.NotALogError{}},
		{
			Name: "wrong cluster", Do: func(testing.TB, string) {}, Where: ByOpen, Is: &eventlog.WrongClusterError{},
			Options: eventlog.Options{ClusterUID: "6f0c1c6e-0000-4000-8000-000000000002"},
		},
		{
			Name: "wrong cluster name", Do: func(testing.TB, string) {}, Where: ByOpen, Is: &eventlog.WrongClusterError{},
			Options: eventlog.Options{ClusterName: "other"},
		},
	}
}

// RunDamage applies each damage of the table to a log of its own and checks
// what the store says. base is a directory to work in.
func RunDamage(t *testing.T, base string, open Open) {
	for _, d := range Damages() {
		t.Run(d.Name, func(t *testing.T) {
			dir := filepath.Join(base, t.Name())
			records := Build(t, dir)
			d.Do(t, dir)
			where, err := d.find(t, open, dir, records)
			if where != d.Where {
				t.Fatalf("found by %d, want %d: %v", where, d.Where, err)
			}
			t.Log(err)
			d.check(t, err)
		})
	}
}

// find opens, reads and verifies until something tells of damage. What is read
// before that must be right.
func (d *Damage) find(t testing.TB, open Open, dir string, want []eventlog.Record) (Where, error) {
	l, err := open(t, dir, d.Options)
	if err != nil {
		return ByOpen, err
	}
	defer l.Close()
	for r, err := range l.Records(0, 0) {
		if err != nil {
			return ByRecords, err
		}
		if d.Where != ByVerify && !reflect.DeepEqual(r, want[r.Seq-1]) {
			t.Errorf("seq %d is silently wrong", r.Seq)
		}
	}
	report, err := l.(verifier).Verify(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return ByVerify, report.Err()
}

func (d *Damage) check(t testing.TB, err error) {
	t.Helper()
	target := reflect.New(reflect.TypeOf(d.Is))
	if !errors.As(err, target.Interface()) {
		t.Fatalf("want a %T: %v", d.Is, err)
	}
	v := target.Elem().Elem()
	for name, want := range map[string]uint64{"First": uint64(d.First), "Last": uint64(d.Last), "Block": d.Block} {
		if f := v.FieldByName(name); f.IsValid() && want != 0 && f.Uint() != want {
			t.Errorf("%s is %d, want %d: %v", name, f.Uint(), want, err)
		}
	}
}

func seqs(block uint64) (first, last eventlog.Seq) {
	return eventlog.Seq((block-1)*BlockRecords + 1), eventlog.Seq(block * BlockRecords)
}

// Segment is the path of the only segment file of a log that Build made.
func Segment(dir string) string {
	return filepath.Join(dir, "segments", "00000000000000000001.seg")
}

func key(seq eventlog.Seq) []byte { return binary.BigEndian.AppendUint64(nil, uint64(seq)) }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// edit changes the file through bbolt: damage that leaves its pages sound.
func edit(change func(testing.TB, *bolt.Tx) error) func(testing.TB, string) {
	return func(t testing.TB, dir string) {
		db, err := bolt.Open(Segment(dir), 0o600, &bolt.Options{Timeout: time.Second})
		must(t, err)
		must(t, db.Update(func(tx *bolt.Tx) error { return change(t, tx) }))
		must(t, db.Close())
	}
}

func remove(block uint64) func(testing.TB, *bolt.Tx) error {
	return func(_ testing.TB, tx *bolt.Tx) error {
		first, _ := seqs(block)
		return tx.Bucket([]byte("blocks")).Delete(key(first))
	}
}

func swap(a, b uint64) func(testing.TB, *bolt.Tx) error {
	return func(_ testing.TB, tx *bolt.Tx) error {
		blocks := tx.Bucket([]byte("blocks"))
		first, _ := seqs(a)
		second, _ := seqs(b)
		x := append([]byte(nil), blocks.Get(key(first))...)
		y := append([]byte(nil), blocks.Get(key(second))...)
		return errors.Join(blocks.Put(key(first), y), blocks.Put(key(second), x))
	}
}

// reseal changes a byte of a block's header and makes its checksum right again.
func reseal(block uint64, at int, xor byte) func(testing.TB, *bolt.Tx) error {
	return func(_ testing.TB, tx *bolt.Tx) error {
		blocks := tx.Bucket([]byte("blocks"))
		first, _ := seqs(block)
		v := append([]byte(nil), blocks.Get(key(first))...)
		v[at] ^= xor
		size := binary.BigEndian.Uint16(v[2:])
		binary.BigEndian.PutUint32(v[size-4:], crc32.Checksum(v[:size-4], castagnoli))
		return blocks.Put(key(first), v)
	}
}

// alter changes a fact inside a block and makes all checksums right again: no
// accident does that.
func alter(block uint64) func(testing.TB, *bolt.Tx) error {
	return func(t testing.TB, tx *bolt.Tx) error {
		blocks := tx.Bucket([]byte("blocks"))
		first, _ := seqs(block)
		v := append([]byte(nil), blocks.Get(key(first))...)
		at := bytes.Index(v, noise(int(first-1), 300)[100:200])
		if at < 0 {
			t.Fatal("the fact does not stand in its block as it is")
		}
		v[at] ^= 0xff
		size := uint32(binary.BigEndian.Uint16(v[2:]))
		facts := v[size : size+binary.BigEndian.Uint32(v[28:])]
		binary.BigEndian.PutUint32(v[40:], crc32.Checksum(facts, castagnoli))
		binary.BigEndian.PutUint32(v[size-4:], crc32.Checksum(v[:size-4], castagnoli))
		return blocks.Put(key(first), v)
	}
}

func newerSegment(_ testing.TB, tx *bolt.Tx) error {
	meta := tx.Bucket([]byte("meta"))
	v := append([]byte(nil), meta.Get([]byte("segment"))...)
	v[0]++
	n := len(v) - 4
	binary.BigEndian.PutUint32(v[n:], crc32.Checksum(v[:n], castagnoli))
	return meta.Put([]byte("segment"), v)
}

func removeLarge(_ testing.TB, tx *bolt.Tx) error {
	first, _ := seqs(LargeBlock)
	return tx.Bucket([]byte("large")).Delete(key(first))
}
