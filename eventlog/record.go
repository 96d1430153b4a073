package eventlog

import "time"

// Seq is a record's number. Numbers start at 1, have no holes, and are the
// only order inside a log.
type Seq uint64

// UID is a Kubernetes object UID as 16 bytes. The zero UID means none.
type UID [16]byte

// Resource is the short name of a watched resource.
type Resource uint8

// The resources a subject can be of. Numbers are part of the format.
const (
	ResourceNone Resource = iota
	ResourceVolume
	ResourceClaim
	ResourceClass
	ResourcePod
	ResourceNode
)

// Subject names the object a record is about. Records about the process or
// about a whole resource leave the rest empty.
type Subject struct {
	Resource  Resource
	Namespace string
	Name      string
	UID       UID
}

// Draft is a record before it has a number: what sources, the binder and the
// writers hand to the log.
type Draft struct {
	Kind    Kind
	Version uint8 // version of the kind's fact; 0 means 1
	Cause   []Seq // the records that led to this one
	Subject Subject
	Fact    []byte // canonical bytes; what the projection folds
	Object  []byte // the full object, protobuf, trimmed; may be empty
}

// Record is one numbered entry of the log. Its bytes never change.
type Record struct {
	Seq     Seq
	Kind    Kind
	Version uint8
	Time    time.Time // recorded time, UTC; never before the previous record's
	Clock   time.Time // the raw clock reading that Time was made from
	Cause   []Seq
	Subject Subject
	Fact    []byte
	Object  []byte

	// Withheld names the parts that are not in the log any more: redacted,
	// erased or aged out. Their commitments keep the record's leaf valid.
	Withheld Parts
	// Unknown holds what a newer program wrote beside the fields above.
	Unknown Unknown
}

// Parts is a set of parts, bit n-1 for part number n.
type Parts uint8

// Has reports whether the set holds a part.
func (p Parts) Has(n PartNumber) bool { return n > 0 && p&(1<<(n-1)) != 0 }

func (p Parts) with(n PartNumber) Parts { return p | 1<<(n-1) }

// Unknown is the encoded fields that this program has no name for. They are
// part of the record's leaf and are kept as they are.
type Unknown struct {
	Envelope []byte
	Subject  []byte
}
