package eventlog

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/semaphore"
)

// Store is a log in a directory. All methods may be called at any time from
// any goroutine.
type Store struct {
	path     string
	opts     Options
	readOnly bool
	lock     *os.File
	seg      *segment
	suspect  error // of a reader: damage found at the log's end

	synced durability
	room   *semaphore.Weighted // bounds what waits for the committer
	wake   chan struct{}       // bound 1: "there is something pending, or the end"
	ended  chan struct{}       // closed when the committer has returned
	failed chan struct{}       // closed when a commit failed

	packer packer      // the committer's alone
	recent blockCache  // for Read
	warm   atomic.Bool // the file was read through since it was opened

	mu       sync.Mutex // guards all below
	manifest *manifest
	numbers  numberer
	pending  []batch // numbered, in order, not yet taken by the committer
	closing  bool
	err      error // why a commit failed

	readers sync.RWMutex // held for reading by reads, for writing by Close
	closed  bool         // guarded by readers
	closeMu sync.Mutex   // one Close at a time
	closeEr error        // what the first Close returned; guarded by closeMu
}

var _ Log = (*Store)(nil)

// Identity is which log and cluster this is.
func (s *Store) Identity() Identity {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.manifest.identity()
}

// Path is the log's directory.
func (s *Store) Path() string { return s.path }

// SetCluster gives a log that does not know its cluster the UID of the one it
// is about, durably, and refuses another one with a WrongClusterError. Who
// learns the UID only after Open calls it before the first Submit.
func (s *Store) SetCluster(uid string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.manifest.ClusterUID == uid:
		return nil
	case s.manifest.ClusterUID != "":
		return &WrongClusterError{Path: s.path, Field: "uid", Log: s.manifest.ClusterUID, Want: uid}
	case s.readOnly:
		return ErrReadOnly
	case s.closing:
		return ErrClosed
	}
	m := *s.manifest
	m.ClusterUID = uid
	if err := m.write(s.path); err != nil {
		return fmt.Errorf("set cluster: %w", err)
	}
	s.manifest = &m
	return nil
}

// Submit numbers drafts and queues them for the committer; see Log. The bytes
// of the drafts belong to the log from then on.
func (s *Store) Submit(ctx context.Context, drafts ...Draft) ([]Record, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if s.readOnly {
		return nil, fmt.Errorf("submit: %w", ErrReadOnly)
	}
	cost := int64(0)
	for i := range drafts {
		if err := drafts[i].check(); err != nil {
			return nil, fmt.Errorf("submit: draft %d: %w", i, err)
		}
		cost += int64(len(drafts[i].Fact)+len(drafts[i].Object)) + recordCost
	}
	// One call above the bound waits for an empty queue instead of for ever.
	cost = min(cost, maxPending)
	if err := s.room.Acquire(ctx, cost); err != nil {
		return nil, err
	}
	records, err := s.enqueue(drafts, cost)
	if err != nil || len(records) == 0 {
		s.room.Release(cost)
		if err != nil {
			return nil, fmt.Errorf("submit: %w", err)
		}
		return nil, nil
	}
	select {
	case s.wake <- struct{}{}:
	default: // it knows already
	}
	return records, nil
}

func (s *Store) enqueue(drafts []Draft, cost int64) ([]Record, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.err != nil:
		return nil, s.err
	case s.closing:
		return nil, ErrClosed
	}
	records, err := s.numbers.number(s.opts.Now(), drafts)
	if err != nil || len(records) == 0 {
		return nil, err
	}
	// The committer gets a slice of its own: the caller may do with the
	// returned records what it likes.
	s.pending = append(s.pending, batch{records: append([]Record(nil), records...), cost: cost})
	return records, nil
}

// Append is Submit, then Wait for the last number.
func (s *Store) Append(ctx context.Context, drafts ...Draft) ([]Record, error) {
	records, err := s.Submit(ctx, drafts...)
	if err != nil || len(records) == 0 {
		return records, err
	}
	return records, s.Wait(ctx, records[len(records)-1].Seq)
}

// Head is the last number given out.
func (s *Store) Head() Seq {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.numbers.head
}

// Durable is the last number on disk.
func (s *Store) Durable() Seq { return s.synced.get() }

// Wait returns once seq is durable; it may wait for a seq that nobody has
// submitted yet. Of a log that failed or was closed, it still returns nil for
// what is durable.
func (s *Store) Wait(ctx context.Context, seq Seq) error {
	if err := s.synced.wait(ctx, seq); err != nil {
		return fmt.Errorf("wait for seq %d: %w", seq, err)
	}
	return nil
}

// Failed is closed when a commit failed; Err then tells why.
func (s *Store) Failed() <-chan struct{} { return s.failed }

// Err is why a commit failed, wrapping ErrFailed; nil while all is well.
func (s *Store) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// Close commits what was submitted, waits for reads in progress and releases
// the directory. It returns the commit's error if that, or an earlier one,
// failed. A second call returns what the first one did.
func (s *Store) Close() error {
	s.closeMu.Lock()
	defer s.closeMu.Unlock()
	if s.closed {
		return s.closeEr
	}
	s.mu.Lock()
	s.closing = true
	s.mu.Unlock()
	if !s.readOnly {
		select {
		case s.wake <- struct{}{}:
		default:
		}
		<-s.ended
	}
	s.synced.end(ErrClosed)
	s.readers.Lock()
	defer s.readers.Unlock()
	s.closed = true
	err := s.Err()
	// After a panic inside a write transaction bbolt holds its own locks for
	// good, and closing it would wait for them.
	if !errors.Is(err, errPage) {
		err = errors.Join(err, s.seg.close())
	}
	s.closeEr = errors.Join(err, unlock(s.lock, !s.readOnly))
	return s.closeEr
}

// Records yields durable records; see Log. A consumer may append to the log
// and may take its time: no read transaction is open while it works. Damage
// ends it with a CorruptError, GapError or ForkError that names the seqs.
func (s *Store) Records(first, last Seq) iter.Seq2[Record, error] {
	return s.iterate(first, last, true, false)
}

// Facts is Records without the full objects, which are not even unpacked: what
// a projection folds.
func (s *Store) Facts(first, last Seq) iter.Seq2[Record, error] {
	return s.iterate(first, last, false, false)
}

// RecordsLenient is Records that yields the error of a damaged range and goes
// on behind it. It is for looking at a damaged log, never for deciding.
func (s *Store) RecordsLenient(first, last Seq) iter.Seq2[Record, error] {
	return s.iterate(first, last, true, true)
}

func (s *Store) iterate(first, last Seq, objects, lenient bool) iter.Seq2[Record, error] {
	durable := s.Durable()
	toEnd := last == 0 || last > durable
	if toEnd {
		last = durable
	}
	first = max(first, 1)
	return func(yield func(Record, error) bool) {
		s.warmUp(first, last)
		sc := scan{seg: s.seg, next: first, last: last, objects: objects}
		for {
			var b *block
			err := s.reading(func() (err error) { b, err = sc.block(); return err })
			if err != nil {
				if !yield(Record{}, fmt.Errorf("records: %w", err)) || !lenient || !sc.skip(err) {
					return
				}
				continue
			}
			if b == nil {
				break
			}
			for i := range b.records {
				r := b.records[i].Record
				if r.Seq < first || r.Seq > last {
					continue
				}
				if !yield(r, nil) {
					return
				}
			}
		}
		if s.suspect != nil && toEnd {
			yield(Record{}, fmt.Errorf("records: %w", s.suspect))
		}
	}
}

// warmUp reads the file through once before the first long scan: bbolt tells
// the system to expect random reads, and a cold scan is some thirty times
// slower without (log.md, measured fact 4). It cannot fail: the scan will.
func (s *Store) warmUp(first, last Seq) {
	const long = 50_000
	if last < first+long || s.warm.Swap(true) {
		return
	}
	_ = s.reading(func() error { return readThrough(context.Background(), s.seg.path) })
}

// Read returns one durable record.
func (s *Store) Read(seq Seq) (Record, error) {
	if seq == 0 || seq > s.Durable() {
		return Record{}, fmt.Errorf("read seq %d: %w", seq, ErrNotFound)
	}
	var b *block
	err := s.reading(func() (err error) {
		if b = s.recent.get(seq); b != nil {
			return nil
		}
		sc := scan{seg: s.seg, next: seq, last: seq, objects: true}
		if b, err = sc.block(); err == nil {
			s.recent.put(b)
		}
		return err
	})
	if err != nil {
		return Record{}, fmt.Errorf("read seq %d: %w", seq, err)
	}
	return b.records[seq-b.first].Record, nil
}

// reading keeps Close out while a read uses the file.
func (s *Store) reading(read func() error) error {
	s.readers.RLock()
	defer s.readers.RUnlock()
	if s.closed {
		return ErrClosed
	}
	return read()
}
