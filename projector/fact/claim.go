package fact

// Requirement is one matchExpressions entry of a selector.
type Requirement struct {
	Key      string
	Operator string
	Values   []string
}

// Selector is spec.selector of a claim.
type Selector struct {
	Labels      map[string]string
	Expressions []Requirement
}

// Claim is the fact of a PersistentVolumeClaim.
type Claim struct {
	ResourceVersion   uint64
	UID               string
	Created           int64
	Deleting          bool
	Requests          map[string]string // spec.resources.requests, canonical
	AccessModes       []string
	VolumeMode        string
	Class             string // resolved (4.4)
	HasClass          bool   // the legacy annotation or a non-nil spec field is present (2.5)
	Attributes        string // spec.volumeAttributesClassName
	VolumeName        string
	Selector          *Selector // nil: none; empty: matches all
	DataSource        bool
	Annotations       map[string]string // only keys that binding reads
	Finalizers        []string
	Phase             string
	StatusModes       []string
	StatusCapacity    map[string]string
	CurrentAttributes *string // status.currentVolumeAttributesClassName
}
