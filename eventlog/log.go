package eventlog

import (
	"context"
	"iter"
)

// Identity is what a log is: one life (incarnation) of one cluster's history.
type Identity struct {
	ID          string // ULID, made once
	ClusterName string
	ClusterUID  string // UID of namespace kube-system; empty until known
}

// Log is an append-only log with a single committer. Open gives the durable
// one, NewMemory one for tests; eventlog/logtest checks both.
//
// Submit numbers drafts and queues them for the committer, in call order,
// without waiting for the disk; effects of a record wait for Durable. Once a
// commit failed the log is closed for writing for good: Submit, Append and
// Wait return an error that wraps ErrFailed.
type Log interface {
	Identity() Identity
	// Submit numbers the drafts, stamps their time and queues them as one
	// batch. It blocks only when the bounded queue is full. Safe for
	// concurrent use; the numbers of one call are contiguous. The drafts' bytes
	// belong to the log from then on.
	Submit(ctx context.Context, drafts ...Draft) ([]Record, error)
	// Append is Submit, then Wait for the last number.
	Append(ctx context.Context, drafts ...Draft) ([]Record, error)
	// Head is the last number given out, Durable the last one on disk.
	Head() Seq
	Durable() Seq
	// Wait returns once seq is durable.
	Wait(ctx context.Context, seq Seq) error
	// Records yields the durable records from first to last (0 = up to the
	// durable head at the time of the call). After an error it stops.
	Records(first, last Seq) iter.Seq2[Record, error]
	// Read returns one durable record.
	Read(seq Seq) (Record, error)
	// Failed is closed when a commit failed; Err then tells why.
	Failed() <-chan struct{}
	Err() error
	// Close makes all submitted records durable and releases the log.
	Close() error
}
