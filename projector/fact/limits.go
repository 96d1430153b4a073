package fact

import "errors"

// Bounds of what a decoder accepts. Kubernetes objects are at most 1.5 MiB, so
// a fact cut from one is smaller; what is larger is damage.
const (
	maxBytes   = 2 << 20 // of one fact
	maxEntries = 1 << 16 // of one repeated field or map
)

var (
	// ErrMalformed is wrapped by every decoding error: the bytes are not a
	// fact of the expected type.
	ErrMalformed = errors.New("malformed fact")
	// ErrTooLarge is wrapped when bytes pass the bounds of limits.go.
	ErrTooLarge = errors.New("fact too large")
)
