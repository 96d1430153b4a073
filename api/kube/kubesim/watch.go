package kubesim

import (
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/watch"
)

// Cursor reads the changes of one kind in order. It is for one goroutine.
type Cursor struct {
	server *Server
	kind   *Kind
	sel    Selection
	at     uint64        // the last version read
	news   chan struct{} // holds one token when there may be more
	first  []watch.Event // what stood at version 0 or "" at the start
}

// Watch begins after the version; 0 begins with what there is, as Added.
func (s *Server) Watch(k *Kind, sel Selection, from uint64) (*Cursor, error) {
	f := s.fault("watch", k, sel.Namespace, "", "")
	if f.Before != nil {
		return nil, f.Before
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c := &Cursor{server: s, kind: k, sel: sel, at: from, news: make(chan struct{}, 1)}
	if from == 0 {
		c.at = s.version
		for _, obj := range s.objects[k] {
			if sel.admits(obj) {
				c.first = append(c.first, watch.Event{Type: watch.Added, Object: obj.DeepCopyObject()})
			}
		}
	}
	s.watchers[c] = struct{}{}
	c.poke()
	return c, nil
}

// Close ends the watch.
func (c *Cursor) Close() {
	c.server.mu.Lock()
	defer c.server.mu.Unlock()
	delete(c.server.watchers, c)
}

// News is readable when Next may have more.
func (c *Cursor) News() <-chan struct{} { return c.news }

// poke tells the cursor that something changed; the server holds its lock.
func (c *Cursor) poke() {
	select {
	case c.news <- struct{}{}:
	default:
	}
}

// Next is the next event, false when there is none for now. A cursor that was
// left behind by Compact gets one Error event with 410.
func (c *Cursor) Next() (watch.Event, bool) {
	if len(c.first) > 0 {
		e := c.first[0]
		c.first = c.first[1:]
		return e, true
	}
	s := c.server
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.at < s.compact {
		gone := errors.NewResourceExpired("too old resource version: " + format(c.at) + " (" + format(s.compact) + ")")
		c.at = s.version
		status := gone.Status()
		return watch.Event{Type: watch.Error, Object: &status}, true
	}
	start := len(s.history)
	for start > 0 && s.history[start-1].version > c.at {
		start--
	}
	for _, change := range s.history[start:] {
		c.at = change.version
		if e, ok := c.event(change); ok {
			return e, true
		}
	}
	return watch.Event{}, false
}

// event is a change as this watch sees it: an object that leaves its selection
// is Deleted to it.
func (c *Cursor) event(change change) (watch.Event, bool) {
	if change.kind != c.kind {
		return watch.Event{}, false
	}
	was := change.before != nil && c.sel.admits(change.before)
	is := change.after != nil && c.sel.admits(change.after)
	switch {
	case is && !was:
		return watch.Event{Type: watch.Added, Object: change.after.DeepCopyObject()}, true
	case is:
		return watch.Event{Type: watch.Modified, Object: change.after.DeepCopyObject()}, true
	case was:
		last := change.before.DeepCopyObject()
		accessor(last).SetResourceVersion(format(change.version))
		return watch.Event{Type: watch.Deleted, Object: last}, true
	}
	return watch.Event{}, false
}

// Bookmark is a Bookmark event at the version that the watch has reached.
func (c *Cursor) Bookmark() watch.Event {
	obj := c.kind.make()
	accessor(obj).SetResourceVersion(format(c.at))
	obj.GetObjectKind().SetGroupVersionKind(c.kind.GroupVersionKind())
	return watch.Event{Type: watch.Bookmark, Object: obj}
}
