package fact

import (
	"fmt"

	"bindery/eventlog"
)

func putSubject(b []byte, s eventlog.Subject) []byte {
	b = putUint(b, 1, uint64(s.Resource))
	b = putString(b, 2, s.Namespace)
	b = putString(b, 3, s.Name)
	if s.UID != (eventlog.UID{}) {
		b = putMessage(b, 4, s.UID[:])
	}
	return b
}

func parseSubject(b []byte) (eventlog.Subject, error) {
	var s eventlog.Subject
	err := walk("subject", b, func(f field) error {
		switch f.num {
		case 1:
			s.Resource = eventlog.Resource(f.number)
		case 2:
			s.Namespace = f.text()
		case 3:
			s.Name = f.text()
		case 4:
			if len(f.bytes) != len(s.UID) {
				return fmt.Errorf("uid of %d bytes: %w", len(f.bytes), ErrMalformed)
			}
			copy(s.UID[:], f.bytes)
		}
		return nil
	})
	return s, err
}

func (r Ref) append(b []byte) []byte { return putString(putString(b, 1, r.Name), 2, r.UID) }

func parseRef(b []byte) (Ref, error) {
	var r Ref
	err := walk("ref", b, func(f field) error {
		switch f.num {
		case 1:
			r.Name = f.text()
		case 2:
			r.UID = f.text()
		}
		return nil
	})
	return r, err
}

// Append appends the canonical encoding of the decision.
func (d Decision) Append(b []byte) []byte {
	b = putUint(b, 1, uint64(d.Outcome))
	b = putString(b, 2, d.Rule)
	b = putString(b, 3, d.Detail)
	b = putBytes(b, 4, d.Winner.append(nil))
	b = putBytes(b, 5, d.RunnerUp.append(nil))
	b = putStrings(b, 6, d.WaitsFor)
	for _, s := range d.Reads {
		b = putMessage(b, 7, putSubject(nil, s))
	}
	b = putUint(b, 8, uint64(d.Basis))
	return putString(b, 9, d.RuleSet)
}

// ParseDecision reads what Append wrote.
func ParseDecision(b []byte) (Decision, error) {
	var d Decision
	err := walk("decision", b, func(f field) (err error) {
		switch f.num {
		case 1:
			d.Outcome = Outcome(f.number)
		case 2:
			d.Rule = f.text()
		case 3:
			d.Detail = f.text()
		case 4:
			d.Winner, err = parseRef(f.bytes)
		case 5:
			d.RunnerUp, err = parseRef(f.bytes)
		case 6:
			d.WaitsFor = append(d.WaitsFor, f.text())
		case 7:
			var s eventlog.Subject
			s, err = parseSubject(f.bytes)
			d.Reads = append(d.Reads, s)
		case 8:
			d.Basis = eventlog.Seq(f.number)
		case 9:
			d.RuleSet = f.text()
		}
		return err
	})
	return d, err
}

// Append appends the canonical encoding of the plan.
func (p Plan) Append(b []byte) []byte {
	b = putUint(b, 1, uint64(p.Decision))
	for _, s := range p.Steps {
		e := putMessage(nil, 1, putSubject(nil, s.Subject))
		e = putString(e, 2, s.Verb)
		e = putString(e, 3, s.Subresource)
		e = putUint(e, 4, s.ResourceVersion)
		e = putInt(e, 5, int64(s.After))
		e = putBytes(e, 6, s.Patch)
		b = putMessage(b, 2, putString(e, 7, s.Purpose))
	}
	return b
}

// ParsePlan reads what Append wrote.
func ParsePlan(b []byte) (Plan, error) {
	var p Plan
	err := walk("plan", b, func(f field) error {
		switch f.num {
		case 1:
			p.Decision = eventlog.Seq(f.number)
		case 2:
			s, err := parseStep(f.bytes)
			p.Steps = append(p.Steps, s)
			return err
		}
		return nil
	})
	return p, err
}

func parseStep(b []byte) (Step, error) {
	var s Step
	err := walk("step", b, func(f field) (err error) {
		switch f.num {
		case 1:
			s.Subject, err = parseSubject(f.bytes)
		case 2:
			s.Verb = f.text()
		case 3:
			s.Subresource = f.text()
		case 4:
			s.ResourceVersion = f.number
		case 5:
			s.After = int(f.signed())
		case 6:
			s.Patch = append([]byte(nil), f.bytes...)
		case 7:
			s.Purpose = f.text()
		}
		return err
	})
	return s, err
}

// Append appends the canonical encoding of the result.
func (r Result) Append(b []byte) []byte {
	b = putUint(b, 1, uint64(r.Plan))
	b = putUint(b, 2, uint64(r.Step))
	b = putUint(b, 3, uint64(r.Kind))
	b = putUint(b, 4, r.ResourceVersion)
	b = putInt(b, 5, int64(r.Code))
	b = putString(b, 6, r.Error)
	return putBool(b, 7, r.Final)
}

// ParseResult reads what Append wrote.
func ParseResult(b []byte) (Result, error) {
	var r Result
	err := walk("result", b, func(f field) error {
		switch f.num {
		case 1:
			r.Plan = eventlog.Seq(f.number)
		case 2:
			r.Step = int(f.number)
		case 3:
			r.Kind = ResultKind(f.number)
		case 4:
			r.ResourceVersion = f.number
		case 5:
			r.Code = int32(f.signed())
		case 6:
			r.Error = f.text()
		case 7:
			r.Final = f.flag()
		}
		return nil
	})
	return r, err
}

// Append appends the canonical encoding of the timer.
func (t Timer) Append(b []byte) []byte { return putInt(putString(b, 1, t.Purpose), 2, t.Due) }

// ParseTimer reads what Append wrote.
func ParseTimer(b []byte) (Timer, error) {
	var t Timer
	err := walk("timer", b, func(f field) error {
		switch f.num {
		case 1:
			t.Purpose = f.text()
		case 2:
			t.Due = f.signed()
		}
		return nil
	})
	return t, err
}
