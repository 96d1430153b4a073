package fact

import "fmt"

var (
	outcomeNames = [...]string{"Unknown", "Settled", "Act", "Waiting", "Blocked", "Deciding"}
	resultNames  = [...]string{"Unknown", "Applied", "AlreadyDone", "Superseded", "Conflict", "Retry", "Failed", "Interrupted"}
	sourceNames  = [...]string{"unknown", "list", "watch", "answer", "live read", "audit", "manifest"}
	verbNames    = [...]string{"unknown", "listed", "added", "modified", "deleted", "read", "answered"}
)

func name[T ~uint8](names []string, v T) string {
	if int(v) < len(names) {
		return names[v]
	}
	return fmt.Sprintf("%d", uint8(v))
}

// String is the outcome's name.
func (o Outcome) String() string { return name(outcomeNames[:], o) }

// String is the result's name.
func (k ResultKind) String() string { return name(resultNames[:], k) }

// String is the source in words.
func (s Source) String() string { return name(sourceNames[:], s) }

// String is the verb in words.
func (v Verb) String() string { return name(verbNames[:], v) }
