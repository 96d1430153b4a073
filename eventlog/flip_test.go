package eventlog_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"bindery/eventlog"
	"bindery/eventlog/logtest"

	"pgregory.net/rapid"
)

// flips flips single bits of a live segment file. Whatever the log then still
// tells must be what was written, and what it does not tell it must name: no
// crash, nothing silently wrong, nothing silently missing.
type flips struct {
	dir         string
	file        []byte
	want        []eventlog.Record
	tried, told int
}

func newFlips(t *testing.T) *flips {
	t.Helper()
	f := &flips{dir: filepath.Join(quickDir(t), "log")}
	f.want = logtest.Build(t, f.dir)
	var err error
	if f.file, err = os.ReadFile(logtest.Segment(f.dir)); err != nil {
		t.Fatal(err)
	}
	// The file is longer than what it holds; keep the pages in use.
	const page = 16 << 10
	used := len(bytes.TrimRight(f.file, "\x00"))
	f.file = f.file[:(used/page+2)*page]
	return f
}

func (f *flips) flip(t fataler, at int, bit int) {
	f.file[at] ^= 1 << bit
	defer func() { f.file[at] ^= 1 << bit }()
	// A new file each time: a panic inside bbolt may leave the old one's lock.
	if err := os.Remove(logtest.Segment(f.dir)); err != nil {
		t.Fatalf("%v", err)
	}
	if err := os.WriteFile(logtest.Segment(f.dir), f.file, 0o600); err != nil {
		t.Fatalf("%v", err)
	}
	f.tried++
	if damage := readFlipped(t, f.dir, at, f.want); damage != nil {
		f.told++
	}
	// Going on to write must not lose silently what a flip hid.
	writeFlipped(t, f.dir, at, f.want)
}

type fataler interface {
	Fatalf(format string, args ...any)
	Errorf(format string, args ...any)
}

// TestFlipEveryNth meets all of the file.
func TestFlipEveryNth(t *testing.T) {
	f := newFlips(t)
	for at := 0; at < len(f.file); at += 2003 { // a prime, so that it meets all kinds of bytes
		f.flip(t, at, at%8)
	}
	t.Logf("%d flips, %d told of; the others hit bytes that hold nothing", f.tried, f.told)
	if f.told < f.tried/2 {
		t.Errorf("only %d of %d flips were found", f.told, f.tried)
	}
}

// TestFlipStructure draws its flips from the bytes that bbolt and the headers
// of blocks are made of.
func TestFlipStructure(t *testing.T) {
	f := newFlips(t)
	rapid.Check(t, func(r *rapid.T) {
		page := rapid.IntRange(0, len(f.file)/(16<<10)-1).Draw(r, "page")
		at := rapid.IntRange(0, 1<<9).Draw(r, "offset")
		f.flip(r, page*(16<<10)+at, rapid.IntRange(0, 7).Draw(r, "bit"))
	})
	t.Logf("%d flips, %d told of", f.tried, f.told)
}

// readFlipped reads a damaged log in each way there is and returns what it was
// told of the damage.
func readFlipped(t fataler, dir string, at int, want []eventlog.Record) error {
	s, err := eventlog.OpenReadOnly(dir, eventlog.Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	var damage []error
	got := 0
	for r, err := range s.Records(0, 0) {
		if err != nil {
			damage = append(damage, err)
			continue
		}
		got++
		if !reflect.DeepEqual(r, want[r.Seq-1]) {
			t.Errorf("byte %d flipped: seq %d is silently wrong", at, r.Seq)
		}
	}
	if got < len(want) && len(damage) == 0 {
		t.Errorf("byte %d flipped: %d of %d records, and no error", at, got, len(want))
	}
	missing := len(want)
	for r, err := range s.RecordsLenient(0, 0) {
		if err != nil {
			continue
		}
		missing--
		if !reflect.DeepEqual(r, want[r.Seq-1]) {
			t.Errorf("byte %d flipped: seq %d is silently wrong, read leniently", at, r.Seq)
		}
	}
	report, err := s.Verify(context.Background(), nil)
	if err != nil {
		t.Errorf("byte %d flipped: verify: %v", at, err)
		return err
	}
	if len(damage) > 0 && report.OK() || missing > 0 && report.OK() {
		t.Errorf("byte %d flipped: verify found nothing, reading said %v", at, damage)
	}
	for _, r := range want {
		got, err := s.Read(r.Seq)
		if err == nil && !reflect.DeepEqual(got, r) {
			t.Errorf("byte %d flipped: seq %d is silently wrong, read alone", at, r.Seq)
		}
		if err != nil && report.OK() {
			t.Errorf("byte %d flipped: read %d: %v, but verify found nothing", at, r.Seq, err)
		}
	}
	return report.Err()
}

func writeFlipped(t fataler, dir string, at int, want []eventlog.Record) {
	s, err := eventlog.Open(dir, eventlog.Options{})
	if err != nil {
		return
	}
	added, err := s.Append(context.Background(), eventlog.Draft{Kind: eventlog.KindNoted})
	if closeErr := s.Close(); err == nil && closeErr != nil {
		err = closeErr
	}
	if err != nil {
		if !errors.Is(err, eventlog.ErrFailed) {
			t.Errorf("byte %d flipped: append: %v", at, err)
		}
		return
	}
	readFlipped(t, dir, at, append(want[:len(want):len(want)], added...))
}
