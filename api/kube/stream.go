package kube

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"bindery/eventlog"
	"bindery/projector/fact"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/pager"
)

// stream is the list and watch of one resource: the ListerWatcher that the
// reflector drives. The reflector calls it from one goroutine at a time.
type stream struct {
	kind
	opts  SourceOptions
	cause string // why the next list is made: start, gone, cut
	stale int    // lists in a row that were older than the log
	last  map[eventlog.UID]string
	ends  sync.WaitGroup
}

// insistent is how many lists in a row must be older than the log before the
// server is believed: its history went backwards.
const insistent = 3

// putAtOnce bounds the drafts of one Put.
const putAtOnce = 512

func newStream(k kind, opts SourceOptions) *stream {
	return &stream{kind: k, opts: opts, cause: "start", last: map[eventlog.UID]string{}}
}

// IsWatchListSemanticsUnSupported keeps the reflector from streaming lists:
// a list must be seen to start and to complete.
func (s *stream) IsWatchListSemanticsUnSupported() bool { return true }

// wait returns once no list and no watch of the stream is running any more.
func (s *stream) wait() { s.ends.Wait() }

// List is the old form of ListWithContext.
func (s *stream) List(o metav1.ListOptions) (runtime.Object, error) {
	return s.ListWithContext(context.Background(), o)
}

// Watch is the old form of WatchWithContext.
func (s *stream) Watch(o metav1.ListOptions) (watch.Interface, error) {
	return s.WatchWithContext(context.Background(), o)
}

// ListWithContext lists everything at the newest version (resourceVersion ""),
// records it, and returns it as one page.
func (s *stream) ListWithContext(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
	s.ends.Add(1)
	defer s.ends.Done()
	started := eventlog.Draft{Kind: eventlog.KindListStarted, Subject: about(s.resource), Fact: fact.List{}.Append(nil)}
	if err := s.opts.Sink.Put(ctx, started); err != nil {
		return nil, err
	}
	pages := pager.New(func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) { return s.list(ctx, o) })
	list, _, err := pages.List(ctx, metav1.ListOptions{})
	if err == nil {
		err = s.listed(ctx, list)
	} else {
		err = s.listFailed(ctx, err)
	}
	if err != nil {
		if ctx.Err() == nil {
			s.opts.OnError(s.plural, err)
		}
		return nil, err
	}
	return list, nil
}

// listFailed records a list that brought nothing.
func (s *stream) listFailed(ctx context.Context, err error) error {
	failed := fact.List{Error: err.Error()}
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		failed.Code = status.Status().Code
	}
	d := eventlog.Draft{Kind: eventlog.KindListCompleted, Subject: about(s.resource), Fact: failed.Append(nil)}
	if putErr := s.opts.Sink.Put(ctx, d); putErr != nil {
		return putErr
	}
	return err
}

// listed records a list that came back: what it shows anew, what it lacks, and
// last that it is complete.
func (s *stream) listed(ctx context.Context, list runtime.Object) error {
	accessor, err := meta.ListAccessor(list)
	if err != nil {
		return err
	}
	items, err := meta.ExtractList(list)
	if err != nil {
		return err
	}
	version := fact.ParseVersion(accessor.GetResourceVersion())
	view := s.opts.View()
	recorded := view.LastVersion(s.resource)
	var drafts []eventlog.Draft
	if version < recorded {
		err := fmt.Errorf("list at version %d is older than the log, which holds %d", version, recorded)
		if s.stale++; s.stale < insistent {
			return s.listFailed(ctx, err)
		}
		epoch := fact.Epoch{Number: view.Epoch() + 1, Evidence: "list version", Was: recorded, Is: version}
		d := eventlog.Draft{Kind: eventlog.KindEpochStarted, Subject: about(s.resource), Fact: epoch.Append(nil)}
		if err := s.opts.Sink.Put(ctx, d); err != nil {
			return err
		}
		clear(s.last)
		view = s.opts.View()
		recorded = 0
	}
	s.stale = 0
	if recorded > 0 && version > recorded {
		gap := fact.Gap{From: recorded, To: version, Cause: s.cause}
		drafts = append(drafts, eventlog.Draft{Kind: eventlog.KindGap, Subject: about(s.resource), Fact: gap.Append(nil)})
	}
	changes, err := s.compare(view.Known(s.resource), items, version)
	if err != nil {
		return err
	}
	drafts = append(drafts, changes...)
	done := fact.List{Version: version, Items: uint64(len(items))}
	drafts = append(drafts, eventlog.Draft{Kind: eventlog.KindListCompleted, Subject: about(s.resource), Fact: done.Append(nil)})
	for len(drafts) > 0 {
		n := min(len(drafts), putAtOnce)
		if err := s.opts.Sink.Put(ctx, drafts[:n]...); err != nil {
			return err
		}
		drafts = drafts[n:]
	}
	s.cause = "cut"
	return nil
}
