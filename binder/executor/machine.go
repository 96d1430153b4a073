package executor

import (
	"context"
	"fmt"
	"time"

	"bindery/binder"
	"bindery/eventlog"
	"bindery/projector"
	"bindery/projector/fact"
)

// Machine is the sequencer as a step function: it owns the state, the wake
// edges and the agenda. It has no goroutine and no clock; all time it knows is
// the recorded time of the log. It is for one goroutine.
type Machine struct {
	log    eventlog.Log
	state  *projector.State
	edges  *edges
	agenda *agenda
	recent versions

	acting bool                          // in bind mode: leader, or no election; in shadow mode always
	asked  map[projector.ID]eventlog.Seq // whose live reads are under way
	owners map[eventlog.Seq]asking       // the same, by the decision that asked

	beforeIntent func(head eventlog.Seq) // crash point, nil outside tests
	effects      Effects
}

// Begin is a plan to carry out.
type Begin struct {
	Seq    eventlog.Seq // of the Intended record
	Owner  projector.ID
	Plan   fact.Plan
	Done   int  // steps that already have a result
	Resume bool // left over from an earlier process: read back, write nothing
}

// Ask is a live read to make.
type Ask struct {
	Seq     eventlog.Seq // of the decision that asks
	Subject eventlog.Subject
}

// Alarm is a time to be told of: at Due a TimerFired for ID is put in.
type Alarm struct {
	ID      projector.ID
	Purpose string
	Due     time.Time
}

// Effects is what a step asks the shell to do, once After is durable.
type Effects struct {
	After  eventlog.Seq
	Plans  []Begin
	Reads  []Ask
	Alarms []Alarm
}

// asking is a decision whose live reads are under way.
type asking struct {
	id   projector.ID
	left int
}

// NewMachine makes a machine over the log, whose records it folds first.
func NewMachine(log eventlog.Log) (*Machine, error) {
	m := &Machine{
		log:    log,
		state:  projector.New(),
		edges:  newEdges(),
		agenda: newAgenda(),
		recent: versions{},
		asked:  map[projector.ID]eventlog.Seq{},
		owners: map[eventlog.Seq]asking{},
	}
	for record, err := range log.Records(1, 0) {
		if err != nil {
			return nil, err
		}
		if _, err := m.state.Apply(record); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrBlind, err)
		}
		m.recent.note(record.Kind, record.Subject.UID, record.Fact)
	}
	return m, nil
}

// View is the state as it now is. It may be read by other goroutines while the
// machine goes on.
func (m *Machine) View() *projector.View { return m.state.View() }

// Start records that a process begins and returns what an earlier one left
// open: its plans, to be read back before anything else is decided on their
// objects, and its back-offs, whose timers are set again.
func (m *Machine) Start(ctx context.Context, start fact.Start, acting bool) (Effects, error) {
	open := m.state.Open()
	m.acting = acting
	if _, err := m.fold(ctx, draft(eventlog.KindStarted, eventlog.Subject{}, nil, start.Append(nil))); err != nil {
		return Effects{}, err
	}
	for _, r := range open {
		m.effects.Plans = append(m.effects.Plans, Begin{
			Seq: r.Seq, Owner: r.Owner, Plan: r.Plan, Done: r.Done, Resume: true,
		})
	}
	v := m.state.Live()
	for _, id := range m.state.Backoffs() {
		m.alarm(v, id)
	}
	// What rests on the log alone is woken here: a list that shows nothing new
	// wakes nobody.
	m.wakeAll()
	return m.finish(ctx)
}

// Step numbers and folds the drafts, decides everyone they woke, and returns
// the effects. An error ends the machine: the log could not take a record.
func (m *Machine) Step(ctx context.Context, drafts ...eventlog.Draft) (Effects, error) {
	if _, err := m.fold(ctx, drafts...); err != nil {
		return Effects{}, err
	}
	return m.finish(ctx)
}

// Lead makes the machine act as leader of the term, and decide everything.
func (m *Machine) Lead(ctx context.Context, term uint64) (Effects, error) {
	m.acting = true
	fact := fact.Lead{Term: term}.Append(nil)
	if _, err := m.fold(ctx, draft(eventlog.KindLeaderGained, eventlog.Subject{}, nil, fact)); err != nil {
		return Effects{}, err
	}
	m.wakeAll()
	return m.finish(ctx)
}

// Sweep decides everything again and returns how many subjects came to
// something new. A correct set of wake edges makes it find none.
func (m *Machine) Sweep(ctx context.Context) (found int, _ Effects, _ error) {
	before := m.log.Head()
	m.wakeAll()
	effects, err := m.finish(ctx)
	return int(m.log.Head() - before), effects, err
}

// wakeAll puts every claim and volume on the agenda.
func (m *Machine) wakeAll() {
	v := m.state.Live()
	for c := range v.Claims() {
		m.agenda.add(v, c.ID, 0)
	}
	for volume := range v.Volumes() {
		m.agenda.add(v, projector.VolumeID(volume.Name), 0)
	}
}

// fold numbers the drafts, applies them and wakes whom they touch.
func (m *Machine) fold(ctx context.Context, drafts ...eventlog.Draft) ([]eventlog.Record, error) {
	drafts = m.recent.fresh(drafts)
	if len(drafts) == 0 {
		return nil, nil
	}
	records, err := m.log.Submit(ctx, drafts...)
	if err != nil {
		return nil, err
	}
	for _, record := range records {
		touched, err := m.state.Apply(record)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrBlind, err)
		}
		m.effects.After = record.Seq
		m.wake(record, touched)
	}
	return records, nil
}

// wake puts down the record's own subject and everyone who rests on a key that
// the record touched. A decision wakes nobody: it changes nothing that another
// decision reads.
func (m *Machine) wake(record eventlog.Record, touched []projector.Key) {
	if record.Kind == eventlog.KindDecided {
		return
	}
	v := m.state.Live()
	if id, ok := decidable(record.Subject); ok && record.Kind != eventlog.KindIntended {
		m.agenda.add(v, id, record.Seq)
	}
	for _, key := range touched {
		m.edges.wake(key, func(id projector.ID) { m.agenda.add(v, id, record.Seq) })
	}
	switch record.Kind {
	case eventlog.KindObserved, eventlog.KindNotFound:
		if seen, err := fact.ParseObservation(record.Fact); err == nil && seen.Ask != 0 {
			m.answered(eventlog.Seq(seen.Ask))
		}
	case eventlog.KindResulted:
		if id, ok := decidable(record.Subject); ok {
			m.alarm(v, id)
		}
	}
}

// answered counts an answer to the live reads of a decision.
func (m *Machine) answered(ask eventlog.Seq) {
	a, ok := m.owners[ask]
	if !ok {
		return
	}
	if a.left--; a.left > 0 {
		m.owners[ask] = a
		return
	}
	delete(m.owners, ask)
	if m.asked[a.id] == ask {
		delete(m.asked, a.id)
	}
}

// finish decides the agenda until it is empty and hands out the effects.
func (m *Machine) finish(ctx context.Context) (Effects, error) {
	for m.acting {
		next, ok := m.agenda.next()
		if !ok {
			break
		}
		if err := m.decide(ctx, next.id, next.cause); err != nil {
			return Effects{}, err
		}
	}
	effects := m.effects
	m.effects = Effects{}
	return effects, nil
}

// decide judges one subject and records what is new about it.
func (m *Machine) decide(ctx context.Context, id projector.ID, woken eventlog.Seq) error {
	v := m.state.Live()
	if v.Busy(id) != nil {
		// Decided by nobody while a plan stands; its result wakes it.
		m.edges.set(id, []projector.Key{projector.KeyOf(id)})
		return nil
	}
	uid, there := subjectUID(v, id)
	if !there {
		m.edges.set(id, nil)
		delete(m.asked, id)
		return nil
	}
	v = v.Fresh()
	decision := binder.Decide(v, id)
	m.edges.set(id, v.Reads())
	if len(decision.Reads) > 0 && (m.asked[id] != 0 || alreadyJudged(v, id, decision)) {
		return nil // the answer is under way and will wake it, or was had
	}
	if !worthRecording(v, id, uid, decision) {
		return nil
	}
	subject := subjectOf(id, uid)
	var cause []eventlog.Seq
	if woken != 0 {
		cause = []eventlog.Seq{woken}
	}
	records, err := m.fold(ctx, draft(eventlog.KindDecided, subject, cause, decision.Append(nil)))
	if err != nil {
		return err
	}
	seq := records[0].Seq
	if n := len(decision.Reads); n > 0 {
		m.asked[id] = seq
		m.owners[seq] = asking{id, n}
	}
	for _, read := range decision.Reads {
		m.effects.Reads = append(m.effects.Reads, Ask{Seq: seq, Subject: read})
	}
	if decision.Outcome != fact.OutcomeAct || v.Mode() != modeBind {
		return nil
	}
	return m.intend(ctx, v, id, subject, seq, decision)
}

// intend makes the plan of a decision durable-to-be and reserves its objects.
func (m *Machine) intend(ctx context.Context, v *projector.View, id projector.ID, subject eventlog.Subject, seq eventlog.Seq, decision fact.Decision) error {
	steps := binder.Plan(v, id, decision)
	if len(steps) == 0 {
		return nil
	}
	if m.beforeIntent != nil {
		m.beforeIntent(m.log.Head())
	}
	plan := fact.Plan{Decision: seq, Steps: steps}
	records, err := m.fold(ctx, draft(eventlog.KindIntended, subject, []eventlog.Seq{seq}, plan.Append(nil)))
	if err != nil {
		return err
	}
	m.effects.Plans = append(m.effects.Plans, Begin{Seq: records[0].Seq, Owner: id, Plan: plan})
	return nil
}

// alarm asks for the subject's back-off timer if it waits for one.
func (m *Machine) alarm(v *projector.View, id projector.ID) {
	backoff := v.Backoff(id)
	if !backoff.Waiting {
		return
	}
	m.effects.Alarms = append(m.effects.Alarms, Alarm{
		ID: id, Purpose: "backoff", Due: time.Unix(0, backoff.Since).Add(delay(backoff.Attempts)),
	})
}

// worthRecording keeps no-ops out of the log unless their reason changed.
func worthRecording(v *projector.View, id projector.ID, uid string, d fact.Decision) bool {
	if d.Outcome == fact.OutcomeAct && v.Mode() == modeBind || len(d.Reads) > 0 {
		return true
	}
	if d.Rule == ruleBusy || d.Rule == ruleNotSynced {
		return false // passing states of this process, not findings about the subject
	}
	last := v.Decision(id)
	return last == nil || last.UID != uid || last.Outcome != d.Outcome || last.Reason() != d.Reason()
}

// alreadyJudged reports that the read which the decision asks for was made and
// led to a judgement that nobody acts on, as in shadow mode: until the subject
// changes it is not asked again.
func alreadyJudged(v *projector.View, id projector.ID, d fact.Decision) bool {
	last := v.Decision(id)
	return v.Mode() != modeBind && last != nil && last.Outcome == fact.OutcomeAct &&
		last.Rule == d.Detail && subjectSeq(v, id) < last.Seq
}
