package executor

import "bindery/projector"

// edges remembers what each subject's last decision read, both ways round, so
// that a change wakes exactly those who rest on it (design.md section 3).
type edges struct {
	reads   map[projector.ID][]projector.Key
	waiters map[projector.Key]map[projector.ID]struct{}
}

func newEdges() *edges {
	return &edges{
		reads:   map[projector.ID][]projector.Key{},
		waiters: map[projector.Key]map[projector.ID]struct{}{},
	}
}

// set replaces the keys that id rests on.
func (e *edges) set(id projector.ID, keys []projector.Key) {
	for _, key := range e.reads[id] {
		if waiting := e.waiters[key]; waiting != nil {
			delete(waiting, id)
			if len(waiting) == 0 {
				delete(e.waiters, key)
			}
		}
	}
	if len(keys) == 0 {
		delete(e.reads, id)
		return
	}
	e.reads[id] = keys
	for _, key := range keys {
		waiting := e.waiters[key]
		if waiting == nil {
			waiting = map[projector.ID]struct{}{}
			e.waiters[key] = waiting
		}
		waiting[id] = struct{}{}
	}
}

// wake calls f for each subject that rests on the key. The order is open: the
// agenda puts it right.
func (e *edges) wake(key projector.Key, f func(projector.ID)) {
	for id := range e.waiters[key] {
		f(id)
	}
}
