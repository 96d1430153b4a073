package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"bindery/eventlog"
	"bindery/projector/fact"
)

// entry is one record as `log dump` prints it.
type entry struct {
	Seq     uint64    `json:"seq"`
	Time    time.Time `json:"time"`
	Kind    string    `json:"kind"`
	Subject string    `json:"subject,omitempty"`
	UID     string    `json:"uid,omitempty"`
	Cause   []uint64  `json:"cause,omitempty"`
	Summary string    `json:"summary,omitempty"`
	Fact    any       `json:"fact,omitempty"`
}

// subject is the subject as the text form begins with it.
func (e entry) subject() string {
	if e.Subject == "" || e.Summary == "" {
		return e.Subject
	}
	return e.Subject + ": "
}

// entryOf decodes a record for people. A fact that cannot be read is said so:
// the record stands all the same.
func entryOf(r eventlog.Record) entry {
	e := entry{Seq: uint64(r.Seq), Time: r.Time.UTC(), Kind: r.Kind.String(), Subject: subjectName(r.Subject)}
	if r.Subject.UID != (eventlog.UID{}) {
		e.UID = fact.FormatUID(r.Subject.UID)
	}
	for _, cause := range r.Cause {
		e.Cause = append(e.Cause, uint64(cause))
	}
	decoded, summary, err := decode(r)
	if err != nil {
		e.Summary = fmt.Sprintf("(fact not readable: %v)", err)
		return e
	}
	e.Fact, e.Summary = decoded, summary
	return e
}

// subjectName is how people name a record's subject.
func subjectName(s eventlog.Subject) string {
	words := map[eventlog.Resource]string{
		eventlog.ResourceVolume: "pv", eventlog.ResourceClaim: "pvc", eventlog.ResourceClass: "class",
		eventlog.ResourcePod: "pod", eventlog.ResourceNode: "node",
	}
	word, ok := words[s.Resource]
	if !ok {
		return ""
	}
	return strings.Join(slices.DeleteFunc([]string{word, s.Namespace, s.Name}, func(p string) bool { return p == "" }), "/")
}

// decode reads a record's fact and says it in one line.
func decode(r eventlog.Record) (any, string, error) {
	switch r.Kind {
	case eventlog.KindObserved, eventlog.KindDeleted, eventlog.KindMissing, eventlog.KindNotFound:
		return observed(r)
	case eventlog.KindListStarted, eventlog.KindListCompleted:
		return listed(r)
	case eventlog.KindGap:
		f, err := fact.ParseGap(r.Fact)
		return f, fmt.Sprintf("versions %d to %d: %s", f.From, f.To, f.Cause), err
	case eventlog.KindBookmark, eventlog.KindWatchEnded:
		f, err := fact.ParseWatch(r.Fact)
		return f, spaced(fmt.Sprintf("at version %d", f.Version), f.Cause, f.Error), err
	case eventlog.KindEpochStarted:
		f, err := fact.ParseEpoch(r.Fact)
		return f, fmt.Sprintf("epoch %d: %s was %d, is %d", f.Number, f.Evidence, f.Was, f.Is), err
	case eventlog.KindDecided:
		return decided(r)
	case eventlog.KindIntended:
		return intended(r)
	case eventlog.KindResulted:
		return resulted(r)
	case eventlog.KindTimerFired:
		f, err := fact.ParseTimer(r.Fact)
		return f, f.Purpose, err
	case eventlog.KindStarted, eventlog.KindStopped:
		f, err := fact.ParseStart(r.Fact)
		return f, fmt.Sprintf("mode %s, version %s, rules %.12s", f.Mode, f.Version, f.RuleSet), err
	case eventlog.KindLeaderGained, eventlog.KindLeaderLost:
		f, err := fact.ParseLead(r.Fact)
		return f, fmt.Sprintf("term %d", f.Term), err
	}
	return nil, "", nil
}

func observed(r eventlog.Record) (any, string, error) {
	f, err := fact.ParseObservation(r.Fact)
	if err != nil {
		return nil, "", err
	}
	summary := fmt.Sprintf("%s by %s at version %d", f.Verb, f.Source, f.ResourceVersion)
	switch r.Kind {
	case eventlog.KindMissing:
		return f, fmt.Sprintf("not in the list at version %d", f.ResourceVersion), nil
	case eventlog.KindNotFound:
		summary = "a live read found nothing"
		if f.FoundUID != "" {
			summary = "a live read found another object of that name, UID " + f.FoundUID
		}
		return f, summary, nil
	}
	body, err := bodyOf(r.Subject.Resource, f.Body)
	f.Body = nil
	if err != nil || body == nil {
		return f, summary, err
	}
	return map[string]any{"observation": f, "object": body}, summary, nil
}

// bodyOf reads the fact of the observed object.
func bodyOf(resource eventlog.Resource, b []byte) (any, error) {
	if len(b) == 0 {
		return nil, nil
	}
	switch resource {
	case eventlog.ResourceVolume:
		return fact.ParseVolume(b)
	case eventlog.ResourceClaim:
		return fact.ParseClaim(b)
	case eventlog.ResourceClass:
		return fact.ParseClass(b)
	case eventlog.ResourcePod:
		return fact.ParsePod(b)
	case eventlog.ResourceNode:
		return fact.ParseNode(b)
	}
	return nil, nil
}

func listed(r eventlog.Record) (any, string, error) {
	f, err := fact.ParseList(r.Fact)
	if err != nil {
		return nil, "", err
	}
	switch {
	case r.Kind == eventlog.KindListStarted:
		return f, fmt.Sprintf("asked for version %q", f.Asked), nil
	case f.Error != "":
		return f, "failed: " + f.Error, nil
	}
	return f, fmt.Sprintf("%d items at version %d", f.Items, f.Version), nil
}

func decided(r eventlog.Record) (any, string, error) {
	f, err := fact.ParseDecision(r.Fact)
	summary := spaced(f.Outcome.String(), "rule "+f.Rule, f.Detail)
	if f.Winner.Name != "" {
		summary += ", chose " + f.Winner.Name
	}
	if f.RunnerUp.Name != "" {
		summary += " before " + f.RunnerUp.Name
	}
	return f, fmt.Sprintf("%s (saw up to seq %d)", summary, f.Basis), err
}

// step is a planned write with its patch readable.
type step struct {
	Object  string `json:"object"`
	Purpose string `json:"purpose"`
	Verb    string `json:"verb"`
	Version uint64 `json:"resourceVersion,omitempty"`
	Patch   string `json:"patch"`
}

func intended(r eventlog.Record) (any, string, error) {
	f, err := fact.ParsePlan(r.Fact)
	if err != nil {
		return nil, "", err
	}
	var purposes []string
	steps := []step{}
	for _, s := range f.Steps {
		purposes = append(purposes, s.Purpose)
		steps = append(steps, step{subjectName(s.Subject), s.Purpose, s.Verb, s.ResourceVersion, string(s.Patch)})
	}
	plan := map[string]any{"decision": f.Decision, "steps": steps}
	return plan, fmt.Sprintf("decision %d: %s", f.Decision, strings.Join(purposes, ", ")), nil
}

func resulted(r eventlog.Record) (any, string, error) {
	f, err := fact.ParseResult(r.Fact)
	summary := fmt.Sprintf("plan %d step %d: %s", f.Plan, f.Step+1, f.Kind)
	if f.ResourceVersion != 0 {
		summary += fmt.Sprintf(" at version %d", f.ResourceVersion)
	}
	if f.Final {
		summary += ", the plan ends"
	}
	if f.Error != "" {
		summary += ": " + f.Error
	}
	return f, summary, err
}

// spaced joins the parts that say something.
func spaced(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" || p == "rule " }), " ")
}
