package executor

import (
	"context"
	"encoding/json"
	"strconv"
	"sync"
	"testing"

	"bindery/api/kube/kubesim"
	"bindery/eventlog"
	"bindery/projector/fact"

	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is a simulated cluster and the means to write to it as Bindery does.
type world struct {
	*kubesim.Server
	t *testing.T

	mu     sync.Mutex
	writes []string // purposes, in the order in which they came
	refuse func(fact.Step) error
}

func newWorld(t *testing.T) *world { return &world{Server: kubesim.New(kubesim.Options{}), t: t} }

var _ API = (*world)(nil)

func kindOf(r eventlog.Resource) *kubesim.Kind {
	if r == eventlog.ResourceVolume {
		return kubesim.Volumes
	}
	return kubesim.Claims
}

// Patch sends a step the way the client does.
func (w *world) Patch(_ context.Context, step fact.Step, version uint64) (runtime.Object, error) {
	w.mu.Lock()
	refuse := w.refuse
	w.writes = append(w.writes, step.Subject.Name+" "+step.Purpose)
	w.mu.Unlock()
	if refuse != nil {
		if err := refuse(step); err != nil {
			return nil, err
		}
	}
	var patch map[string]any
	if err := json.Unmarshal(step.Patch, &patch); err != nil {
		return nil, err
	}
	metadata, ok := patch["metadata"].(map[string]any)
	if !ok {
		metadata = map[string]any{}
		patch["metadata"] = metadata
	}
	metadata["uid"] = fact.FormatUID(step.Subject.UID)
	metadata["resourceVersion"] = strconv.FormatUint(version, 10)
	body, err := json.Marshal(patch)
	if err != nil {
		return nil, err
	}
	return w.Server.Patch(kindOf(step.Subject.Resource), step.Subject.Namespace, step.Subject.Name,
		step.Subresource, types.MergePatchType, body, "bindery")
}

// Get reads live.
func (w *world) Get(_ context.Context, s eventlog.Subject) (runtime.Object, error) {
	return w.Server.Get(kindOf(s.Resource), s.Namespace, s.Name)
}

// volume makes a volume and returns its observation.
func (w *world) volume(name, size string) eventlog.Draft {
	v := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: name}}
	v.Spec.Capacity = corev1.ResourceList{corev1.ResourceStorage: resource.MustParse(size)}
	v.Spec.AccessModes = []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}
	v.Spec.NFS = &corev1.NFSVolumeSource{Server: "nfs", Path: "/" + name}
	return w.create(kubesim.Volumes, v)
}

// claim makes a claim and returns its observation.
func (w *world) claim(name, size string) eventlog.Draft {
	c := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"}}
	c.Spec.Resources.Requests = corev1.ResourceList{corev1.ResourceStorage: resource.MustParse(size)}
	c.Spec.AccessModes = []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}
	return w.create(kubesim.Claims, c)
}

func (w *world) create(kind *kubesim.Kind, obj runtime.Object) eventlog.Draft {
	w.t.Helper()
	made, err := w.Create(kind, "default", obj, "user")
	if err != nil {
		w.t.Fatal(err)
	}
	return w.seen(made, fact.VerbAdded)
}

func (w *world) seen(obj runtime.Object, verb fact.Verb) eventlog.Draft {
	w.t.Helper()
	d, err := fact.ObservedDraft(obj, fact.SourceWatch, verb)
	if err != nil {
		w.t.Fatal(err)
	}
	return d
}

// echo is what the watch says of an object now.
func (w *world) echo(kind *kubesim.Kind, name string) eventlog.Draft {
	w.t.Helper()
	obj, err := w.Server.Get(kind, "default", name)
	if err != nil {
		w.t.Fatal(err)
	}
	return w.seen(obj, fact.VerbModified)
}

// lists are completed lists of everything.
func lists() []eventlog.Draft {
	var drafts []eventlog.Draft
	for r := eventlog.ResourceVolume; r <= eventlog.ResourceNode; r++ {
		drafts = append(drafts, draft(eventlog.KindListCompleted, eventlog.Subject{Resource: r}, nil, fact.List{Version: 1}.Append(nil)))
	}
	return drafts
}

// machine is a started, synced machine over a log.
func machine(t *testing.T, log eventlog.Log, mode string) *Machine {
	t.Helper()
	m, err := NewMachine(log)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Start(t.Context(), fact.Start{Mode: mode}, true); err != nil {
		t.Fatal(err)
	}
	step(t, m, lists()...)
	return m
}

func step(t *testing.T, m *Machine, drafts ...eventlog.Draft) Effects {
	t.Helper()
	effects, err := m.Step(t.Context(), drafts...)
	if err != nil {
		t.Fatal(err)
	}
	return effects
}

// carry takes plans to their end, and those that come of them.
func carry(t *testing.T, m *Machine, w *world, effects Effects) {
	t.Helper()
	for len(effects.Plans) > 0 {
		var next Effects
		for _, begin := range effects.Plans {
			run := NewRun(begin)
			for {
				request := run.Next()
				if request.Action == ActionDone {
					break
				}
				var obj runtime.Object
				var err error
				if request.Action == ActionPatch {
					obj, err = w.Patch(t.Context(), request.Step, request.Version)
				} else {
					obj, err = w.Get(t.Context(), request.Step.Subject)
				}
				after := step(t, m, run.Answer(obj, err)...)
				next.Plans = append(next.Plans, after.Plans...)
			}
		}
		effects = next
	}
}

// kinds counts the records of a log by kind.
func kindCounts(t *testing.T, log eventlog.Log) map[eventlog.Kind]int {
	t.Helper()
	counts := map[eventlog.Kind]int{}
	for r, err := range log.Records(1, 0) {
		if err != nil {
			t.Fatal(err)
		}
		counts[r.Kind]++
	}
	return counts
}

func phaseOf(t *testing.T, w *world, name string) string {
	t.Helper()
	obj, err := w.Server.Get(kubesim.Claims, "default", name)
	if err != nil {
		t.Fatal(err)
	}
	return string(obj.(*corev1.PersistentVolumeClaim).Status.Phase)
}
