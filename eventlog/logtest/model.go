package logtest

import (
	"context"
	"fmt"
	"testing"

	"bindery/eventlog"

	"pgregory.net/rapid"
)

// testModel walks at random: submits, appends, reads, reopens, and compares
// each answer with a slice of records.
func testModel(t *testing.T, open Open) {
	runs := 0
	rapid.Check(t, func(r *rapid.T) {
		runs++
		dir := fmt.Sprintf("%s/%d", t.TempDir(), runs)
		l, err := open(t, dir, eventlog.Options{})
		if err != nil {
			r.Fatal(err)
		}
		defer func() { _ = l.Close() }()
		var model []eventlog.Record
		ctx := context.Background()
		steps := rapid.IntRange(1, 12).Draw(r, "steps")
		for range steps {
			head := eventlog.Seq(len(model))
			switch op := rapid.SampledFrom([]string{"submit", "append", "records", "read", "reopen"}).Draw(r, "op"); op {
			case "submit", "append":
				drafts := rapid.SliceOfN(genDraft(head), 1, 20).Draw(r, "drafts")
				do := l.Submit
				if op == "append" {
					do = l.Append
				}
				records, err := do(ctx, drafts...)
				if err != nil {
					r.Fatal(err)
				}
				model = append(model, records...)
			case "records":
				if err := l.Wait(ctx, head); err != nil {
					r.Fatal(err)
				}
				first := rapid.Uint64Range(1, uint64(head)+1).Draw(r, "first")
				same(t, "records", collect(t, l, eventlog.Seq(first), 0), model[first-1:])
			case "read":
				if head == 0 {
					continue
				}
				if err := l.Wait(ctx, head); err != nil {
					r.Fatal(err)
				}
				seq := rapid.Uint64Range(1, uint64(head)).Draw(r, "seq")
				got, err := l.Read(eventlog.Seq(seq))
				if err != nil {
					r.Fatal(err)
				}
				same(t, "read", []eventlog.Record{got}, model[seq-1:seq])
			case "reopen":
				if err := l.Close(); err != nil {
					r.Fatal(err)
				}
				if l, err = open(t, dir, eventlog.Options{}); err != nil {
					r.Fatal(err)
				}
			}
			if l.Head() != eventlog.Seq(len(model)) {
				r.Fatalf("head %d, want %d", l.Head(), len(model))
			}
		}
		if err := l.Wait(ctx, l.Head()); err != nil {
			r.Fatal(err)
		}
		same(t, "at the end", collect(t, l, 0, 0), model)
		verify(t, l)
	})
}

func genDraft(head eventlog.Seq) *rapid.Generator[eventlog.Draft] {
	return rapid.Custom(func(r *rapid.T) eventlog.Draft {
		d := eventlog.Draft{
			Kind:    eventlog.Kind(rapid.IntRange(1, 255).Draw(r, "kind")),
			Version: rapid.Byte().Draw(r, "version"),
			Subject: eventlog.Subject{
				Resource:  eventlog.Resource(rapid.IntRange(0, 255).Draw(r, "resource")),
				Namespace: rapid.StringN(0, 20, 60).Draw(r, "namespace"),
				Name:      rapid.StringN(0, 20, 60).Draw(r, "name"),
			},
			Fact:   rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(r, "fact"),
			Object: rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(r, "object"),
		}
		copy(d.Subject.UID[:], rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(r, "uid"))
		if head > 0 {
			for _, c := range rapid.SliceOfN(rapid.Uint64Range(1, uint64(head)), 0, 4).Draw(r, "cause") {
				d.Cause = append(d.Cause, eventlog.Seq(c))
			}
		}
		return d
	})
}
