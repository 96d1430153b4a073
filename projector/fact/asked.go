package fact

import (
	"bindery/eventlog"

	"k8s.io/apimachinery/pkg/runtime"
)

// AskedDraft is the observation of an object that a decision asked to see, or
// with ask 0 that the answer to a write carried.
func AskedDraft(obj runtime.Object, source Source, verb Verb, ask eventlog.Seq) (eventlog.Draft, error) {
	d, err := ObservedDraft(obj, source, verb)
	if err != nil || ask == 0 {
		return d, err
	}
	seen, err := ParseObservation(d.Fact)
	if err != nil {
		return d, err
	}
	seen.Ask = uint64(ask)
	d.Fact = seen.Append(nil)
	d.Cause = []eventlog.Seq{ask}
	return d, nil
}

// NotFoundDraft is what a live read says that found no object of the
// subject's UID: found is the UID that lives under the name instead, "" when
// nothing does; ask is the decision that asked.
func NotFoundDraft(subject eventlog.Subject, found string, ask eventlog.Seq) eventlog.Draft {
	seen := Observation{Source: SourceLiveRead, Verb: VerbRead, FoundUID: found, Ask: uint64(ask)}
	d := eventlog.Draft{Kind: eventlog.KindNotFound, Subject: subject, Fact: seen.Append(nil)}
	if ask != 0 {
		d.Cause = []eventlog.Seq{ask}
	}
	return d
}
