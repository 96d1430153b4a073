package fact

import "bindery/eventlog"

// Outcome is what a decision came to.
type Outcome uint8

// The outcomes of a decision. Numbers are part of the format.
const (
	OutcomeUnknown  Outcome = iota
	OutcomeSettled          // nothing to do: as it should be
	OutcomeAct              // a plan of writes follows
	OutcomeWaiting          // normal: waits for someone or something named
	OutcomeBlocked          // needs a human or a change that nobody is known to be making
	OutcomeDeciding         // not judged yet: busy, not synced, a live read asked, a back-off running
)

// Decision is the fact of KindDecided: the binder's judgement of the record's
// subject. Its size does not grow with the number of volumes.
type Decision struct {
	Outcome  Outcome
	Rule     string // stable rule id
	Detail   string // the thing waited for or acted on, part of the reason; no counts
	Winner   Ref    // the volume chosen (claims) or the claim served (volumes)
	RunnerUp Ref
	WaitsFor []string           // wake keys in their order, bounded
	Reads    []eventlog.Subject // live reads asked for by this decision
	Basis    eventlog.Seq       // the view's AsOf
	RuleSet  string             // hash of the rule set
}

// Reason is what makes two decisions the same for the log: a no-op is recorded
// only when its reason changes.
func (d Decision) Reason() string { return d.Rule + "\x00" + d.Detail }

// Step is one planned API write.
type Step struct {
	Subject         eventlog.Subject
	Verb            string // patch, create, delete
	Subresource     string // "" or status
	ResourceVersion uint64 // the version the write requires; 0: what step After returned
	After           int    // index of the earlier step, -1 when ResourceVersion is given
	Patch           []byte // JSON merge patch without metadata.uid and resourceVersion
	Purpose         string // volume spec, volume status, claim spec, claim status, ...
}

// Plan is the fact of KindIntended: the ordered writes of one decision, made
// durable before the first of them.
type Plan struct {
	Decision eventlog.Seq
	Steps    []Step
}

// ResultKind is what a write came to.
type ResultKind uint8

// The results of design.md section 4. Numbers are part of the format.
const (
	ResultUnknown ResultKind = iota
	ResultApplied
	ResultAlreadyDone
	ResultSuperseded
	ResultConflict
	ResultRetry  // not sent, or known not to be stored: may be tried again later
	ResultFailed // refused for good: forbidden, invalid
	// ResultInterrupted: the process ended before the result was known, and a
	// live read at the next start shows that the write is not there.
	ResultInterrupted
)

// Result is the fact of KindResulted.
type Result struct {
	Plan            eventlog.Seq // seq of the Intended record
	Step            int
	Kind            ResultKind
	ResourceVersion uint64 // what the answer carried, 0 when none
	Code            int32
	Error           string
	Final           bool // the plan ends here, whether or not steps are left
}

// Timer is the fact of KindTimerFired; the record's subject is whom it wakes.
type Timer struct {
	Purpose string // backoff, refresh, sweep
	Due     int64  // unix nanoseconds
}
