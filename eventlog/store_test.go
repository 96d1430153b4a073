package eventlog_test

import (
	"context"
	"path/filepath"
	"testing"

	"bindery/eventlog"

	"github.com/google/go-cmp/cmp"
)

func TestSmoke(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "log")
	s, err := eventlog.Open(dir, eventlog.Options{ClusterName: "c"})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	var want []eventlog.Record
	for i := range 100 {
		r, err := s.Append(ctx,
			eventlog.Draft{Kind: eventlog.KindObserved, Subject: eventlog.Subject{Resource: 1, Name: "a", UID: eventlog.UID{1}}, Fact: []byte("fact"), Object: make([]byte, i*100)},
			eventlog.Draft{Kind: eventlog.KindDecided, Cause: []eventlog.Seq{s.Head() + 1}})
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, r...)
	}
	for range 2 {
		var got []eventlog.Record
		for r, err := range s.Records(0, 0) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, r)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Fatal(d)
		}
		r, err := s.Read(77)
		if err != nil || cmp.Diff(want[76], r) != "" {
			t.Fatal(err, r)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if s, err = eventlog.Open(dir, eventlog.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	s.Close()
}
