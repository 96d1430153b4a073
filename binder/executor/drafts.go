package executor

import (
	"time"

	"bindery/eventlog"
	"bindery/projector"
	"bindery/projector/fact"
)

const (
	modeBind      = "bind"
	ruleBusy      = "busy"
	ruleNotSynced = "not-synced"
)

// Back-off between attempts on one subject: doubling, bounded. A watch event
// on what the decision read wakes it earlier only once the timer has fired.
const (
	backoffStart = time.Second
	backoffMax   = 5 * time.Minute
)

// delay is the pause after the given number of failed attempts.
func delay(attempts int) time.Duration {
	if attempts < 1 {
		attempts = 1
	}
	if attempts > 9 { // 1 s doubled eight times is 256 s
		return backoffMax
	}
	return backoffStart << (attempts - 1)
}

// draft builds a record of the executor's own kinds.
func draft(kind eventlog.Kind, subject eventlog.Subject, cause []eventlog.Seq, fact []byte) eventlog.Draft {
	return eventlog.Draft{Kind: kind, Subject: subject, Cause: cause, Fact: fact}
}

// subjectOf is the record subject of a decided subject.
func subjectOf(id projector.ID, uid string) eventlog.Subject {
	return eventlog.Subject{Resource: id.Resource, Namespace: id.Namespace, Name: id.Name, UID: fact.ParseUID(uid)}
}

// decidable is the ID of a record's subject, if it is of a kind that the
// binder decides on.
func decidable(s eventlog.Subject) (projector.ID, bool) {
	switch s.Resource {
	case eventlog.ResourceClaim, eventlog.ResourceVolume:
		return projector.ID{Resource: s.Resource, Namespace: s.Namespace, Name: s.Name}, true
	}
	return projector.ID{}, false
}

// subjectUID is the UID that lives under the subject's name.
func subjectUID(v *projector.View, id projector.ID) (string, bool) {
	if id.Resource == eventlog.ResourceClaim {
		if c := v.Claim(id.Namespace, id.Name); c != nil {
			return c.UID, true
		}
		return "", false
	}
	if volume := v.Volume(id.Name); volume != nil {
		return volume.UID, true
	}
	return "", false
}

// subjectSeq is the number of the last fact on the subject.
func subjectSeq(v *projector.View, id projector.ID) eventlog.Seq {
	if id.Resource == eventlog.ResourceClaim {
		if c := v.Claim(id.Namespace, id.Name); c != nil {
			return c.Seq
		}
	} else if volume := v.Volume(id.Name); volume != nil {
		return volume.Seq
	}
	return 0
}
