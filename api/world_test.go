package api

import (
	"context"
	"fmt"
	"testing"
	"time"

	"bindery/binder/executor"
	"bindery/eventlog"
	"bindery/projector"
	"bindery/projector/fact"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
)

// world is a log with what a cluster showed and what was decided on it. Its
// API server answers nothing: plans stay open unless the test answers.
type world struct {
	t       *testing.T
	log     *eventlog.Memory
	machine *executor.Machine
	version int
}

// newWorld is a world of an empty cluster whose lists have all completed.
func newWorld(t *testing.T, mode string) *world {
	t.Helper()
	now := time.Date(2026, 12, 1, 10, 0, 0, 0, time.UTC)
	clock := func() time.Time { now = now.Add(time.Millisecond); return now }
	w := &world{t: t, version: 100, log: eventlog.NewMemory(eventlog.Options{ClusterName: "test", ClusterUID: "cluster-uid", Now: clock})}
	t.Cleanup(func() { _ = w.log.Close() })
	machine, err := executor.NewMachine(w.log)
	w.check(err)
	w.machine = machine
	_, err = machine.Start(context.Background(), fact.Start{Version: "test", Mode: mode}, true)
	w.check(err)
	for r := eventlog.ResourceVolume; r <= eventlog.ResourceNode; r++ {
		subject := eventlog.Subject{Resource: r}
		w.step(
			eventlog.Draft{Kind: eventlog.KindListStarted, Subject: subject, Fact: fact.List{}.Append(nil)},
			eventlog.Draft{Kind: eventlog.KindListCompleted, Subject: subject, Fact: fact.List{Version: 100}.Append(nil)},
		)
	}
	return w
}

func (w *world) check(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) step(drafts ...eventlog.Draft) executor.Effects {
	w.t.Helper()
	effects, err := w.machine.Step(context.Background(), drafts...)
	w.check(err)
	return effects
}

// see shows objects as watch events do.
func (w *world) see(objects ...runtime.Object) executor.Effects {
	w.t.Helper()
	var drafts []eventlog.Draft
	for _, obj := range objects {
		w.version++
		obj.(metav1.Object).SetResourceVersion(fmt.Sprint(w.version))
		d, err := fact.ObservedDraft(obj, fact.SourceWatch, fact.VerbAdded)
		w.check(err)
		drafts = append(drafts, d)
	}
	return w.step(drafts...)
}

// DurableView makes a world the view of a running service.
func (w *world) DurableView(ctx context.Context) (*projector.View, error) {
	v := w.machine.View()
	return v, w.log.Wait(ctx, v.AsOf())
}

func (w *world) local() *Local { return NewLocal(w, w.log) }

func volume(name, size, class string, modes ...corev1.PersistentVolumeAccessMode) *corev1.PersistentVolume {
	return &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("00000000-0000-0000-0000-0000000000" + fmt.Sprintf("%02x", len(name)))},
		Spec: corev1.PersistentVolumeSpec{
			Capacity:    corev1.ResourceList{corev1.ResourceStorage: resource.MustParse(size)},
			AccessModes: modes, StorageClassName: class,
		},
		Status: corev1.PersistentVolumeStatus{Phase: corev1.VolumeAvailable},
	}
}

func claim(name, size, class string, modes ...corev1.PersistentVolumeAccessMode) *corev1.PersistentVolumeClaim {
	return &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: "default", UID: types.UID("11111111-0000-0000-0000-0000000000" + fmt.Sprintf("%02x", len(name))),
			CreationTimestamp: metav1.Time{Time: time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)},
		},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: modes, StorageClassName: &class,
			Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse(size)}},
		},
		Status: corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimPending},
	}
}
