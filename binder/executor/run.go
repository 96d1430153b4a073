package executor

import (
	"errors"
	"net/http"

	"bindery/eventlog"
	"bindery/projector"
	"bindery/projector/fact"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
)

// Action is what a Run asks for next.
type Action uint8

// The actions of a Run.
const (
	ActionDone  Action = iota // nothing is left: the final result is out
	ActionPatch               // send Step with Version
	ActionGet                 // read Step.Subject live
)

// Request is one API call of a plan.
type Request struct {
	Action  Action
	Step    fact.Step
	Version uint64
}

// Run is one plan being carried out, a step at a time, each write from the
// answer of the one before. Next says the call to make, Answer takes what it
// came to and returns the drafts that belong in the log. A Run ends with a
// final Resulted, whatever happens; it never sends the same write with a fresh
// version: after a conflict the binder decides again.
type Run struct {
	begin    Begin
	step     int
	versions []uint64
	reading  *reading // a write whose outcome must be read back
	done     bool
}

// reading is why the current step is being read back.
type reading struct {
	cause error // what the write came to; nil after a restart
}

// NewRun begins, or after a restart resumes, a plan.
func NewRun(begin Begin) *Run {
	r := &Run{begin: begin, step: begin.Done, versions: make([]uint64, len(begin.Plan.Steps))}
	if r.step >= len(begin.Plan.Steps) {
		r.step = len(begin.Plan.Steps) - 1 // a final result is still owed
	}
	if begin.Resume {
		r.reading = &reading{}
	}
	r.done = len(begin.Plan.Steps) == 0
	return r
}

// Next is the call to make now.
func (r *Run) Next() Request {
	if r.done {
		return Request{}
	}
	step := r.begin.Plan.Steps[r.step]
	if r.reading != nil {
		return Request{Action: ActionGet, Step: step}
	}
	version := step.ResourceVersion
	if version == 0 && step.After >= 0 && step.After < r.step {
		version = r.versions[step.After]
	}
	return Request{Action: ActionPatch, Step: step, Version: version}
}

// Answer takes what the call of Next came to. Of a read that did not answer it
// returns nothing: the read is to be made again.
func (r *Run) Answer(obj runtime.Object, err error) []eventlog.Draft {
	if r.reading != nil {
		return r.readBack(obj, err)
	}
	switch verdict := judge(err); verdict {
	case verdictStored:
		return r.stored(obj, fact.SourceAnswer, fact.ResultApplied)
	case verdictReadBack:
		r.reading = &reading{cause: err}
		return nil
	case verdictNotSent:
		return r.end(fact.ResultRetry, err)
	default:
		return r.end(fact.ResultFailed, err)
	}
}

// stored goes on to the next step from the object that the server returned.
func (r *Run) stored(obj runtime.Object, source fact.Source, kind fact.ResultKind) []eventlog.Draft {
	answer, version, deleting := r.observed(obj, source)
	if version == 0 {
		return r.end(fact.ResultFailed, errors.New("the answer carries no readable object"))
	}
	r.versions[r.step] = version
	last := r.step == len(r.begin.Plan.Steps)-1
	// A deletionTimestamp in an answer stops the plan: judge again.
	final := last || deleting
	result := r.result(fact.Result{Kind: kind, ResourceVersion: version, Final: final})
	r.done = final
	r.step++
	return []eventlog.Draft{answer, result}
}

// readBack judges the current step by what a live read shows.
func (r *Run) readBack(obj runtime.Object, err error) []eventlog.Draft {
	step := r.begin.Plan.Steps[r.step]
	cause := r.reading.cause
	if apierrors.IsNotFound(err) {
		r.reading = nil
		gone := fact.NotFoundDraft(step.Subject, "", r.begin.Plan.Decision)
		return append([]eventlog.Draft{gone}, r.end(fact.ResultSuperseded, err)...)
	}
	if err != nil {
		if status := code(err); status >= 400 && status < 500 && status != http.StatusTooManyRequests {
			r.reading = nil
			return r.end(fact.ResultFailed, err) // we may not even look: say so
		}
		return nil
	}
	r.reading = nil
	accessor, accessErr := meta.Accessor(obj)
	if accessErr != nil {
		return r.end(fact.ResultFailed, accessErr)
	}
	if fact.ParseUID(string(accessor.GetUID())) != step.Subject.UID {
		gone := fact.NotFoundDraft(step.Subject, string(accessor.GetUID()), r.begin.Plan.Decision)
		seen, _, _ := r.observed(obj, fact.SourceLiveRead)
		return append([]eventlog.Draft{gone, seen}, r.end(fact.ResultSuperseded, cause)...)
	}
	switch compare(obj, step) {
	case asWanted:
		drafts := r.stored(obj, fact.SourceLiveRead, fact.ResultAlreadyDone)
		if r.begin.Resume && !r.done {
			r.reading = &reading{} // look at every step before anything is written
		}
		return drafts
	case taken:
		seen, _, _ := r.observed(obj, fact.SourceLiveRead)
		return append([]eventlog.Draft{seen}, r.end(fact.ResultSuperseded, cause)...)
	}
	seen, _, _ := r.observed(obj, fact.SourceLiveRead)
	kind := fact.ResultConflict
	switch {
	case r.begin.Resume:
		kind = fact.ResultInterrupted
	case !apierrors.IsConflict(cause) && !apierrors.IsInvalid(cause):
		kind = fact.ResultRetry // unknown, and now known not to be there
	}
	return append([]eventlog.Draft{seen}, r.end(kind, cause)...)
}

// end closes the plan with a final result of the current step.
func (r *Run) end(kind fact.ResultKind, err error) []eventlog.Draft {
	result := fact.Result{Kind: kind, Final: true}
	if err != nil {
		result.Error = err.Error()
		result.Code = code(err)
	}
	r.done = true
	return []eventlog.Draft{r.result(result)}
}

// result is the Resulted draft of the current step; its subject is the owner
// of the decision, so that the record wakes whom it answers.
func (r *Run) result(result fact.Result) eventlog.Draft {
	result.Plan = r.begin.Seq
	result.Step = r.step
	subject := r.begin.Plan.Steps[r.step].Subject
	owner := r.begin.Owner
	if subject.Resource != owner.Resource || subject.Name != owner.Name || subject.Namespace != owner.Namespace {
		subject = ownerSubject(owner, r.begin.Plan)
	}
	return draft(eventlog.KindResulted, subject, []eventlog.Seq{r.begin.Seq}, result.Append(nil))
}

// ownerSubject is the owner with its UID, where a step of the plan names it.
func ownerSubject(owner projector.ID, plan fact.Plan) eventlog.Subject {
	for _, step := range plan.Steps {
		s := step.Subject
		if s.Resource == owner.Resource && s.Namespace == owner.Namespace && s.Name == owner.Name {
			return s
		}
	}
	return eventlog.Subject{Resource: owner.Resource, Namespace: owner.Namespace, Name: owner.Name}
}

// observed is the draft of an object that the server returned, its version,
// and whether it is on its way out.
func (r *Run) observed(obj runtime.Object, source fact.Source) (d eventlog.Draft, version uint64, deleting bool) {
	verb := fact.VerbAnswered
	var ask eventlog.Seq
	if source == fact.SourceLiveRead {
		verb = fact.VerbRead
		ask = r.begin.Plan.Decision
	}
	d, err := fact.AskedDraft(obj, source, verb, ask)
	if err != nil {
		return d, 0, false
	}
	d.Cause = []eventlog.Seq{r.begin.Seq}
	accessor, err := meta.Accessor(obj)
	if err != nil {
		return d, 0, false
	}
	return d, fact.ParseVersion(accessor.GetResourceVersion()), accessor.GetDeletionTimestamp() != nil
}

// code is the HTTP status of an API error, 0 when it is none.
func code(err error) int32 {
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		return status.Status().Code
	}
	return 0
}
