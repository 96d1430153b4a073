package kube

import (
	"context"
	"errors"
	"net/http"

	"bindery/eventlog"
	"bindery/projector/fact"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// WatchWithContext begins a watch whose events are recorded before the
// reflector sees them.
func (s *stream) WatchWithContext(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
	o.AllowWatchBookmarks = true
	real, err := s.watch(ctx, o)
	if err != nil {
		if ctx.Err() == nil {
			s.opts.OnError(s.plural, err)
			if putErr := s.ended(ctx, err); putErr != nil {
				return nil, putErr
			}
		}
		return nil, err
	}
	w := &recorded{stream: s, real: real, events: make(chan watch.Event), stopped: make(chan struct{})}
	s.ends.Add(1)
	go w.run(ctx)
	return w, nil
}

// ended records why a watch ended. 410 means that what comes next is a list
// with a gap.
func (s *stream) ended(ctx context.Context, err error) error {
	end := fact.Watch{Cause: "closed", Version: s.opts.View().LastVersion(s.resource)}
	if err != nil {
		end.Cause, end.Error = "error", err.Error()
		if code(err) == http.StatusGone {
			end.Cause, s.cause = "gone", "gone"
		}
	}
	d := eventlog.Draft{Kind: eventlog.KindWatchEnded, Subject: about(s.resource), Fact: end.Append(nil)}
	return s.opts.Sink.Put(ctx, d)
}

// recorded is a watch that is recorded as it is read: one event is taken from
// the server, put into the log, and only then handed on.
type recorded struct {
	*stream
	real    watch.Interface
	events  chan watch.Event
	stopped chan struct{}
}

// Stop ends the watch; the reflector calls it once.
func (w *recorded) Stop() {
	close(w.stopped)
	w.real.Stop()
}

// ResultChan gives the events, each after it is in the log's order.
func (w *recorded) ResultChan() <-chan watch.Event { return w.events }

func (w *recorded) run(ctx context.Context) {
	defer w.ends.Done()
	defer close(w.events)
	for event := range w.real.ResultChan() {
		d, err := w.draft(event)
		if err != nil {
			// The server's error event, or an object that cannot be read. Why
			// the watch ended is recorded before the reflector can list again.
			w.end(ctx, err)
			w.hand(ctx, event)
			return
		}
		if d != nil && w.opts.Sink.Put(ctx, *d) != nil {
			return // stopping: the closed channel tells the reflector
		}
		w.hand(ctx, event)
	}
	w.end(ctx, nil)
}

// hand gives an event to the reflector.
func (w *recorded) hand(ctx context.Context, event watch.Event) {
	select {
	case w.events <- event:
	case <-w.stopped:
	case <-ctx.Done():
	}
}

// end records the end of the watch, unless it ends because everything does.
func (w *recorded) end(ctx context.Context, cause error) {
	if ctx.Err() == nil {
		_ = w.stream.ended(ctx, cause) // fails only when stopping
	}
}

// draft is what the log keeps of an event, nil for nothing.
func (w *recorded) draft(event watch.Event) (*eventlog.Draft, error) {
	var d eventlog.Draft
	var err error
	switch event.Type {
	case watch.Added, watch.Modified:
		verb := fact.VerbAdded
		if event.Type == watch.Modified {
			verb = fact.VerbModified
		}
		if d, err = fact.ObservedDraft(event.Object, fact.SourceWatch, verb); err == nil && !w.changed(d) {
			return nil, nil
		}
	case watch.Deleted:
		if d, err = fact.DeletedDraft(event.Object); err == nil {
			delete(w.last, d.Subject.UID)
		}
	case watch.Bookmark:
		accessor, accessErr := meta.Accessor(event.Object)
		if accessErr != nil {
			return nil, accessErr
		}
		mark := fact.Watch{Version: fact.ParseVersion(accessor.GetResourceVersion())}
		d = eventlog.Draft{Kind: eventlog.KindBookmark, Subject: about(w.resource), Fact: mark.Append(nil)}
	case watch.Error:
		return nil, apierrors.FromObject(event.Object)
	default:
		return nil, nil
	}
	return &d, err
}

// code is the HTTP status of an API error, 0 when it is none.
func code(err error) int32 {
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		return status.Status().Code
	}
	return 0
}
