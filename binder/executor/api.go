package executor

import (
	"context"

	"bindery/eventlog"
	"bindery/projector/fact"

	"k8s.io/apimachinery/pkg/runtime"
)

// API is what the executor asks of a cluster: one write, one live read. Both
// return the object as the server holds it. An error that is an
// apimachinery APIStatus is the server's answer; any other error means that
// the outcome is unknown, or, if it wraps ErrNotSent, that nothing was sent.
type API interface {
	// Patch sends the step as a JSON merge patch that carries metadata.uid
	// and metadata.resourceVersion = version, with field manager bindery.
	Patch(ctx context.Context, step fact.Step, version uint64) (runtime.Object, error)
	// Get reads the object by name without a resourceVersion: the newest.
	Get(ctx context.Context, subject eventlog.Subject) (runtime.Object, error)
}

// Sink takes drafts from a source, in order. It blocks while the log's queue
// is full: when the disk stalls the watch is read no further.
type Sink interface {
	Put(ctx context.Context, drafts ...eventlog.Draft) error
}
