package fact

// Source tells where an observation came from.
type Source uint8

// The sources of an observation. Numbers are part of the format.
const (
	SourceUnknown Source = iota
	SourceList
	SourceWatch
	SourceAnswer
	SourceLiveRead
	SourceAudit
	SourceManifest
)

// Verb tells what the source said of the object.
type Verb uint8

// The verbs of an observation. Numbers are part of the format.
const (
	VerbUnknown Verb = iota
	VerbListed
	VerbAdded
	VerbModified
	VerbDeleted
	VerbRead
	VerbAnswered
)

// Manager is one field manager, so that "who changed it" can be answered.
type Manager struct {
	Name        string
	Operation   string
	Subresource string
	Time        int64 // unix seconds
}

// Observation is the fact of KindObserved, KindDeleted and KindMissing: the
// source, and the body, which is the encoded Volume, Claim, Class, Pod or Node
// that the record's subject says. Missing has no body. NotFound carries the
// UID that a live read found instead, if any.
type Observation struct {
	ResourceVersion uint64
	Source          Source
	Verb            Verb
	Managers        []Manager
	FoundUID        string // NotFound: another UID lives under the name; "" when nothing does
	Ask             uint64 // live read: the seq of the decision that asked, 0 when none did
	Body            []byte
}

// List is the fact of KindListStarted and KindListCompleted.
type List struct {
	Asked   string // the version asked for; "" is "most recent"
	Version uint64 // the version that came back
	Items   uint64
	Error   string // a failed list is unknown, never empty
	Code    int32  // HTTP status of the failure, 0 when none
}

// Gap is the fact of KindGap: versions of a resource that may have been missed.
type Gap struct {
	From, To uint64
	Cause    string // start, gone (410), cut, clock
}

// Watch is the fact of KindBookmark and KindWatchEnded.
type Watch struct {
	Version uint64
	Cause   string // closed, cut, gone, error
	Error   string
}

// Start is the fact of KindStarted.
type Start struct {
	Version string // of the program
	RuleSet string
	Mode    string // bind or shadow
	Options map[string]string
}

// Epoch is the fact of KindEpochStarted: the history went backwards.
type Epoch struct {
	Number   uint64
	Evidence string // what was seen: list version, object version, gone UID
	Was, Is  uint64
}

// Lead is the fact of KindLeaderGained and KindLeaderLost.
type Lead struct {
	Term uint64 // lease transitions
}
