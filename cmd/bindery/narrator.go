package main

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"bindery/binder"
	"bindery/eventlog"
	"bindery/projector"
	"bindery/projector/fact"
)

// narrator follows a log and tells what was decided, written and seen, each
// line from durable records only. It folds a state of its own, so that a
// decision is explained from exactly what the decision saw.
type narrator struct {
	log eventlog.Log
	say func(who, format string, args ...any)

	mu      sync.Mutex // guards what follows
	state   *projector.State
	waiting []*condition
}

// condition is something that the script waits for.
type condition struct {
	holds func(*projector.View) bool
	met   chan struct{}
}

func newNarrator(log eventlog.Log, say func(who, format string, args ...any)) *narrator {
	return &narrator{log: log, say: say, state: projector.New()}
}

// run follows the log until ctx ends.
func (n *narrator) run(ctx context.Context) error {
	for next := eventlog.Seq(1); ; {
		if err := n.log.Wait(ctx, next); err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		for record, err := range n.log.Records(next, 0) {
			if err != nil {
				return err
			}
			if err := n.take(record); err != nil {
				return err
			}
			next = record.Seq + 1
		}
	}
}

// take tells one record, folds it, and wakes the script if it waits for it.
func (n *narrator) take(r eventlog.Record) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.tell(r)
	if _, err := n.state.Apply(r); err != nil {
		return err
	}
	left := n.waiting[:0]
	for _, c := range n.waiting {
		if c.holds(n.state.View()) {
			close(c.met)
			continue
		}
		left = append(left, c)
	}
	n.waiting = left
	return nil
}

// await returns once the condition holds of what is durable.
func (n *narrator) await(ctx context.Context, holds func(*projector.View) bool) error {
	n.mu.Lock()
	if holds(n.state.View()) {
		n.mu.Unlock()
		return nil
	}
	c := &condition{holds, make(chan struct{})}
	n.waiting = append(n.waiting, c)
	n.mu.Unlock()
	select {
	case <-c.met:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// tell says what a record means, if it means something to a person.
func (n *narrator) tell(r eventlog.Record) {
	subject := printable(subjectName(r.Subject))
	switch r.Kind {
	case eventlog.KindDecided:
		d, err := fact.ParseDecision(r.Fact)
		if err != nil || r.Subject.Resource != eventlog.ResourceClaim {
			return
		}
		n.tellDecided(projector.ClaimID(r.Subject.Namespace, r.Subject.Name), d)
	case eventlog.KindResulted:
		f, err := fact.ParseResult(r.Fact)
		if err != nil {
			return
		}
		if f.Kind != fact.ResultApplied {
			n.say("written", "%s: %s", subject, printable(spaced(f.Kind.String(), f.Error)))
		}
	case eventlog.KindObserved:
		n.tellBound(r, subject)
	}
}

// tellDecided says what was decided on a claim, and why.
func (n *narrator) tellDecided(id projector.ID, d fact.Decision) {
	switch d.Outcome {
	case fact.OutcomeAct, fact.OutcomeWaiting, fact.OutcomeBlocked:
	default:
		return // nothing that a person would want to be told of
	}
	why := binder.Explain(n.state.View(), id)
	n.say("decided", "%s", printable(why.Sentence))
	n.say("", "rule %s, from all that the log held up to seq %d", d.Rule, d.Basis)
	if d.Outcome == fact.OutcomeAct {
		return
	}
	if d.Outcome == fact.OutcomeBlocked && len(why.Rows) > 0 { // the nearest miss comes first
		row := why.Rows[0]
		var misses []string
		for _, f := range row.Failed {
			misses = append(misses, fmt.Sprintf("its %s is %s, not %s", f.What, f.Got, f.Want))
		}
		n.say("", "pv/%s %s: %s", printable(row.Volume), row.Verdict, printable(strings.Join(misses, "; ")))
	}
	if len(why.WaitsFor) > 0 {
		n.say("", "it waits for %s", printable(strings.Join(why.WaitsFor, ", or ")))
	}
}

// tellBound says that the cluster shows a claim bound that was not before.
func (n *narrator) tellBound(r eventlog.Record, subject string) {
	if r.Subject.Resource != eventlog.ResourceClaim {
		return
	}
	seen, err := fact.ParseObservation(r.Fact)
	if err != nil {
		return
	}
	now, err := fact.ParseClaim(seen.Body)
	if err != nil || now.Phase != phaseBound {
		return
	}
	before := n.state.View().Claim(r.Subject.Namespace, r.Subject.Name)
	if before != nil && before.UID == now.UID && before.Phase == phaseBound {
		return
	}
	n.say("bound", "%s to pv/%s", subject, printable(now.VolumeName))
}

const phaseBound = "Bound"
