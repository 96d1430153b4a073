package executor

import (
	"context"
	"net/http"
	"sync"
	"time"

	"bindery/eventlog"
	"bindery/projector/fact"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
)

// Pause between attempts of a read that got no answer: the server is down or
// overloaded, and nothing can be judged before it answers.
const (
	readPauseStart = 50 * time.Millisecond
	readPauseMax   = 2 * time.Second
	refusedPause   = time.Minute // the server answers, and the answer is no
)

// dispatch starts the effects of a step. Each waits until everything up to
// effects.After is durable: after that line a crash leaves an Intended without
// a result in the log, which the next start reads back.
func (e *Executor) dispatch(ctx context.Context, group *sync.WaitGroup, effects Effects) {
	start := func(work func()) {
		group.Go(func() {
			if e.opts.Log.Wait(ctx, effects.After) != nil {
				return // stopping, or the log failed: nothing is acted on
			}
			select {
			case e.slots <- struct{}{}:
				defer func() { <-e.slots }()
			case <-ctx.Done():
				return
			}
			work()
		})
	}
	for _, begin := range effects.Plans {
		start(func() { e.carryOut(ctx, begin) })
	}
	for _, ask := range effects.Reads {
		start(func() { e.readLive(ctx, ask) })
	}
	for _, alarm := range effects.Alarms {
		group.Go(func() { e.wait(ctx, alarm) })
	}
}

// carryOut takes one plan to its final result, or to the end of ctx, after
// which the next start takes it over.
func (e *Executor) carryOut(ctx context.Context, begin Begin) {
	if !begin.Resume {
		e.point("intended-durable")
	}
	run := NewRun(begin)
	pause := readPauseStart
	for written := 0; ctx.Err() == nil; {
		request := run.Next()
		var drafts []eventlog.Draft
		switch request.Action {
		case ActionDone:
			return
		case ActionPatch:
			obj, err := e.opts.API.Patch(ctx, request.Step, request.Version)
			if ctx.Err() != nil && err != nil {
				return
			}
			if written++; err == nil {
				e.point(afterWrite(written))
			}
			drafts = run.Answer(obj, err)
		case ActionGet:
			obj, err := e.opts.API.Get(ctx, request.Step.Subject)
			if ctx.Err() != nil && err != nil {
				return
			}
			if drafts = run.Answer(obj, err); drafts == nil {
				pause = e.pause(ctx, pause)
				continue
			}
			pause = readPauseStart
		}
		if len(drafts) == 0 {
			continue
		}
		if run.Next().Action == ActionDone {
			e.point("result-not-appended")
		}
		if e.send(ctx, envelope{drafts: drafts}) != nil {
			return
		}
	}
}

// readLive makes one live read that a decision asked for, until it is answered.
func (e *Executor) readLive(ctx context.Context, ask Ask) {
	for pause := readPauseStart; ctx.Err() == nil; {
		obj, err := e.opts.API.Get(ctx, ask.Subject)
		var d eventlog.Draft
		switch {
		case apierrors.IsNotFound(err):
			d = fact.NotFoundDraft(ask.Subject, "", ask.Seq)
		case err == nil:
			d, err = fact.AskedDraft(obj, fact.SourceLiveRead, fact.VerbRead, ask.Seq)
		}
		if err != nil && !apierrors.IsNotFound(err) {
			if status := code(err); status >= 400 && status < 500 && status != http.StatusTooManyRequests {
				if e.opts.OnReadRefused != nil {
					e.opts.OnReadRefused(ask.Subject, err)
				}
				pause = refusedPause
			}
			pause = e.pause(ctx, pause)
			continue
		}
		drafts := []eventlog.Draft{d}
		if d.Kind == eventlog.KindObserved && d.Subject.UID != ask.Subject.UID {
			found := ""
			if accessor, err := meta.Accessor(obj); err == nil {
				found = string(accessor.GetUID())
			}
			drafts = []eventlog.Draft{fact.NotFoundDraft(ask.Subject, found, ask.Seq), d}
		}
		_ = e.send(ctx, envelope{drafts: drafts}) // fails only when stopping
		return
	}
}

// wait puts in a TimerFired when the alarm is due.
func (e *Executor) wait(ctx context.Context, alarm Alarm) {
	timer := time.NewTimer(alarm.Due.Sub(e.opts.Now()))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return
	case <-timer.C:
	}
	fired := fact.Timer{Purpose: alarm.Purpose, Due: alarm.Due.UnixNano()}
	subject := eventlog.Subject{Resource: alarm.ID.Resource, Namespace: alarm.ID.Namespace, Name: alarm.ID.Name}
	_ = e.send(ctx, envelope{drafts: []eventlog.Draft{
		draft(eventlog.KindTimerFired, subject, nil, fired.Append(nil)),
	}}) // fails only when stopping
}

// pause waits before a read is made again and returns the next, longer pause.
func (e *Executor) pause(ctx context.Context, d time.Duration) time.Duration {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
	return min(2*d, readPauseMax)
}
