package binder_test

import (
	"encoding/json"
	"fmt"
	"time"

	"bindery/binder"
	"bindery/eventlog"
	"bindery/projector"
	"bindery/projector/fact"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
)

// reporter is what a world needs of a test; *testing.T and *rapid.T are it.
type reporter interface {
	Helper()
	Errorf(format string, args ...any)
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// object is an API object of a world.
type object interface {
	runtime.Object
	metav1.Object
}

// world is a cluster and the records that were cut from it: each object is a
// real one, its fact is cut as the intake cuts it, and the records are
// numbered and folded as the log would.
type world struct {
	t       reporter
	state   *projector.State
	records []eventlog.Record
	objects map[projector.ID]object
	plans   map[projector.ID]eventlog.Seq // open plans by owner
}

func newWorld(t reporter) *world {
	return &world{t: t, state: projector.New(), objects: map[projector.ID]object{}, plans: map[projector.ID]eventlog.Seq{}}
}

// epochStart is the recorded time of a world's first record.
var epochStart = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// next is the number of the next record; new versions of objects carry it too.
func (w *world) next() eventlog.Seq { return eventlog.Seq(len(w.records) + 1) }

// append numbers and folds a draft.
func (w *world) append(d eventlog.Draft) eventlog.Seq {
	w.t.Helper()
	seq := w.next()
	at := epochStart.Add(time.Duration(seq) * time.Second)
	r := eventlog.Record{
		Seq: seq, Kind: d.Kind, Version: max(d.Version, 1), Time: at, Clock: at,
		Cause: d.Cause, Subject: d.Subject, Fact: d.Fact, Object: d.Object,
	}
	w.records = append(w.records, r)
	if _, err := w.state.Apply(r); err != nil {
		w.t.Fatalf("apply seq %d: %v", seq, err)
	}
	return seq
}

// start begins a process in the mode: nothing is synced.
func (w *world) start(mode string) {
	start := fact.Start{Version: "test", RuleSet: binder.RuleSet(), Mode: mode}
	w.append(eventlog.Draft{Kind: eventlog.KindStarted, Fact: start.Append(nil)})
}

// list completes the lists of the resources.
func (w *world) list(resources ...eventlog.Resource) {
	for _, r := range resources {
		done := fact.List{Version: uint64(w.next())}
		w.append(eventlog.Draft{
			Kind: eventlog.KindListCompleted, Subject: eventlog.Subject{Resource: r}, Fact: done.Append(nil),
		})
	}
}

var watched = []eventlog.Resource{
	eventlog.ResourceVolume, eventlog.ResourceClaim, eventlog.ResourceClass, eventlog.ResourcePod, eventlog.ResourceNode,
}

// observe stores the object in its next version and records the sight of it.
func (w *world) observe(obj object, source fact.Source, verb fact.Verb) {
	w.t.Helper()
	obj.SetResourceVersion(fmt.Sprint(w.next()))
	d, err := fact.ObservedDraft(obj, source, verb)
	if err != nil {
		w.t.Fatal(err)
	}
	w.append(d)
	w.objects[projector.ID{Resource: d.Subject.Resource, Namespace: d.Subject.Namespace, Name: d.Subject.Name}] = obj
}

// remove records that a watch saw the object go.
func (w *world) remove(id projector.ID) {
	w.t.Helper()
	obj, there := w.objects[id]
	if !there {
		w.t.Fatalf("delete %s: no such object", id)
	}
	obj.SetResourceVersion(fmt.Sprint(w.next()))
	d, err := fact.DeletedDraft(obj)
	if err != nil {
		w.t.Fatal(err)
	}
	w.append(d)
	delete(w.objects, id)
}

// ghost records a deletion of an object that is still there.
func (w *world) ghost(id projector.ID) {
	w.t.Helper()
	obj := w.objects[id]
	w.remove(id)
	w.objects[id] = obj
}

// subject is the record subject of an object of the world.
func (w *world) subject(id projector.ID) eventlog.Subject {
	s := eventlog.Subject{Resource: id.Resource, Namespace: id.Namespace, Name: id.Name}
	if obj, there := w.objects[id]; there {
		s.UID = fact.ParseUID(string(obj.GetUID()))
	}
	return s
}

// decide judges the subject and records the decision.
func (w *world) decide(id projector.ID) (fact.Decision, eventlog.Seq) {
	w.t.Helper()
	d := binder.Decide(w.state.View(), id)
	seq := w.append(eventlog.Draft{Kind: eventlog.KindDecided, Subject: w.subject(id), Fact: d.Append(nil)})
	return d, seq
}

// intend decides, plans and makes the plan's objects busy.
func (w *world) intend(id projector.ID) []fact.Step {
	w.t.Helper()
	d, seq := w.decide(id)
	steps := binder.Plan(w.state.View(), id, d)
	if len(steps) == 0 {
		return nil
	}
	plan := fact.Plan{Decision: seq, Steps: steps}
	w.plans[id] = w.append(eventlog.Draft{
		Kind: eventlog.KindIntended, Subject: w.subject(id), Cause: []eventlog.Seq{seq}, Fact: plan.Append(nil),
	})
	return steps
}

// result records what a step of the open plan of the subject came to.
func (w *world) result(id projector.ID, r fact.Result) {
	w.t.Helper()
	plan, open := w.plans[id]
	if !open {
		w.t.Fatalf("result %s: no open plan", id)
	}
	r.Plan = plan
	w.append(eventlog.Draft{Kind: eventlog.KindResulted, Subject: w.subject(id), Cause: []eventlog.Seq{plan}, Fact: r.Append(nil)})
	if r.Final {
		delete(w.plans, id)
	}
}

// carryOut sends the writes of a decision to act to the world's objects, as
// the API server would store them.
func (w *world) carryOut(id projector.ID) []fact.Step {
	w.t.Helper()
	steps := w.intend(id)
	for i, step := range steps {
		target := projector.ID{Resource: step.Subject.Resource, Namespace: step.Subject.Namespace, Name: step.Subject.Name}
		w.observe(w.patched(w.objects[target], step), fact.SourceAnswer, fact.VerbAnswered)
		w.result(id, fact.Result{Step: i, Kind: fact.ResultApplied, Final: i == len(steps)-1})
	}
	return steps
}

// patched is the object after the step's merge patch. A write of the main
// resource must not touch status and the other way round: the API server
// would ignore that part in silence.
func (w *world) patched(obj object, step fact.Step) object {
	w.t.Helper()
	var parts map[string]json.RawMessage
	if err := json.Unmarshal(step.Patch, &parts); err != nil {
		w.t.Fatalf("%s: %v", step.Purpose, err)
	}
	if _, status := parts["status"]; status != (step.Subresource == "status") || status && len(parts) > 1 {
		w.t.Fatalf("%s writes %s to subresource %q", step.Purpose, step.Patch, step.Subresource)
	}
	before, err := json.Marshal(obj)
	if err != nil {
		w.t.Fatal(err)
	}
	after, err := jsonpatch.MergePatch(before, step.Patch)
	if err != nil {
		w.t.Fatal(err)
	}
	var next object = &corev1.PersistentVolume{}
	if step.Subject.Resource == eventlog.ResourceClaim {
		next = &corev1.PersistentVolumeClaim{}
	}
	if err := json.Unmarshal(after, next); err != nil {
		w.t.Fatal(err)
	}
	return next
}

// live answers a live read that the last decision of any subject asked for:
// the object as it is now, another UID under its name, or nothing.
func (w *world) live(id projector.ID, there bool, found string) {
	w.t.Helper()
	ask, asked := w.lastAsk(id)
	if ask == 0 {
		w.t.Fatalf("live %s: no decision asked for it", id)
	}
	if !there {
		w.append(fact.NotFoundDraft(asked, found, ask))
		return
	}
	d, err := fact.AskedDraft(w.objects[id], fact.SourceLiveRead, fact.VerbRead, ask)
	if err != nil {
		w.t.Fatal(err)
	}
	w.append(d)
}

// lastAsk is the newest decision that asked for a live read of the object.
func (w *world) lastAsk(id projector.ID) (eventlog.Seq, eventlog.Subject) {
	for i := len(w.records) - 1; i >= 0; i-- {
		if w.records[i].Kind != eventlog.KindDecided {
			continue
		}
		d, err := fact.ParseDecision(w.records[i].Fact)
		if err != nil {
			w.t.Fatal(err)
		}
		for _, read := range d.Reads {
			if read.Resource == id.Resource && read.Namespace == id.Namespace && read.Name == id.Name {
				return w.records[i].Seq, read
			}
		}
	}
	return 0, eventlog.Subject{}
}

// rebuilt is a state folded anew from the world's records.
func (w *world) rebuilt() *projector.State {
	w.t.Helper()
	s := projector.New()
	for _, r := range w.records {
		if _, err := s.Apply(r); err != nil {
			w.t.Fatal(err)
		}
	}
	return s
}

// meta is the metadata of a world's object; its UID is made from its name: u
// for claims, other words for others, since no two objects share one.
func meta(namespace, name, kind string) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Namespace: namespace, Name: name, UID: types.UID(kind + "-" + name),
		Labels: map[string]string{}, Annotations: map[string]string{},
		CreationTimestamp: metav1.NewTime(epochStart),
	}
}

var (
	_ object = (*corev1.PersistentVolume)(nil)
	_ object = (*corev1.PersistentVolumeClaim)(nil)
	_ object = (*storagev1.StorageClass)(nil)
	_ object = (*corev1.Pod)(nil)
)
