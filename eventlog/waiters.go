package eventlog

import (
	"container/heap"
	"context"
	"sync"
)

// durability is how far a log is durable, and who waits for more. Nobody
// polls: each waiter is told once, when its number is durable or never will be.
type durability struct {
	mu      sync.Mutex // guards all below
	durable Seq
	ended   error // set once: what a waiter for a later seq is told
	waiters waiterHeap
}

type waiter struct {
	seq  Seq
	told chan struct{}
}

func (d *durability) get() Seq {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.durable
}

// reach makes seq durable and tells all who waited for no more than that.
func (d *durability) reach(seq Seq) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.durable = max(d.durable, seq)
	for len(d.waiters) > 0 && d.waiters[0].seq <= d.durable {
		close(heap.Pop(&d.waiters).(*waiter).told)
	}
}

// end tells everyone who still waits that it was in vain, and why. The first
// reason stays.
func (d *durability) end(reason error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ended == nil {
		d.ended = reason
	}
	for _, w := range d.waiters {
		close(w.told)
	}
	d.waiters = nil
}

func (d *durability) wait(ctx context.Context, seq Seq) error {
	d.mu.Lock()
	if seq <= d.durable || d.ended != nil {
		defer d.mu.Unlock()
		return d.outcome(seq)
	}
	w := &waiter{seq: seq, told: make(chan struct{})}
	heap.Push(&d.waiters, w)
	d.mu.Unlock()
	select {
	case <-w.told:
		d.mu.Lock()
		defer d.mu.Unlock()
		return d.outcome(seq)
	case <-ctx.Done():
		d.mu.Lock()
		defer d.mu.Unlock()
		d.waiters.remove(w)
		return ctx.Err()
	}
}

// outcome needs the lock.
func (d *durability) outcome(seq Seq) error {
	if seq <= d.durable {
		return nil
	}
	return d.ended
}

// waiterHeap orders waiters by seq, for container/heap.
type waiterHeap []*waiter

func (h waiterHeap) Len() int           { return len(h) }
func (h waiterHeap) Less(i, j int) bool { return h[i].seq < h[j].seq }
func (h waiterHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *waiterHeap) Push(x any)        { *h = append(*h, x.(*waiter)) }
func (h *waiterHeap) Pop() any {
	last := len(*h) - 1
	w := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	return w
}

// remove forgets a waiter that gave up; it may have been told already.
func (h *waiterHeap) remove(w *waiter) {
	for i := range *h {
		if (*h)[i] == w {
			heap.Remove(h, i)
			return
		}
	}
}
