package eventlog_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"bindery/eventlog"
	"bindery/eventlog/logtest"

	bolt "go.etcd.io/bbolt"
	"pgregory.net/rapid"
)

// TestFlipTree draws flips from the branches, the list of free pages and the
// page headers of a log whose blocks need a tree: what bbolt follows blindly.
func TestFlipTree(t *testing.T) {
	f := newFlips(t)
	s := mustOpen(t, f.dir, eventlog.Options{})
	for i := range 40 { // one block, one leaf
		r, err := s.Append(context.Background(), eventlog.Draft{Kind: eventlog.KindNoted, Fact: noise(i, 9000)})
		if err != nil {
			t.Fatal(err)
		}
		f.want = append(f.want, r...)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(logtest.Segment(f.dir))
	if err != nil {
		t.Fatal(err)
	}
	const page = 16 << 10
	used := len(bytes.TrimRight(file, "\x00"))
	f.file = file[:(used/page+2)*page]

	var places []int
	for at := 0; at < len(f.file); at += page {
		for i := range 16 { // every page's header
			places = append(places, at+i)
		}
		const branch, freelist = 0x01, 0x10
		flags, count := binary.NativeEndian.Uint16(f.file[at+8:]), int(binary.NativeEndian.Uint16(f.file[at+10:]))
		if flags == branch || flags == freelist {
			for i := range min(16*count, 1024) {
				places = append(places, at+16+i)
			}
		}
	}
	rapid.Check(t, func(r *rapid.T) {
		f.flip(r, rapid.SampledFrom(places).Draw(r, "at"), rapid.IntRange(0, 7).Draw(r, "bit"))
	})
	t.Logf("%d flips, %d told of", f.tried, f.told)
}

// TestLoop leads a branch back to itself, which bbolt would follow until the
// process dies.
func TestLoop(t *testing.T) {
	dir := filepath.Join(quickDir(t), "log")
	s := mustOpen(t, dir, eventlog.Options{})
	for i := range 10 {
		if _, err := s.Append(context.Background(), eventlog.Draft{Kind: eventlog.KindNoted, Fact: noise(i, 9000)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := bolt.Open(logtest.Segment(dir), 0o600, &bolt.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	var branch uint64
	if err := db.View(func(tx *bolt.Tx) error {
		branch = uint64(tx.Bucket([]byte("blocks")).RootPage())
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(logtest.Segment(dir), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	// The page that the branch's third element names.
	at := int64(branch)*(16<<10) + 16 + 2*16 + 8
	if _, err := f.WriteAt(binary.NativeEndian.AppendUint64(nil, branch), at); err != nil {
		t.Fatal(err)
	}
	for name, open := range map[string]func(string, eventlog.Options) (*eventlog.Store, error){
		"Open": eventlog.Open, "OpenReadOnly": eventlog.OpenReadOnly,
	} {
		if s, err := open(dir, eventlog.Options{}); err == nil {
			s.Close()
			t.Errorf("%s took a tree with a loop", name)
		} else {
			t.Log(err)
		}
	}
}
