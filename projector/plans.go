package projector

import (
	"bindery/eventlog"
	"bindery/projector/fact"
)

// patience is how many conflicts in a row are answered at once; after these a
// subject backs off like any other that fails.
const patience = 3

// forClaim reports whether the plan serves a claim: then its volume is no
// longer on offer. A volume's own phase write leaves it on offer.
func (r *Reservation) forClaim() bool {
	return r.Owner.Resource == eventlog.ResourceClaim
}

// subjects are the objects that the plan makes busy, the owner first.
func (r *Reservation) subjects() []ID {
	ids := []ID{r.Owner}
next:
	for _, step := range r.Steps {
		id := idOf(step.Subject)
		for _, have := range ids {
			if have == id {
				continue next
			}
		}
		ids = append(ids, id)
	}
	return ids
}

// decision keeps the last judgement of each subject.
func (s *State) decision(r eventlog.Record) {
	d, err := fact.ParseDecision(r.Fact)
	if err != nil {
		return
	}
	id := idOf(r.Subject)
	uid, _ := s.uidOf(id)
	s.decided.Set(id.String(), &Recorded{Decision: d, Seq: r.Seq, UID: uid})
}

// intended reserves the plan's objects: nobody decides on them until its
// final result.
func (s *State) intended(r eventlog.Record, t *touch) {
	plan, err := fact.ParsePlan(r.Fact)
	if err != nil {
		return
	}
	reservation := &Reservation{Seq: r.Seq, Owner: idOf(r.Subject), Plan: plan}
	if d, ok := s.decided.Get(reservation.Owner.String()); ok && d.Seq == plan.Decision {
		reservation.Rule = d.Rule
	}
	s.plans.Set(r.Seq, reservation)
	for _, id := range reservation.subjects() {
		s.busy.Set(id.String(), reservation)
		s.rearrange(id, t)
	}
}

// rearrange follows a change of what makes an object busy.
func (s *State) rearrange(id ID, t *touch) {
	t.add(KeyOf(id))
	if id.Resource != eventlog.ResourceVolume {
		return
	}
	if v, ok := s.volumes.Get(id.Name); ok {
		s.place(v, t)
	}
}

// resulted counts a step of a plan, and with the final one frees its objects
// and starts or ends the owner's back-off.
func (s *State) resulted(r eventlog.Record, t *touch) {
	result, err := fact.ParseResult(r.Fact)
	if err != nil {
		return
	}
	old, ok := s.plans.Get(result.Plan)
	if !ok {
		return
	}
	if !result.Final && result.Step+1 < len(old.Steps) {
		next := *old // views hold the old one
		next.Done = result.Step + 1
		s.plans.Set(result.Plan, &next)
		for _, id := range next.subjects() {
			if have, ok := s.busy.Get(id.String()); ok && have.Seq == next.Seq {
				s.busy.Set(id.String(), &next)
			}
		}
		return
	}
	s.plans.Delete(result.Plan)
	for _, id := range old.subjects() {
		if have, ok := s.busy.Get(id.String()); ok && have.Seq == old.Seq {
			s.busy.Delete(id.String())
		}
		s.rearrange(id, t)
	}
	s.backOff(r, old.Owner, result, t)
}

// backOff keeps count of a subject's failures.
func (s *State) backOff(r eventlog.Record, owner ID, result fact.Result, t *touch) {
	at := owner.String()
	old, had := s.backoffs.Get(at)
	switch result.Kind {
	case fact.ResultApplied, fact.ResultAlreadyDone, fact.ResultInterrupted:
		if had {
			s.backoffs.Delete(at)
			t.add(KeyTimer(owner), KeyOf(owner))
		}
		return
	}
	next := Backoff{Attempts: old.value.Attempts + 1, Since: r.Time.UnixNano(), Seq: r.Seq, Last: result}
	next.Waiting = result.Kind == fact.ResultRetry || result.Kind == fact.ResultFailed || next.Attempts > patience
	s.backoffs.Set(at, held[Backoff]{owner, next})
	t.add(KeyTimer(owner), KeyOf(owner))
}

// fired ends a subject's waiting; its count stays until something succeeds.
func (s *State) fired(r eventlog.Record, t *touch) {
	id := idOf(r.Subject)
	if b, ok := s.backoffs.Get(id.String()); ok {
		b.value.Waiting = false
		s.backoffs.Set(id.String(), b)
	}
	t.add(KeyTimer(id))
}
