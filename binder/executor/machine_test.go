package executor

import (
	"errors"
	"fmt"
	"testing"

	"bindery/api/kube/kubesim"
	"bindery/eventlog"
	"bindery/projector"
	"bindery/projector/fact"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// A volume and a claim that come in one step are judged in one pass: the claim
// first, so that the volume is bound and never made Available (improvement 9).
func TestBurstBindsWithoutAvailable(t *testing.T) {
	w, log := newWorld(t), eventlog.NewMemory(eventlog.Options{})
	m := machine(t, log, "bind")
	carry(t, m, w, step(t, m, w.volume("v", "1Gi"), w.claim("c", "1Gi")))
	want := []string{"v volume spec", "v volume status", "c claim spec", "c claim status"}
	if diff := cmp.Diff(want, w.writes); diff != "" {
		t.Errorf("writes (-want +got):\n%s", diff)
	}
	if got := phaseOf(t, w, "c"); got != "Bound" {
		t.Errorf("claim is %s", got)
	}
}

func TestIdleVolumeIsMadeAvailable(t *testing.T) {
	w, log := newWorld(t), eventlog.NewMemory(eventlog.Options{})
	m := machine(t, log, "bind")
	carry(t, m, w, step(t, m, w.volume("v", "1Gi")))
	carry(t, m, w, step(t, m, w.claim("c", "1Gi")))
	if len(w.writes) != 5 || w.writes[0] != "v volume status" {
		t.Errorf("writes %q, want Available and four more", w.writes)
	}
}

// While the volume's own phase is being written, a claim that it would fit
// waits for it and takes no larger one.
func TestBusyVolumeIsWaitedFor(t *testing.T) {
	w, log := newWorld(t), eventlog.NewMemory(eventlog.Options{})
	m := machine(t, log, "bind")
	carry(t, m, w, step(t, m, w.volume("large", "10Gi")))
	effects := step(t, m, w.volume("small", "1Gi"))
	if got := step(t, m, w.claim("c", "1Gi")); len(got.Plans) != 0 {
		t.Fatalf("it did not wait: %v", got.Plans)
	}
	d := m.View().Decision(projector.ClaimID("default", "c"))
	if d == nil || d.Winner.Name != "small" || d.Outcome != fact.OutcomeDeciding {
		t.Errorf("decision %+v, want Deciding on small", d)
	}
	carry(t, m, w, effects)
	obj, err := w.Server.Get(kubesim.Claims, "default", "c")
	if err != nil || obj.(*corev1.PersistentVolumeClaim).Spec.VolumeName != "small" {
		t.Errorf("bound to %v (%v), want small", obj, err)
	}
}

// The watch's echo of our own answers is not recorded a second time, and an
// unchanged world costs nothing.
func TestEchoIsNotRecorded(t *testing.T) {
	w, log := newWorld(t), eventlog.NewMemory(eventlog.Options{})
	m := machine(t, log, "bind")
	carry(t, m, w, step(t, m, w.volume("v", "1Gi"), w.claim("c", "1Gi")))
	head := log.Head()
	effects := step(t, m, w.echo(kubesim.Volumes, "v"), w.echo(kubesim.Claims, "c"))
	if log.Head() != head || len(effects.Plans)+len(effects.Reads) != 0 {
		t.Errorf("head went from %d to %d, effects %+v", head, log.Head(), effects)
	}
	found, _, err := m.Sweep(t.Context())
	if err != nil || found != 0 {
		t.Errorf("a sweep finds %d (%v)", found, err)
	}
}

func TestShadowIntendsNothing(t *testing.T) {
	w, log := newWorld(t), eventlog.NewMemory(eventlog.Options{})
	m := machine(t, log, "shadow")
	effects := step(t, m, w.volume("v", "1Gi"), w.claim("c", "1Gi"))
	if len(effects.Plans) != 0 || kindCounts(t, log)[eventlog.KindIntended] != 0 {
		t.Errorf("shadow mode planned %v", effects.Plans)
	}
	if kindCounts(t, log)[eventlog.KindDecided] == 0 {
		t.Error("shadow mode decided nothing")
	}
}

// In shadow mode a claim that is lost is judged once, with one live read, and
// not again at every wake.
func TestShadowAsksOnce(t *testing.T) {
	w, log := newWorld(t), eventlog.NewMemory(eventlog.Options{})
	m := machine(t, log, "shadow")
	c := w.claim("c", "1Gi")
	body := `{"metadata":{"annotations":{"pv.kubernetes.io/bind-completed":"yes"}},"spec":{"volumeName":"gone"}}`
	if _, err := w.Server.Patch(kubesim.Claims, "default", "c", "", types.MergePatchType, []byte(body), "user"); err != nil {
		t.Fatal(err)
	}
	effects := step(t, m, c, w.echo(kubesim.Claims, "c"))
	if len(effects.Reads) != 1 {
		t.Fatalf("asked for %d live reads, want one", len(effects.Reads))
	}
	ask := effects.Reads[0]
	step(t, m, fact.NotFoundDraft(ask.Subject, "", ask.Seq))
	d := m.View().Decision(projector.ClaimID("default", "c"))
	if d == nil || d.Rule != "B2-volume-gone" || d.Outcome != fact.OutcomeAct {
		t.Fatalf("decision %+v, want that it would be Lost", d)
	}
	head := log.Head()
	found, effects, err := m.Sweep(t.Context())
	if err != nil || found != 0 || len(effects.Reads) != 0 || log.Head() != head {
		t.Errorf("a sweep finds %d and asks %v (%v)", found, effects.Reads, err)
	}
}

// Nothing is decided before every resource had a completed list, and nothing
// by a replica that is not leader.
func TestNothingIsDecidedTooEarly(t *testing.T) {
	w, log := newWorld(t), eventlog.NewMemory(eventlog.Options{})
	m, err := NewMachine(log)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Start(t.Context(), fact.Start{Mode: "bind"}, false); err != nil {
		t.Fatal(err)
	}
	step(t, m, w.volume("v", "1Gi"), w.claim("c", "1Gi"))
	step(t, m, lists()...)
	if n := kindCounts(t, log)[eventlog.KindDecided]; n != 0 {
		t.Errorf("a replica that does not lead decided %d times", n)
	}
	effects, err := m.Lead(t.Context(), 1)
	if err != nil || len(effects.Plans) != 1 {
		t.Errorf("the leader planned %v (%v), want the binding", effects.Plans, err)
	}

	m, err = NewMachine(eventlog.NewMemory(eventlog.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Start(t.Context(), fact.Start{Mode: "bind"}, true); err != nil {
		t.Fatal(err)
	}
	all := lists()
	if effects := step(t, m, append(all[:4:4], w.volume("w", "1Gi"), w.claim("d", "1Gi"))...); len(effects.Plans) != 0 {
		t.Errorf("planned %v with a list missing", effects.Plans)
	}
	if effects := step(t, m, all[4]); len(effects.Plans) == 0 {
		t.Error("the last list woke nobody")
	}
}

// A refused write backs off, and only its timer tries again.
func TestBackoff(t *testing.T) {
	w, log := newWorld(t), eventlog.NewMemory(eventlog.Options{})
	m := machine(t, log, "bind")
	forbidden := apierrors.NewForbidden(schema.GroupResource{Resource: "persistentvolumes"}, "v", errors.New("no"))
	effects := step(t, m, w.volume("v", "1Gi"), w.claim("c", "1Gi"))
	run := NewRun(effects.Plans[0])
	run.Next()
	after := step(t, m, run.Answer(nil, forbidden)...)
	if len(after.Alarms) != 1 || after.Alarms[0].ID != projector.ClaimID("default", "c") {
		t.Fatalf("alarms %v, want one for the claim", after.Alarms)
	}
	for _, begin := range after.Plans {
		if begin.Owner == projector.ClaimID("default", "c") {
			t.Fatal("tried again at once")
		}
	}
	carry(t, m, w, after) // the volume, free again, is made Available
	fired := fact.Timer{Purpose: "backoff"}.Append(nil)
	subject := eventlog.Subject{Resource: eventlog.ResourceClaim, Namespace: "default", Name: "c"}
	carry(t, m, w, step(t, m, draft(eventlog.KindTimerFired, subject, nil, fired)))
	if got := phaseOf(t, w, "c"); got != "Bound" {
		t.Errorf("claim is %s after the timer", got)
	}
}

// After a restart the open plan is read back, and the pair is completed.
func TestRestartTakesOver(t *testing.T) {
	for stop := range 5 {
		t.Run(fmt.Sprintf("after %d writes", stop), func(t *testing.T) {
			w, log := newWorld(t), eventlog.NewMemory(eventlog.Options{})
			m := machine(t, log, "bind")
			effects := step(t, m, w.volume("v", "1Gi"), w.claim("c", "1Gi"))
			run := NewRun(effects.Plans[0])
			for range stop { // written, and the answers lost with the process
				request := run.Next()
				obj, err := w.Patch(t.Context(), request.Step, request.Version)
				run.Answer(obj, err)
			}
			m, err := NewMachine(log)
			if err != nil {
				t.Fatal(err)
			}
			begin, err := m.Start(t.Context(), fact.Start{Mode: "bind"}, true)
			if err != nil {
				t.Fatal(err)
			}
			if len(begin.Plans) != 1 || !begin.Plans[0].Resume {
				t.Fatalf("took over %+v, want the open plan", begin.Plans)
			}
			if early := step(t, m, lists()...); len(early.Plans) != 0 {
				t.Errorf("decided on busy objects: %v", early.Plans)
			}
			carry(t, m, w, begin)
			if got := phaseOf(t, w, "c"); got != "Bound" {
				t.Errorf("claim is %s", got)
			}
			if len(w.writes) != 4 {
				t.Errorf("writes %q, want four", w.writes)
			}
		})
	}
}

// Lost waits for the live read that the decision asked for.
func TestLostIsConfirmed(t *testing.T) {
	w, log := newWorld(t), eventlog.NewMemory(eventlog.Options{})
	m := machine(t, log, "bind")
	carry(t, m, w, step(t, m, w.volume("v", "1Gi"), w.claim("c", "1Gi")))
	gone, err := w.Server.Get(kubesim.Volumes, "", "v")
	if err != nil {
		t.Fatal(err)
	}
	d := w.seen(gone, fact.VerbDeleted)
	d.Kind = eventlog.KindDeleted
	effects := step(t, m, d)
	if len(effects.Plans) != 0 || len(effects.Reads) != 1 {
		t.Fatalf("effects %+v, want one live read and no write", effects)
	}
	if again := step(t, m, w.volume("other", "1Mi")); len(again.Reads) != 0 {
		t.Error("asked a second time while the first read is under way")
	}
	if _, err := w.Delete(kubesim.Volumes, "", "v", nil); err != nil {
		t.Fatal(err)
	}
	ask := effects.Reads[0]
	effects = step(t, m, fact.NotFoundDraft(ask.Subject, "", ask.Seq))
	if len(effects.Plans) != 1 {
		t.Fatalf("plans %v, want the write of Lost", effects.Plans)
	}
	carry(t, m, w, effects)
	if got := phaseOf(t, w, "c"); got != "Lost" {
		t.Errorf("claim is %s, want Lost", got)
	}
}

// The same log gives the same decisions, whatever the map order.
func TestSameLogSameRecords(t *testing.T) {
	play := func() []string {
		w, log := newWorld(t), eventlog.NewMemory(eventlog.Options{})
		m := machine(t, log, "bind")
		var drafts []eventlog.Draft
		for i := range 20 {
			drafts = append(drafts, w.claim(fmt.Sprintf("c%02d", i), "1Gi"))
		}
		step(t, m, drafts...)
		for i := range 20 {
			carry(t, m, w, step(t, m, w.volume(fmt.Sprintf("v%02d", i), fmt.Sprintf("%dGi", 1+i%3))))
		}
		var lines []string
		for r, err := range log.Records(1, 0) {
			if err != nil {
				t.Fatal(err)
			}
			if r.Kind == eventlog.KindDecided || r.Kind == eventlog.KindIntended {
				lines = append(lines, fmt.Sprintf("%d %v %s %x", r.Seq, r.Kind, r.Subject.Name, r.Fact))
			}
		}
		return lines
	}
	first := play()
	for range 3 {
		if diff := cmp.Diff(first, play()); diff != "" {
			t.Fatalf("two runs differ:\n%s", diff)
		}
	}
}
