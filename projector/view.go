package projector

import (
	"bindery/eventlog"
	"bindery/projector/fact"

	"k8s.io/apimachinery/pkg/api/resource"
)

// Claim is a claim as the log last showed it. It is never modified.
type Claim struct {
	fact.Claim
	ID      ID
	Seq     eventlog.Seq      // of the record that it was folded from
	Request resource.Quantity // storage request; zero when missing
	epoch   uint64
}

// Volume is a volume as the log last showed it. It is never modified.
type Volume struct {
	fact.Volume
	Name    string
	Seq     eventlog.Seq
	Storage resource.Quantity // storage capacity; zero when missing
	Sized   bool              // a storage capacity is present
	epoch   uint64
}

// Class is a StorageClass as the log last showed it.
type Class struct {
	fact.Class
	Name  string
	Seq   eventlog.Seq
	epoch uint64
}

// Pod is a pod that uses a claim.
type Pod struct {
	fact.Pod
	Namespace, Name string
	Seq             eventlog.Seq
	epoch           uint64
}

// Reservation is a plan in flight: while it stands its subjects are busy and
// nobody decides on them (design.md section 3).
type Reservation struct {
	Seq   eventlog.Seq // of the Intended record
	Owner ID           // the subject whose decision it is
	Rule  string       // that decision's rule
	fact.Plan
	Done int // steps with a result
}

// Backoff is a subject's failed attempts: it waits for its timer.
type Backoff struct {
	Attempts int
	Waiting  bool  // the timer has not fired yet
	Since    int64 // recorded time of the last failure, unix nanoseconds
	Seq      eventlog.Seq
	Last     fact.Result
}

// LiveAnswer is the newest answer of a live read of an object.
type LiveAnswer struct {
	Ask    eventlog.Seq // the decision that asked
	Seq    eventlog.Seq // where the answer stands in the log
	Exists bool
	UID    string // of the object found
}

// Recorded is the last recorded decision on a subject.
type Recorded struct {
	fact.Decision
	Seq eventlog.Seq
	UID string // the subject's UID then
}

// Need is what a claim asks of a free volume (filters F3 to F12 less the
// selector, upstream-behaviour.md 4.3).
type Need struct {
	Class, Mode, Attributes string // resolved; Mode is Filesystem or Block
	AccessModes             []string
	Request                 resource.Quantity
}

// View is the state at one moment, read only, O(1) to take. Each read method
// notes the keys it read; Reads gives them in a fixed order. A View is for one
// goroutine; the State it came from may go on.
type View struct {
	state *State // a copy-on-write snapshot
	reads []Key
	seen  map[Key]struct{}
}
