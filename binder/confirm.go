package binder

import (
	"bindery/eventlog"
	"bindery/projector"
	"bindery/projector/fact"
)

// What is not seen is not gone: Lost and release rest on a live read that the
// decision itself asked for, newer than the last facts on both objects
// (design.md section 4).

// afterGap is the decision that waits for the list that closes a gap; false
// when nothing was missed.
func afterGap(v *projector.View) (fact.Decision, bool) {
	missing := v.Behind(eventlog.ResourceVolume, eventlog.ResourceClaim)
	return decision(fact.OutcomeDeciding, RuleGap, resourceNames(missing)), len(missing) > 0
}

// confirm asks for the live read that the rule rests on.
func confirm(rule string, read projector.ID, uid string) fact.Decision {
	d := decision(fact.OutcomeDeciding, RuleUnconfirmed, rule)
	d.Reads = []eventlog.Subject{{
		Resource: read.Resource, Namespace: read.Namespace, Name: read.Name, UID: fact.ParseUID(uid),
	}}
	return d
}

// confirmed is the answer to the read that the subject's last decision asked
// for under the rule, nil while there is none or when newer facts have come.
func confirmed(v *projector.View, subject projector.ID, rule string, read projector.ID, newest eventlog.Seq) *projector.LiveAnswer {
	asked := v.Decision(subject)
	answer := v.LiveRead(read)
	if asked == nil || asked.Rule != RuleUnconfirmed || asked.Detail != rule {
		return nil
	}
	if answer == nil || answer.Ask != asked.Seq || answer.Seq < newest {
		return nil
	}
	return answer
}
