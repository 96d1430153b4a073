package eventlog

import (
	"context"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"sync"

	"github.com/oklog/ulid/v2"
)

// Memory is a log in memory, for tests and simulation. It keeps a Store's
// rules with these differences: its queue has no bound, so Submit never
// blocks; with Options.ManualSync records become durable only when Sync is
// called, which a single-threaded simulation needs; Fail and Reopen play a
// failing disk and a crash.
type Memory struct {
	synced durability
	failed chan struct{}

	mu       sync.Mutex // guards all below
	opts     Options
	identity Identity
	numbers  numberer
	records  []Record // index seq-1; those up to durable never change
	closed   bool
	err      error
}

var _ Log = (*Memory)(nil)

// NewMemory makes an empty log in memory. With the zero Options its id and all
// else but the clock are the same each time.
func NewMemory(o Options) *Memory {
	if o.Rand == nil {
		o.Rand = rand.NewChaCha8([32]byte{})
	}
	o.fill()
	var id ulid.ULID
	_ = id.SetTime(nanos(o.Now()) / 1e6)
	if _, err := io.ReadFull(o.Rand, id[6:]); err != nil {
		panic(fmt.Sprintf("eventlog: Options.Rand: %v", err))
	}
	return newMemory(o, Identity{ID: id.String(), ClusterName: o.ClusterName, ClusterUID: o.ClusterUID}, nil)
}

func newMemory(o Options, id Identity, records []Record) *Memory {
	m := &Memory{opts: o, identity: id, records: records, failed: make(chan struct{})}
	if n := len(records); n > 0 {
		m.numbers = numberer{head: records[n-1].Seq, last: records[n-1].Time}
		m.synced.durable = m.numbers.head
	}
	return m
}

// Identity is which log and cluster this is.
func (m *Memory) Identity() Identity {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.identity
}

// SetCluster gives a log without cluster identity its cluster, and refuses
// another one with a WrongClusterError.
func (m *Memory) SetCluster(uid string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.identity.ClusterUID != "" && m.identity.ClusterUID != uid {
		return &WrongClusterError{Path: "memory", Field: "uid", Log: m.identity.ClusterUID, Want: uid}
	}
	m.identity.ClusterUID = uid
	return nil
}

// Submit numbers drafts; see Log.
func (m *Memory) Submit(ctx context.Context, drafts ...Draft) ([]Record, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for i := range drafts {
		if err := drafts[i].check(); err != nil {
			return nil, fmt.Errorf("submit: draft %d: %w", i, err)
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.refusal(); err != nil {
		return nil, fmt.Errorf("submit: %w", err)
	}
	records, err := m.numbers.number(m.opts.Now(), drafts)
	if err != nil {
		return nil, fmt.Errorf("submit: %w", err)
	}
	m.records = append(m.records, records...)
	if !m.opts.ManualSync && len(records) > 0 {
		m.sync(m.numbers.head)
	}
	return records, nil
}

// refusal needs m.mu.
func (m *Memory) refusal() error {
	switch {
	case m.err != nil:
		return m.err
	case m.closed:
		return ErrClosed
	}
	return nil
}

// Append submits and waits; see Log. With ManualSync someone else has to call
// Sync meanwhile.
func (m *Memory) Append(ctx context.Context, drafts ...Draft) ([]Record, error) {
	records, err := m.Submit(ctx, drafts...)
	if err != nil || len(records) == 0 {
		return records, err
	}
	return records, m.Wait(ctx, records[len(records)-1].Seq)
}

// Sync makes records up to last durable (0 = all submitted ones) and returns
// the new durable number.
func (m *Memory) Sync(last Seq) Seq {
	m.mu.Lock()
	defer m.mu.Unlock()
	if last == 0 || last > m.numbers.head {
		last = m.numbers.head
	}
	if m.err == nil && last > m.synced.get() {
		m.sync(last)
	}
	return m.synced.get()
}

// sync needs m.mu.
func (m *Memory) sync(last Seq) {
	m.opts.OnCommit(CommitBegins, last)
	m.opts.OnCommit(CommitSynced, last)
	m.synced.reach(last)
}

// Fail plays a commit that failed: the log is closed for writing for good.
func (m *Memory) Fail(reason error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err != nil || m.closed {
		return
	}
	m.err = fmt.Errorf("%w: %w", ErrFailed, reason)
	m.synced.end(m.err)
	close(m.failed)
}

// Reopen plays a crash and a restart: a new log that holds the durable records
// of this one. The old one, unless it was closed, is ended as by Fail.
func (m *Memory) Reopen() *Memory {
	m.Fail(ErrClosed)
	m.mu.Lock()
	defer m.mu.Unlock()
	n := int(m.synced.get())
	return newMemory(m.opts, m.identity, m.records[:n:n])
}

// Head is the last number given out.
func (m *Memory) Head() Seq {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.numbers.head
}

// Durable is the last durable number.
func (m *Memory) Durable() Seq { return m.synced.get() }

// Wait returns once seq is durable; see Log.
func (m *Memory) Wait(ctx context.Context, seq Seq) error {
	if err := m.synced.wait(ctx, seq); err != nil {
		return fmt.Errorf("wait for seq %d: %w", seq, err)
	}
	return nil
}

// Records yields durable records; see Log.
func (m *Memory) Records(first, last Seq) iter.Seq2[Record, error] {
	span, err := m.span(first, last)
	return func(yield func(Record, error) bool) {
		if err != nil {
			yield(Record{}, fmt.Errorf("records: %w", err))
			return
		}
		for _, r := range span {
			if !yield(r, nil) {
				return
			}
		}
	}
}

func (m *Memory) span(first, last Seq) ([]Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, ErrClosed
	}
	durable := m.synced.get()
	if last == 0 || last > durable {
		last = durable
	}
	first = max(first, 1)
	if first > last {
		return nil, nil
	}
	return m.records[first-1 : last], nil
}

// Read returns one durable record.
func (m *Memory) Read(seq Seq) (Record, error) {
	span, err := m.span(seq, seq)
	if err == nil && (seq == 0 || len(span) == 0) {
		err = ErrNotFound
	}
	if err != nil {
		return Record{}, fmt.Errorf("read seq %d: %w", seq, err)
	}
	return span[0], nil
}

// Failed is closed by Fail.
func (m *Memory) Failed() <-chan struct{} { return m.failed }

// Err tells why the log failed.
func (m *Memory) Err() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.err
}

// Close makes all submitted records durable. What was durable can still be
// read.
func (m *Memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed || m.err != nil {
		m.closed = true
		return m.err
	}
	if m.numbers.head > m.synced.get() {
		m.sync(m.numbers.head)
	}
	m.closed = true
	m.synced.end(ErrClosed)
	return nil
}
