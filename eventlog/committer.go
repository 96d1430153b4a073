package eventlog

import (
	"fmt"

	"golang.org/x/sync/semaphore"
)

// batch is the records of one Submit on their way to the committer.
type batch struct {
	records []Record
	cost    int64 // taken from Store.room, given back after the commit
}

// start begins to take records. The goroutine ends with Close.
func (s *Store) start() {
	s.room = semaphore.NewWeighted(maxPending)
	s.wake = make(chan struct{}, 1)
	s.ended = make(chan struct{})
	go s.committer()
}

// committer is the one goroutine that writes. Each turn takes all that was
// submitted during the last one and waits for nobody: a lone record is on its
// way at once, and the busier the log, the larger the commits.
func (s *Store) committer() {
	defer close(s.ended)
	var records []Record
	for range s.wake {
		batches, closing := s.take()
		records = records[:0]
		cost := int64(0)
		for _, b := range batches {
			records = append(records, b.records...)
			cost += b.cost
		}
		if len(records) > 0 {
			if err := s.commit(records); err != nil {
				s.fail(err)
				cost += s.drop()
			}
		}
		s.room.Release(cost)
		clear(records) // let go of facts and objects
		if closing {
			return
		}
	}
}

func (s *Store) take() (batches []batch, closing bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	batches, s.pending = s.pending, nil
	return batches, s.closing
}

// commit packs records into blocks and puts them on disk in one transaction:
// after a crash either all of them are found or none is. Nobody is told of a
// record before the transaction's last sync has returned.
func (s *Store) commit(records []Record) error {
	last := records[len(records)-1].Seq
	s.opts.OnCommit(CommitBegins, last)
	var blocks []packed
	for rest := records; len(rest) > 0; {
		var b packed
		b, rest = s.packer.pack(rest)
		blocks = append(blocks, b)
	}
	if err := s.seg.commit(blocks); err != nil {
		return fmt.Errorf("commit seq %d to %d: %w", records[0].Seq, last, withRoom(s.seg.path, err))
	}
	s.opts.OnCommit(CommitSynced, last)
	s.synced.reach(last)
	return nil
}

// fail closes the log for writing, for good. What a failed sync left on disk
// is not known until the file is opened anew, so nothing may be added to it.
func (s *Store) fail(reason error) {
	s.mu.Lock()
	s.err = fmt.Errorf("%w: %w", ErrFailed, reason)
	err := s.err
	s.mu.Unlock()
	s.synced.end(err)
	close(s.failed)
}

// drop empties the queue of a failed log, so that those who wait for room in
// it learn of the failure. From here on enqueue refuses, so it stays empty.
func (s *Store) drop() (cost int64) {
	batches, _ := s.take()
	for _, b := range batches {
		cost += b.cost
	}
	return cost
}
