package logtest

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bindery/eventlog"

	bolt "go.etcd.io/bbolt"
)

// This file damages bytes where they lie in the file, as bit rot does.

// flipAt flips a bit of one byte of the segment file.
func flipAt(at int64) func(testing.TB, string) {
	return func(t testing.TB, dir string) { Flip(t, Segment(dir), at, 0x10) }
}

// Flip changes bits of one byte of a file.
func Flip(t testing.TB, path string, at int64, xor byte) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	must(t, err)
	b := make([]byte, 1)
	_, err = f.ReadAt(b, at)
	must(t, err)
	b[0] ^= xor
	_, err = f.WriteAt(b, at)
	must(t, err)
	must(t, f.Close())
}

// flipValue flips bits of one byte of a stored value; at -1 is its last one.
// Free pages may hold older copies of the same bytes: all are flipped.
func flipValue(t testing.TB, dir, bucket string, k []byte, at int) {
	t.Helper()
	changeValue(t, dir, bucket, k, func(v []byte) { v[(at+len(v))%len(v)] ^= 0x04 })
}

func changeValue(t testing.TB, dir, bucket string, k []byte, change func([]byte)) {
	t.Helper()
	before := inspect(t, dir, func(tx *bolt.Tx) []byte { return bytes.Clone(tx.Bucket([]byte(bucket)).Get(k)) })
	after := bytes.Clone(before)
	change(after)
	file, err := os.ReadFile(Segment(dir))
	must(t, err)
	if len(before) == 0 || !bytes.Contains(file, before) {
		t.Fatalf("no value of key %x of bucket %s in the file", k, bucket)
	}
	must(t, os.WriteFile(Segment(dir), bytes.ReplaceAll(file, before, after), 0o600))
}

func inspect[T any](t testing.TB, dir string, look func(*bolt.Tx) T) (out T) {
	t.Helper()
	db, err := bolt.Open(Segment(dir), 0o600, &bolt.Options{ReadOnly: true, PreLoadFreelist: true, Timeout: time.Second})
	must(t, err)
	must(t, db.View(func(tx *bolt.Tx) error { out = look(tx); return nil }))
	must(t, db.Close())
	return out
}

func flip(block uint64, at int) func(testing.TB, string) {
	return func(t testing.TB, dir string) {
		first, _ := seqs(block)
		flipValue(t, dir, "blocks", key(first), at)
	}
}

// FlipBlock flips a byte in the facts of the block that begins with a seq: a
// damage that Open does not meet unless it is the last block, and a read does.
func FlipBlock(t testing.TB, dir string, first eventlog.Seq) {
	t.Helper()
	flipValue(t, dir, "blocks", key(first), 120)
}

func flipLarge(t testing.TB, dir string) {
	first, _ := seqs(LargeBlock)
	flipValue(t, dir, "large", key(first), -1)
}

func flipMeta(at int) func(testing.TB, string) {
	return func(t testing.TB, dir string) { flipValue(t, dir, "meta", []byte("segment"), at) }
}

// flipPage flips a byte of the bbolt page that all blocks stand on.
func flipPage(at int64) func(testing.TB, string) {
	return func(t testing.TB, dir string) {
		page := inspect(t, dir, func(tx *bolt.Tx) int64 {
			root := int64(tx.Bucket([]byte("blocks")).RootPage())
			if info, err := tx.Page(int(root)); root == 0 || err != nil || info.Type != "leaf" {
				t.Fatalf("the blocks do not stand on one page of their own: %d, %+v, %v", root, info, err)
			}
			return root
		})
		Flip(t, Segment(dir), page*(16<<10)+at, 0x04)
	}
}

// tear leaves of a block only its first half, as a write cut short does.
func tear(block uint64) func(testing.TB, string) {
	return func(t testing.TB, dir string) {
		first, _ := seqs(block)
		changeValue(t, dir, "blocks", key(first), func(v []byte) { clear(v[len(v)/2:]) })
	}
}

func truncate(t testing.TB, dir string) {
	used := inspect(t, dir, func(tx *bolt.Tx) int64 { return tx.Size() })
	must(t, os.Truncate(Segment(dir), used-1))
}

// manifest replaces text in the manifest and makes its checksum right again.
func manifest(from, to string) func(testing.TB, string) {
	return func(t testing.TB, dir string) {
		path := filepath.Join(dir, "MANIFEST")
		b, err := os.ReadFile(path)
		must(t, err)
		body, _, _ := bytes.Cut(b, []byte("crc32c "))
		changed := []byte(strings.Replace(string(body), from, to, 1))
		if bytes.Equal(changed, body) {
			t.Fatalf("no %s in %s", from, b)
		}
		changed = fmt.Appendf(changed, "crc32c %08x\n", crc32.Checksum(changed, castagnoli))
		must(t, os.WriteFile(path, changed, 0o600))
	}
}

func flipManifest(t testing.TB, dir string) {
	b, err := os.ReadFile(filepath.Join(dir, "MANIFEST"))
	must(t, err)
	Flip(t, filepath.Join(dir, "MANIFEST"), int64(bytes.Index(b, []byte("damaged"))), 0x01)
}

func removeFile(name string) func(testing.TB, string) {
	return func(t testing.TB, dir string) { must(t, os.Remove(filepath.Join(dir, name))) }
}

func foreignSegment(t testing.TB, dir string) {
	other := filepath.Join(dir, "other")
	Build(t, other)
	must(t, os.Rename(Segment(other), Segment(dir)))
	must(t, os.RemoveAll(other))
}

func notALog(t testing.TB, dir string) {
	must(t, os.RemoveAll(dir))
	must(t, os.MkdirAll(dir, 0o700))
	must(t, os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("not a log"), 0o600))
}
