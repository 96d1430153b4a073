package api

import (
	"context"

	"bindery/binder"
	"bindery/eventlog"
	"bindery/projector"
	"bindery/projector/fact"
)

// Why tells why a claim or a volume is as it is. What stands now is explained
// from the newest view. Of a bound claim the contest is that of the decision
// that bound it, from exactly what that decision saw.
func (l *Local) Why(ctx context.Context, id projector.ID) (Why, error) {
	v, err := l.views.DurableView(ctx)
	if err != nil {
		return Why{}, err
	}
	now := binder.Explain(v, id)
	if now.UID == "" {
		return Why{}, absent(id, v)
	}
	story, err := l.story(ctx, id, now.UID, v.AsOf())
	if err != nil {
		return Why{}, err
	}
	why := Why{
		Meta: meta("Why", v), Subject: objectOf(id, now.UID),
		State: now.State, Sentence: now.Sentence, WaitsFor: now.WaitsFor,
		Contest: contestOf(now), Writes: story.writes,
	}
	decision := story.last
	if now.State == StateBound && story.chose != nil {
		decision = story.chose
		if why.Contest, err = l.contestAt(ctx, id, story.chose.basis); err != nil {
			return Why{}, err
		}
	}
	if decision != nil {
		why.Decision = &decision.Decision
	}
	return why, nil
}

// contestAt is the contest that a decision with that basis saw.
func (l *Local) contestAt(ctx context.Context, id projector.ID, basis eventlog.Seq) (*Contest, error) {
	if basis == 0 {
		return nil, nil
	}
	state, err := foldTo(ctx, l.log, basis)
	if err != nil {
		return nil, err
	}
	return contestOf(binder.Explain(state.View(), id)), nil
}

// story is what the log tells of one object.
type story struct {
	last   *told // the last decision on it
	chose  *told // the last one that chose a partner for it
	writes []Write
}

// told is a decision with its basis as a number of the log.
type told struct {
	Decision
	basis eventlog.Seq
}

// story reads the log for what was decided on the object and written to it.
func (l *Local) story(ctx context.Context, id projector.ID, uid string, last eventlog.Seq) (story, error) {
	var s story
	at := map[planStep]int{} // where in writes a step stands
	want := fact.ParseUID(uid)
	for r, err := range facts(l.log, 1, last) {
		if err != nil {
			return s, err
		}
		if r.Seq%1024 == 0 && ctx.Err() != nil {
			return s, ctx.Err()
		}
		switch r.Kind {
		case eventlog.KindDecided:
			if r.Subject.UID != want {
				continue
			}
			d, err := fact.ParseDecision(r.Fact)
			if err != nil {
				return s, err
			}
			s.last = toldOf(r, d)
			if d.Outcome == fact.OutcomeAct && d.Winner.Name != "" {
				s.chose = s.last
			}
		case eventlog.KindIntended:
			plan, err := fact.ParsePlan(r.Fact)
			if err != nil {
				return s, err
			}
			for i, step := range plan.Steps {
				if r.Subject.UID != want && step.Subject.UID != want {
					continue
				}
				at[planStep{r.Seq, i}] = len(s.writes)
				s.writes = append(s.writes, Write{
					Plan: uint64(r.Seq), Object: subjectID(step.Subject).String(), Purpose: step.Purpose, Result: "Pending",
				})
			}
		case eventlog.KindResulted:
			result, err := fact.ParseResult(r.Fact)
			if err != nil {
				return s, err
			}
			if i, ok := at[planStep{result.Plan, result.Step}]; ok {
				w := &s.writes[i]
				w.Result, w.Error, w.Seq = result.Kind.String(), result.Error, uint64(r.Seq)
				recorded := r.Time.UTC()
				w.Time = &recorded
			}
			if result.Final {
				s.dropped(result.Plan, result.Step, at)
			}
		}
	}
	return s, nil
}

// planStep is one step of one plan.
type planStep struct {
	plan eventlog.Seq
	step int
}

// dropped marks the steps that a plan no longer makes once it has ended.
func (s *story) dropped(plan eventlog.Seq, step int, at map[planStep]int) {
	for key, i := range at {
		if key.plan == plan && key.step > step {
			s.writes[i].Result = "Dropped"
		}
	}
}

// toldOf is a recorded decision.
func toldOf(r eventlog.Record, d fact.Decision) *told {
	return &told{basis: d.Basis, Decision: Decision{
		Seq: uint64(r.Seq), Time: r.Time.UTC(), Outcome: d.Outcome.String(),
		Rule: d.Rule, Doc: binder.RuleDoc(d.Rule), Detail: d.Detail,
		Winner: d.Winner.Name, RunnerUp: d.RunnerUp.Name, Basis: uint64(d.Basis), RuleSet: d.RuleSet,
	}}
}

// contestOf is the contest of an explanation, nil when there was none.
func contestOf(e binder.Explanation) *Contest {
	if len(e.Rows) == 0 {
		return nil
	}
	contest := &Contest{
		Basis: uint64(e.AsOf), Winner: e.Winner, RunnerUp: e.RunnerUp, Beat: e.Beat, Nearest: e.Nearest,
		Total: len(e.Rows) + e.Others, Cut: e.Others,
	}
	for _, row := range e.Rows {
		candidate := Candidate{
			Volume: row.Volume, Verdict: string(row.Verdict), Capacity: row.Size, AccessModes: row.Modes,
			Class: row.Class, Phase: row.Phase,
		}
		for _, f := range row.Failed {
			candidate.Misses = append(candidate.Misses, Miss{Rule: f.Rule, What: f.What, Want: f.Want, Got: f.Got})
		}
		contest.Candidates = append(contest.Candidates, candidate)
	}
	for _, count := range e.Counts {
		contest.Counts = append(contest.Counts, Count{Rule: count.Rule, Volumes: count.Volumes})
	}
	return contest
}

// objectOf names a subject in an answer.
func objectOf(id projector.ID, uid string) Object {
	kind := "pv"
	if id.Resource == eventlog.ResourceClaim {
		kind = "pvc"
	}
	return Object{Kind: kind, Namespace: id.Namespace, Name: id.Name, UID: uid}
}

// subjectID is the ID of a record's subject.
func subjectID(s eventlog.Subject) projector.ID {
	return projector.ID{Resource: s.Resource, Namespace: s.Namespace, Name: s.Name}
}
