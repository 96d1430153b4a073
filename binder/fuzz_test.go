package binder_test

import (
	"testing"

	"bindery/binder"
	"bindery/eventlog"
	"bindery/projector"
	"bindery/projector/fact"
)

// fuzzNames are the few names that fuzzed records speak of, so that they meet.
var fuzzNames = []string{"a", "b", "c", ""}

// framed writes records as fuzz input: four bytes for kind, resource, name and
// UID, two for the length of the fact, and the fact.
func framed(records []eventlog.Record) []byte {
	var b []byte
	for _, r := range records {
		name := 0
		for i, n := range fuzzNames {
			if n == r.Subject.Name {
				name = i
			}
		}
		b = append(b, byte(r.Kind), byte(r.Subject.Resource), byte(name), byte(name), byte(len(r.Fact)>>8), byte(len(r.Fact)))
		b = append(b, r.Fact...)
	}
	return b
}

// unframed folds fuzz input into a state; what is cut off or refused is left
// out, as it would be on reading a log.
func unframed(b []byte) *projector.State {
	s := projector.New()
	for seq := eventlog.Seq(1); len(b) >= 6; seq++ {
		n := min(int(b[4])<<8|int(b[5]), len(b)-6)
		name := fuzzNames[int(b[2])%len(fuzzNames)]
		kind, uid := "u-", fuzzNames[int(b[3])%len(fuzzNames)]
		subject := eventlog.Subject{Resource: eventlog.Resource(b[1]), Name: name}
		switch subject.Resource {
		case eventlog.ResourceClaim, eventlog.ResourcePod:
			subject.Namespace = "default"
		case eventlog.ResourceVolume:
			kind = "volume-"
		}
		subject.UID = fact.ParseUID(kind + uid)
		_, _ = s.Apply(eventlog.Record{Seq: seq, Kind: eventlog.Kind(b[0]), Version: 1, Subject: subject, Fact: b[6 : 6+n]})
		b = b[6+n:]
	}
	return s
}

// FuzzDecide: whatever the facts say, every subject is decided, planned and
// explained without a panic, and twice the same.
func FuzzDecide(f *testing.F) {
	for _, lines := range [][]string{
		{"volume a", "claim a"},
		{"volume a ref=default/a", "volume b size=10Gi modes=RWX", "claim a size=500M selector=tier=slow", "pod c claims=a"},
		{"class c mode=WaitForFirstConsumer default", "volume a class=c ref=default/a#u-a", "claim a class=c selected-node=n1"},
		{"volume a", "claim a completed volume=a phase=Bound", "claim b volume=a"},
		{"volume a ref=default/b#u-b phase=Bound", "claim a completed volume=a phase=Bound capacity=1Gi status-modes=RWO"},
		{"volume a provisioned-by=kubernetes.io/gce-pd vac=c mode=Block", "claim a provisioner=kubernetes.io/aws-ebs deleting"},
	} {
		w := newWorld(f)
		w.start("bind")
		for _, line := range lines {
			w.say(line)
		}
		w.list(watched...)
		w.intend(projector.ClaimID("default", "a"))
		f.Add(framed(w.records))
		w.decide(projector.VolumeID("a"))
		f.Add(framed(w.records))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		v := unframed(b).View()
		if got, want := judged(v), judged(v); got != want {
			t.Errorf("judged twice, got %s, want %s", got, want)
		}
		for _, name := range fuzzNames {
			for _, id := range []projector.ID{projector.ClaimID("default", name), projector.VolumeID(name), {Resource: eventlog.ResourceNode, Name: name}} {
				d := binder.Decide(v.Fresh(), id)
				if d.Outcome == fact.OutcomeUnknown || d.Rule == "" || binder.RuleDoc(d.Rule) == "" {
					t.Errorf("decide %s: got outcome %s, rule %q", id, d.Outcome, d.Rule)
				}
				if steps := binder.Plan(v.Fresh(), id, d); len(steps) > 0 != (d.Outcome == fact.OutcomeAct) {
					t.Errorf("decide %s: %s with %d steps", id, d.Outcome, len(steps))
				}
				if e := binder.Explain(v.Fresh(), id); e.Sentence == "" || e.State == "" {
					t.Errorf("explain %s: got %+v", id, e)
				}
			}
		}
	})
}
