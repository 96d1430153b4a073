package binder

import (
	"strings"

	"bindery/eventlog"
	"bindery/projector"
	"bindery/projector/fact"
)

// maxWaitsFor bounds the wake keys that a decision carries.
const maxWaitsFor = 16

// Decide judges one subject. It is total: every input has an outcome.
func Decide(v *projector.View, id projector.ID) fact.Decision {
	d := decide(v, id)
	d.Basis = v.AsOf()
	d.RuleSet = RuleSet()
	if d.Outcome != fact.OutcomeSettled && d.Outcome != fact.OutcomeAct {
		for _, key := range v.Reads() {
			if len(d.WaitsFor) == maxWaitsFor {
				break
			}
			d.WaitsFor = append(d.WaitsFor, string(key))
		}
	}
	return d
}

func decide(v *projector.View, id projector.ID) fact.Decision {
	if missing := v.Ready(); len(missing) > 0 {
		return decision(fact.OutcomeDeciding, RuleNotSynced, resourceNames(missing))
	}
	if v.Busy(id) != nil {
		return decision(fact.OutcomeDeciding, RuleBusy, "")
	}
	if b := v.Backoff(id); b.Waiting {
		return decision(fact.OutcomeDeciding, RuleBackoff, b.Last.Kind.String()+": "+b.Last.Error)
	}
	switch id.Resource {
	case eventlog.ResourceClaim:
		if c := v.Claim(id.Namespace, id.Name); c != nil {
			return decideClaim(v, c)
		}
	case eventlog.ResourceVolume:
		if volume := v.Volume(id.Name); volume != nil {
			return decideVolume(v, volume)
		}
	}
	return decision(fact.OutcomeSettled, RuleGone, "")
}

func decision(outcome fact.Outcome, rule, detail string) fact.Decision {
	return fact.Decision{Outcome: outcome, Rule: rule, Detail: detail}
}

// about is a decision that concerns a volume.
func about(outcome fact.Outcome, rule string, volume *projector.Volume) fact.Decision {
	d := decision(outcome, rule, volume.Name)
	d.Winner = fact.Ref{Name: volume.Name, UID: volume.UID}
	return d
}

// resourceNames lists resources in words.
func resourceNames(list []eventlog.Resource) string {
	names := make([]string, len(list))
	for i, r := range list {
		names[i] = resourceName(r)
	}
	return strings.Join(names, ", ")
}

func resourceName(r eventlog.Resource) string {
	switch r {
	case eventlog.ResourceVolume:
		return "volumes"
	case eventlog.ResourceClaim:
		return "claims"
	case eventlog.ResourceClass:
		return "classes"
	case eventlog.ResourcePod:
		return "pods"
	case eventlog.ResourceNode:
		return "nodes"
	}
	return "others"
}
