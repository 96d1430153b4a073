package executor

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"bindery/eventlog"
	"bindery/projector"
	"bindery/projector/fact"

	"golang.org/x/sync/errgroup"
)

// Options configure an Executor. Log is required; API is required unless the
// mode is shadow and no live read is wanted.
type Options struct {
	Log  eventlog.Log
	API  API
	Mode string // bind or shadow; empty is shadow

	Version string            // of the program, for the Started record
	RuleSet string            // hash of the rule set, for the Started record
	Flags   map[string]string // options worth recording

	// Elected makes the executor wait for Lead before it decides anything.
	Elected bool
	// Writers bounds the plans and live reads in flight. 0 means 64.
	Writers int
	// Queue bounds the Puts that wait for the sequencer. 0 means 256.
	Queue int
	// Sweep is the pause between sweeps, which re-decide everything and count
	// what they find. 0 means an hour, negative none.
	Sweep time.Duration
	// Now is the clock that timers are set by; nil means time.Now.
	Now func() time.Time
	// Point is called at the named crash points (see CrashPoints) in tests; nil otherwise.
	Point func(name string)
	// OnReadRefused is told of live reads that the server refuses; they are
	// made again, ever more seldom. It may be nil.
	OnReadRefused func(subject eventlog.Subject, err error)
	// OnSwept is told how many subjects a sweep found in need; the target is 0.
	OnSwept func(found int)
}

// Executor drives a Machine and its Runs against a real log and API server.
type Executor struct {
	opts    Options
	machine *Machine
	inbox   chan envelope
	stopped chan struct{}
	view    atomic.Pointer[projector.View]
	slots   chan struct{}
}

// envelope is one request to the sequencer goroutine.
type envelope struct {
	drafts []eventlog.Draft
	call   func(ctx context.Context) (Effects, error) // runs on the sequencer instead of a step
	done   chan error                                 // nil: nobody waits
}

// New folds the log and makes an executor that is not running yet.
func New(opts Options) (*Executor, error) {
	if opts.Mode == "" {
		opts.Mode = "shadow"
	}
	if opts.Writers <= 0 {
		opts.Writers = 64
	}
	if opts.Queue <= 0 {
		opts.Queue = 256
	}
	if opts.Sweep == 0 {
		opts.Sweep = time.Hour
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	machine, err := NewMachine(opts.Log)
	if err != nil {
		return nil, err
	}
	e := &Executor{
		opts:    opts,
		machine: machine,
		inbox:   make(chan envelope, opts.Queue),
		stopped: make(chan struct{}),
		slots:   make(chan struct{}, opts.Writers),
	}
	if opts.Point != nil {
		machine.beforeIntent = e.observedDurable
	}
	e.view.Store(machine.View())
	return e, nil
}

// Run is the executor's life: it records Started, takes over what an earlier
// process left open, and works until ctx ends or the log fails. Everything it
// started has ended when it returns; a clean end records Stopped.
func (e *Executor) Run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	var effects sync.WaitGroup
	dispatch := func(fx Effects) { e.dispatch(ctx, &effects, fx) }
	group.Go(func() error {
		select {
		case <-e.opts.Log.Failed():
			return e.opts.Log.Err()
		case <-ctx.Done():
			return nil
		}
	})
	group.Go(func() error { return e.sequence(ctx, dispatch) })
	if e.opts.Sweep > 0 {
		group.Go(func() error { return e.sweep(ctx) })
	}
	err := group.Wait()
	close(e.stopped)
	effects.Wait()
	if err == nil {
		stop := draft(eventlog.KindStopped, eventlog.Subject{}, nil, fact.Start{
			Version: e.opts.Version, RuleSet: e.opts.RuleSet, Mode: e.opts.Mode,
		}.Append(nil))
		// The log makes it durable when it is closed; a disk that stalls does
		// not keep the executor from ending.
		_, err = e.opts.Log.Submit(context.WithoutCancel(ctx), stop)
	}
	return err
}

// sequence is the sequencer goroutine: the only one that touches the machine.
func (e *Executor) sequence(ctx context.Context, dispatch func(Effects)) error {
	start := fact.Start{Version: e.opts.Version, RuleSet: e.opts.RuleSet, Mode: e.opts.Mode, Options: e.opts.Flags}
	effects, err := e.machine.Start(ctx, start, !e.opts.Elected)
	if err != nil {
		return ended(ctx, err)
	}
	e.view.Store(e.machine.View())
	dispatch(effects)
	for {
		select {
		case <-ctx.Done():
			return nil
		case letter := <-e.inbox:
			if err := e.take(ctx, letter, dispatch); err != nil {
				return ended(ctx, err)
			}
		}
	}
}

// maxStep bounds the drafts that one step folds, so that a long queue is
// published in pieces.
const maxStep = 1024

// take serves a letter, together with the ones already queued behind it: they
// become one step, so that a volume and its claim that came at once are judged
// in one pass (improvement 9).
func (e *Executor) take(ctx context.Context, letter envelope, dispatch func(Effects)) error {
	letters := []envelope{letter}
	drafts := letter.drafts
	for more := letter.call == nil; more && len(drafts) < maxStep; {
		select {
		case next := <-e.inbox:
			letters = append(letters, next)
			drafts = append(drafts[:len(drafts):len(drafts)], next.drafts...)
			more = next.call == nil
		default:
			more = false
		}
	}
	var effects Effects
	var err error
	if len(drafts) > 0 {
		effects, err = e.machine.Step(ctx, drafts...)
		e.view.Store(e.machine.View())
		dispatch(effects)
	}
	if last := letters[len(letters)-1]; err == nil && last.call != nil {
		effects, err = last.call(ctx)
		e.view.Store(e.machine.View())
		dispatch(effects)
	}
	for _, letter := range letters {
		if letter.done != nil {
			letter.done <- err
		}
	}
	return err
}

// ended keeps an orderly end from looking like a failure.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return nil
	}
	return fmt.Errorf("sequencer: %w", err)
}

// Put hands drafts to the sequencer and returns once they are numbered and
// folded, not yet durable. It blocks while the queue is full, which is what
// stops the watches when the disk stalls. Safe for concurrent use.
func (e *Executor) Put(ctx context.Context, drafts ...eventlog.Draft) error {
	return e.send(ctx, envelope{drafts: drafts, done: make(chan error, 1)})
}

// Lead makes an elected executor act, and decide everything, in this term.
func (e *Executor) Lead(ctx context.Context, term uint64) error {
	call := func(ctx context.Context) (Effects, error) { return e.machine.Lead(ctx, term) }
	return e.send(ctx, envelope{call: call, done: make(chan error, 1)})
}

// send queues a letter and waits until it is served.
func (e *Executor) send(ctx context.Context, letter envelope) error {
	select {
	case e.inbox <- letter:
	case <-e.stopped:
		return ErrStopped
	case <-ctx.Done():
		return ctx.Err()
	}
	if letter.done == nil {
		return nil
	}
	select {
	case err := <-letter.done:
		return err
	case <-e.stopped:
		return ErrStopped
	case <-ctx.Done():
		return ctx.Err()
	}
}

// View is the newest state. It may be ahead of the disk: for answers to users
// take DurableView.
func (e *Executor) View() *projector.View { return e.view.Load().Fresh() }

// DurableView is the newest state, once everything it rests on is durable.
func (e *Executor) DurableView(ctx context.Context) (*projector.View, error) {
	v := e.View()
	return v, e.opts.Log.Wait(ctx, v.AsOf())
}

// sweep re-decides everything now and then and counts what that finds.
func (e *Executor) sweep(ctx context.Context) error {
	ticker := time.NewTicker(e.opts.Sweep)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		call := func(ctx context.Context) (Effects, error) {
			found, effects, err := e.machine.Sweep(ctx)
			if e.opts.OnSwept != nil && err == nil {
				e.opts.OnSwept(found)
			}
			return effects, err
		}
		if err := e.send(ctx, envelope{call: call, done: make(chan error, 1)}); err != nil {
			return nil // the end of ctx; a failure is the sequencer's to report
		}
	}
}
