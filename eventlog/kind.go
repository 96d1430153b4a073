package eventlog

import "fmt"

// Kind tells what a record is. The numbers are part of the format: they are
// only ever added to, never reordered, and zero is no kind.
type Kind uint8

// The kinds of design.md section 2.
const (
	KindUnknown       Kind = iota // never written
	KindObserved                  // an object as a list, watch, answer or live read showed it
	KindListStarted               // a list call went out
	KindListCompleted             // a list call came back, with its version and what it held
	KindDeleted                   // a watch event said that a UID is gone
	KindMissing                   // a list not older than the log lacked a UID
	KindNotFound                  // a live read found no object of that name, or another UID
	KindGap                       // versions that were missed, with range and cause
	KindEpochStarted              // the API server's history went backwards
	KindDecided                   // the binder's judgement of one subject
	KindIntended                  // a plan of writes, made durable before the first of them
	KindResulted                  // what one planned write came to
	KindTimerFired                // a time that a decision waited for has come
	KindStarted                   // a process began: version, rule set, mode, options
	KindStopped                   // a process ended in order
	KindLeaderGained              // this replica holds the lease, with its term
	KindLeaderLost                // this replica no longer holds the lease
	KindHeld                      // an operator's hold
	KindUnheld                    // an operator's hold lifted
	KindAcknowledged              // an operator accepted an epoch
	KindNoted                     // an operator's note
	KindPruned                    // the minimum index moved
	KindKeyRotated                // the log's signing key changed
	KindBookmark                  // a watch bookmark: seen up to this version
	KindWatchEnded                // a watch ended: closed, cut, or 410
)

var kindNames = [...]string{
	"Unknown", "Observed", "ListStarted", "ListCompleted", "Deleted", "Missing",
	"NotFound", "Gap", "EpochStarted", "Decided", "Intended", "Resulted",
	"TimerFired", "Started", "Stopped", "LeaderGained", "LeaderLost", "Held",
	"Unheld", "Acknowledged", "Noted", "Pruned", "KeyRotated", "Bookmark",
	"WatchEnded",
}

// Known reports whether this version of the program knows the kind. Records
// of other kinds are kept and counted, never dropped.
func (k Kind) Known() bool { return k > KindUnknown && int(k) < len(kindNames) }

// String is the kind's name as the design writes it, or Kind(N).
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}
