package eventlog_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"bindery/eventlog"
)

// gate stops the committer at each commit until it is let go.
type gate struct{ reached, open chan struct{} }

func newGate() *gate { return &gate{make(chan struct{}), make(chan struct{})} }

func (g *gate) options() eventlog.Options {
	return eventlog.Options{OnCommit: func(stage eventlog.CommitStage, _ eventlog.Seq) {
		if stage == eventlog.CommitBegins {
			g.reached <- struct{}{}
			<-g.open
		}
	}}
}

// TestGroupCommit: what is submitted during one commit is all of the next one.
func TestGroupCommit(t *testing.T) {
	g := newGate()
	s := mustOpen(t, filepath.Join(quickDir(t), "log"), g.options())
	ctx := context.Background()
	for i := range 100 {
		if _, err := s.Submit(ctx, eventlog.Draft{Kind: eventlog.KindNoted}); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			<-g.reached // the first waits for no company
		}
	}
	if s.Head() != 100 || s.Durable() != 0 {
		t.Errorf("head %d, durable %d", s.Head(), s.Durable())
	}
	g.open <- struct{}{}
	<-g.reached
	if s.Durable() != 1 {
		t.Errorf("durable %d after the first commit", s.Durable())
	}
	g.open <- struct{}{}
	if err := s.Wait(ctx, 100); err != nil {
		t.Fatal(err)
	}
	report, err := s.Verify(ctx, nil)
	if err != nil || report.Blocks != 2 || report.Records != 100 {
		t.Errorf("%+v, %v", report, err)
	}
}

// TestFullQueue: a stalled disk blocks Submit and drops nothing.
func TestFullQueue(t *testing.T) {
	g := newGate()
	s := mustOpen(t, filepath.Join(quickDir(t), "log"), g.options())
	ctx, cancel := context.WithCancel(context.Background())
	big := make([]byte, eventlog.MaxFact)
	submit := func(ctx context.Context) error {
		_, err := s.Submit(ctx, eventlog.Draft{Kind: eventlog.KindNoted, Fact: big})
		return err
	}
	for range 3 {
		if err := submit(ctx); err != nil {
			t.Fatal(err)
		}
	}
	<-g.reached
	blocked := make(chan error)
	go func() { blocked <- submit(ctx) }()
	cancel() // before or while it waits for room
	if err := <-blocked; !errors.Is(err, context.Canceled) {
		t.Errorf("canceled submit: %v", err)
	}
	if s.Head() != 3 {
		t.Errorf("head %d", s.Head())
	}
	go func() { blocked <- submit(context.Background()) }()
	done := make(chan struct{})
	go func() {
		defer close(done)
		g.open <- struct{}{} // the disk works again, for two commits
		<-g.reached
		g.open <- struct{}{}
	}()
	if err := <-blocked; err != nil {
		t.Error(err)
	}
	// The fourth is in the second commit, or the third one.
	if err := s.Wait(context.Background(), 3); err != nil {
		t.Error(err)
	}
	<-done
	go func() {
		for stage := range g.reached {
			g.open <- stage
		}
	}()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	close(g.reached)
	if s.Durable() != 4 {
		t.Errorf("durable %d", s.Durable())
	}
}

func TestMemoryHoldsDurabilityBack(t *testing.T) {
	m := eventlog.NewMemory(eventlog.Options{ManualSync: true})
	ctx := context.Background()
	for range 5 {
		if _, err := m.Submit(ctx, eventlog.Draft{Kind: eventlog.KindNoted}); err != nil {
			t.Fatal(err)
		}
	}
	if m.Head() != 5 || m.Durable() != 0 || countRecords(t, m) != 0 {
		t.Errorf("head %d, durable %d", m.Head(), m.Durable())
	}
	if got := m.Sync(2); got != 2 || m.Durable() != 2 || countRecords(t, m) != 2 {
		t.Errorf("durable %d", got)
	}
	m.Fail(errors.New("the disk is gone"))
	<-m.Failed()
	if err := m.Wait(ctx, 3); !errors.Is(err, eventlog.ErrFailed) {
		t.Errorf("wait: %v", err)
	}
	if got := m.Sync(0); got != 2 {
		t.Errorf("a failed log synced to %d", got)
	}
	again := m.Reopen()
	if again.Head() != 2 || again.Identity() != m.Identity() {
		t.Errorf("head %d after the crash", again.Head())
	}
	r, err := again.Submit(ctx, eventlog.Draft{Kind: eventlog.KindNoted})
	if err != nil || r[0].Seq != 3 || again.Sync(0) != 3 {
		t.Errorf("%v, %v", r, err)
	}
	if a, b := eventlog.NewMemory(eventlog.Options{Now: fixed}), eventlog.NewMemory(eventlog.Options{Now: fixed}); a.Identity() != b.Identity() {
		t.Error("two logs in memory differ")
	}
}
