package executor

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"bindery/api/kube/kubesim"
	"bindery/eventlog"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
)

// live is an executor that runs until the test ends.
func live(t *testing.T, log eventlog.Log, w *world) (*Executor, func() error) {
	t.Helper()
	e, err := New(Options{Log: log, API: w, Mode: "bind", Sweep: -1})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- e.Run(ctx) }()
	ended := false
	end := func() error {
		stop()
		if ended {
			return nil
		}
		ended = true
		return <-done
	}
	t.Cleanup(func() { _ = end() })
	return e, end
}

// until waits for a condition on the world, woken by its changes.
func until(t *testing.T, w *world, what string, holds func() bool) {
	t.Helper()
	watch, err := w.Watch(kubesim.Claims, kubesim.Selection{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Close()
	limit := time.After(20 * time.Second)
	for !holds() {
		select {
		case <-watch.News():
			for more := true; more; {
				_, more = watch.Next()
			}
		case <-limit:
			t.Fatalf("not %s", what)
		}
	}
}

func boundClaims(t *testing.T, w *world) map[string]string {
	t.Helper()
	list, err := w.List(kubesim.Claims, kubesim.Selection{})
	if err != nil {
		t.Fatal(err)
	}
	items, err := meta.ExtractList(list)
	if err != nil {
		t.Fatal(err)
	}
	bound := map[string]string{}
	for _, item := range items {
		if c := item.(*corev1.PersistentVolumeClaim); c.Status.Phase == corev1.ClaimBound {
			bound[c.Spec.VolumeName] = c.Name
		}
	}
	return bound
}

func TestManyPairs(t *testing.T) {
	const pairs = 60
	w, log := newWorld(t), eventlog.NewMemory(eventlog.Options{})
	e, end := live(t, log, w)
	if err := e.Put(t.Context(), lists()...); err != nil {
		t.Fatal(err)
	}
	for i := range pairs {
		if err := e.Put(t.Context(), w.volume(fmt.Sprintf("v%d", i), "1Gi"), w.claim(fmt.Sprintf("c%d", i), "1Gi")); err != nil {
			t.Fatal(err)
		}
	}
	until(t, w, "all bound, each to a volume of its own", func() bool { return len(boundClaims(t, w)) == pairs })
	if err := end(); err != nil {
		t.Error(err)
	}
	if err := e.Put(t.Context(), w.volume("late", "1Gi")); !errors.Is(err, ErrStopped) {
		t.Errorf("Put after the end: %v, want ErrStopped", err)
	}
}

// No write leaves before its intent is durable.
func TestEffectsWaitForTheDisk(t *testing.T) {
	w, log := newWorld(t), eventlog.NewMemory(eventlog.Options{ManualSync: true})
	e, _ := live(t, log, w)
	if err := e.Put(t.Context(), append(lists(), w.volume("v", "1Gi"), w.claim("c", "1Gi"))...); err != nil {
		t.Fatal(err)
	}
	if err := e.Put(t.Context(), w.claim("d", "1Gi")); err != nil { // the sequencer goes on meanwhile
		t.Fatal(err)
	}
	w.mu.Lock()
	written := len(w.writes)
	w.mu.Unlock()
	if written != 0 || log.Durable() != 0 {
		t.Fatalf("%d writes with %d records durable", written, log.Durable())
	}
	log.Sync(0)
	until(t, w, "bound once it is durable", func() bool { return len(boundClaims(t, w)) == 1 })
}

// A log that cannot append ends the executor, and nothing is acted on.
func TestFailedLogEndsIt(t *testing.T) {
	w, log := newWorld(t), eventlog.NewMemory(eventlog.Options{ManualSync: true})
	e, err := New(Options{Log: log, API: w, Mode: "bind", Sweep: -1})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- e.Run(context.Background()) }()
	if err := e.Put(t.Context(), append(lists(), w.volume("v", "1Gi"), w.claim("c", "1Gi"))...); err != nil {
		t.Fatal(err)
	}
	full := errors.New("disk full")
	log.Fail(full)
	if err := <-done; !errors.Is(err, full) {
		t.Errorf("ended with %v, want the log's failure", err)
	}
	if len(w.writes) != 0 {
		t.Errorf("acted on what is lost: %q", w.writes)
	}
}

// A write whose answer is lost is read back; the pair ends bound with no
// second write of the step.
func TestLostAnswers(t *testing.T) {
	lost := map[string]bool{}
	sim := kubesim.New(kubesim.Options{Faults: func(c kubesim.Call) kubesim.Fault {
		if at := c.Kind.Resource + c.Subresource; c.Verb == "patch" && !lost[at] {
			lost[at] = true
			return kubesim.Fault{After: errors.New("connection reset")}
		}
		return kubesim.Fault{}
	}})
	w, log := &world{Server: sim, t: t}, eventlog.NewMemory(eventlog.Options{})
	e, end := live(t, log, w)
	if err := e.Put(t.Context(), append(lists(), w.volume("v", "1Gi"), w.claim("c", "1Gi"))...); err != nil {
		t.Fatal(err)
	}
	until(t, w, "bound", func() bool { return len(boundClaims(t, w)) == 1 })
	if err := end(); err != nil {
		t.Error(err)
	}
	if len(lost) != 4 || len(w.writes) != 4 {
		t.Errorf("%d answers lost, writes %q; want each step once, and each answer lost", len(lost), w.writes)
	}
}
