package eventlog_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"bindery/eventlog"
	"bindery/eventlog/logtest"
)

// TestFlips flips one bit at a time, all over a live segment file. Whatever
// the log then still tells must be what was written, and what it does not tell
// it must name: no crash, nothing silently wrong, nothing silently missing.
func TestFlips(t *testing.T) {
	dir := filepath.Join(quickDir(t), "log")
	want := logtest.Build(t, dir)
	file, err := os.ReadFile(logtest.Segment(dir))
	if err != nil {
		t.Fatal(err)
	}
	step := 97 // prime, so that each kind of byte is met
	if testing.Short() {
		step = 997
	}
	var flips, told int
	for at := 0; at < len(file); at += step {
		file[at] ^= 1 << (at % 8)
		// A new file each time: a panic inside bbolt may leave the old one's
		// lock behind.
		if err := os.Remove(logtest.Segment(dir)); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(logtest.Segment(dir), file, 0o600); err != nil {
			t.Fatal(err)
		}
		if damage := readFlipped(t, dir, at, want); damage != nil {
			told++
		}
		// Going on to write must not lose silently what a flip hid.
		writeFlipped(t, dir, at, want)
		file[at] ^= 1 << (at % 8)
		flips++
	}
	t.Logf("%d flips, %d told of; the others hit bytes that hold nothing", flips, told)
	if told < flips/20 {
		t.Errorf("only %d of %d flips were found", told, flips)
	}
}

// readFlipped reads a damaged log in each way there is and returns what it was
// told of the damage.
func readFlipped(t *testing.T, dir string, at int, want []eventlog.Record) error {
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

func writeFlipped(t *testing.T, dir string, at int, want []eventlog.Record) {
	s, err := eventlog.Open(dir, eventlog.Options{})
	if err != nil {
		return
	}
	_, err = s.Append(context.Background(), eventlog.Draft{Kind: eventlog.KindNoted})
	if closeErr := s.Close(); err == nil && closeErr != nil {
		err = closeErr
	}
	if err != nil {
		if !errors.Is(err, eventlog.ErrFailed) {
			t.Errorf("byte %d flipped: append: %v", at, err)
		}
		return
	}
	readFlipped(t, dir, at, append(want[:len(want):len(want)], eventlog.Record{
		Seq: eventlog.Seq(len(want) + 1), Kind: eventlog.KindNoted, Version: 1,
	}))
}
