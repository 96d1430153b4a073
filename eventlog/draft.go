package eventlog

import (
	"fmt"
	"time"
)

// check refuses what no store may take.
func (d *Draft) check() error {
	switch {
	case d.Kind == KindUnknown:
		return fmt.Errorf("draft has no kind")
	case len(d.Fact) > MaxFact:
		return &LimitError{What: "fact", Size: len(d.Fact), Limit: MaxFact}
	case len(d.Object) > MaxObject:
		return &LimitError{What: "object", Size: len(d.Object), Limit: MaxObject}
	case len(d.Subject.Namespace) > MaxName:
		return &LimitError{What: "namespace", Size: len(d.Subject.Namespace), Limit: MaxName}
	case len(d.Subject.Name) > MaxName:
		return &LimitError{What: "name", Size: len(d.Subject.Name), Limit: MaxName}
	case len(d.Cause) > MaxCauses:
		return &LimitError{What: "cause list", Size: len(d.Cause), Limit: MaxCauses}
	}
	return nil
}

// numberer gives drafts their number and time. Its owner's lock guards it.
type numberer struct {
	head Seq
	last time.Time // recorded time of head
}

// number makes records of the drafts, all with one time: the clock's, or the
// last record's where the clock has gone back. Nothing is numbered when a
// cause is not an earlier record.
func (n *numberer) number(now time.Time, drafts []Draft) ([]Record, error) {
	clock := fromNanos(nanos(now))
	recorded := clock
	if recorded.Before(n.last) {
		recorded = n.last
	}
	records := make([]Record, len(drafts))
	for i := range drafts {
		d := &drafts[i]
		seq := n.head + Seq(i) + 1
		for _, c := range d.Cause {
			if c == 0 || c >= seq {
				return nil, fmt.Errorf("seq %d: cause %d is not an earlier record", seq, c)
			}
		}
		records[i] = Record{
			Seq:     seq,
			Kind:    d.Kind,
			Version: max(d.Version, 1),
			Time:    recorded,
			Clock:   clock,
			Subject: d.Subject,
			Fact:    some(d.Fact),
			Object:  some(d.Object),
		}
		if len(d.Cause) > 0 {
			records[i].Cause = d.Cause
		}
	}
	n.head += Seq(len(drafts))
	n.last = recorded
	return records, nil
}
