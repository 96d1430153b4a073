package projector

import (
	"fmt"
	"testing"
	"time"

	"bindery/eventlog"
	"bindery/projector/fact"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"
)

// recorder numbers drafts the way a log does.
type recorder struct {
	records []eventlog.Record
	version uint64
}

func (r *recorder) add(d eventlog.Draft) eventlog.Record {
	seq := eventlog.Seq(len(r.records) + 1)
	record := eventlog.Record{
		Seq: seq, Kind: d.Kind, Version: 1, Time: time.Unix(int64(seq), 0), Cause: d.Cause,
		Subject: d.Subject, Fact: d.Fact, Object: d.Object,
	}
	r.records = append(r.records, record)
	return record
}

func (r *recorder) observe(obj runtime.Object) eventlog.Record {
	d, err := fact.ObservedDraft(obj, fact.SourceWatch, fact.VerbModified)
	if err != nil {
		panic(err)
	}
	return r.add(d)
}

func (r *recorder) next() string {
	r.version++
	return fmt.Sprint(r.version)
}

func uidOf(kind string, n int) types.UID {
	code := map[string]int{"pv": 1, "pvc": 2, "sc": 3, "pod": 4}[kind]
	return types.UID(fmt.Sprintf("%08d-0000-4000-8000-%012d", code, n))
}

func drawVolume(t *rapid.T, r *recorder) *corev1.PersistentVolume {
	n := rapid.IntRange(0, 5).Draw(t, "volume")
	v := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{
		Name: fmt.Sprintf("v%d", n), UID: uidOf("pv", n+10*rapid.IntRange(0, 1).Draw(t, "incarnation")), ResourceVersion: r.next(),
	}}
	v.Spec.Capacity = corev1.ResourceList{corev1.ResourceStorage: resource.MustParse(fmt.Sprintf("%dGi", rapid.IntRange(1, 4).Draw(t, "size")))}
	for _, mode := range []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce, corev1.ReadOnlyMany, corev1.ReadWriteMany} {
		if rapid.Bool().Draw(t, string(mode)) {
			v.Spec.AccessModes = append(v.Spec.AccessModes, mode)
		}
	}
	v.Spec.StorageClassName = rapid.SampledFrom([]string{"", "gold"}).Draw(t, "class")
	v.Status.Phase = rapid.SampledFrom([]corev1.PersistentVolumePhase{"", "Pending", "Available", "Bound", "Released"}).Draw(t, "phase")
	switch rapid.IntRange(0, 3).Draw(t, "ref") {
	case 0:
		v.Spec.ClaimRef = &corev1.ObjectReference{Namespace: "ns", Name: fmt.Sprintf("c%d", rapid.IntRange(0, 3).Draw(t, "refers to"))}
	case 1:
		v.Spec.ClaimRef = &corev1.ObjectReference{Namespace: "ns", Name: "c0", UID: uidOf("pvc", 0)}
	}
	if rapid.IntRange(0, 9).Draw(t, "deleting") == 0 {
		v.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
	}
	return v
}

func drawClaim(t *rapid.T, r *recorder) *corev1.PersistentVolumeClaim {
	n := rapid.IntRange(0, 3).Draw(t, "claim")
	c := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{
		Name: fmt.Sprintf("c%d", n), Namespace: "ns", UID: uidOf("pvc", n), ResourceVersion: r.next(),
		CreationTimestamp: metav1.Unix(int64(rapid.IntRange(1, 3).Draw(t, "created")), 0),
	}}
	c.Spec.AccessModes = []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}
	c.Spec.VolumeName = rapid.SampledFrom([]string{"", "v0", "v1"}).Draw(t, "volumeName")
	return c
}

// drawRecord is any record: an observation, an end, a plan, a result, a start.
func drawRecord(t *rapid.T, r *recorder) eventlog.Record {
	claimSubject := eventlog.Subject{Resource: eventlog.ResourceClaim, Namespace: "ns", Name: "c0", UID: fact.ParseUID(string(uidOf("pvc", 0)))}
	volumeSubject := eventlog.Subject{Resource: eventlog.ResourceVolume, Name: "v0", UID: fact.ParseUID(string(uidOf("pv", 0)))}
	switch rapid.IntRange(0, 13).Draw(t, "record") {
	case 0, 1, 2, 3:
		return r.observe(drawVolume(t, r))
	case 4, 5:
		return r.observe(drawClaim(t, r))
	case 6:
		mode := storagev1.VolumeBindingImmediate
		sc := &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "gold", UID: uidOf("sc", 1), ResourceVersion: r.next()}, VolumeBindingMode: &mode}
		if rapid.Bool().Draw(t, "default") {
			sc.Annotations = map[string]string{fact.AnnDefaultClass: "true"}
		}
		return r.observe(sc)
	case 7:
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "ns", UID: uidOf("pod", 1), ResourceVersion: r.next()}}
		pod.Spec.Volumes = []corev1.Volume{{Name: "d", VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{
			ClaimName: rapid.SampledFrom([]string{"c0", "c1"}).Draw(t, "uses"),
		}}}}
		return r.observe(pod)
	case 8:
		return r.add(fact.MissingDraft(volumeSubject, r.version))
	case 9:
		return r.add(eventlog.Draft{Kind: eventlog.KindDeleted, Subject: claimSubject, Fact: fact.Observation{}.Append(nil)})
	case 10:
		plan := fact.Plan{Decision: 1, Steps: []fact.Step{{Subject: volumeSubject, After: -1}, {Subject: claimSubject, After: -1}}}
		owner := rapid.SampledFrom([]eventlog.Subject{claimSubject, volumeSubject}).Draw(t, "owner")
		if owner == volumeSubject {
			plan.Steps = plan.Steps[:1]
		}
		return r.add(eventlog.Draft{Kind: eventlog.KindIntended, Subject: owner, Fact: plan.Append(nil)})
	case 11:
		result := fact.Result{
			Plan: eventlog.Seq(rapid.IntRange(1, len(r.records)+1).Draw(t, "plan")),
			Kind: fact.ResultKind(rapid.IntRange(1, 7).Draw(t, "result")), Final: rapid.Bool().Draw(t, "final"),
		}
		return r.add(eventlog.Draft{Kind: eventlog.KindResulted, Subject: claimSubject, Fact: result.Append(nil)})
	case 12:
		return r.add(eventlog.Draft{Kind: eventlog.KindTimerFired, Subject: claimSubject, Fact: fact.Timer{}.Append(nil)})
	}
	start := fact.Start{Mode: rapid.SampledFrom([]string{"bind", "shadow"}).Draw(t, "mode")}
	return r.add(eventlog.Draft{Kind: eventlog.KindStarted, Fact: start.Append(nil)})
}

func apply(t testing.TB, s *State, records ...eventlog.Record) []Key {
	t.Helper()
	var keys []Key
	for _, r := range records {
		touched, err := s.Apply(r)
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, touched...)
	}
	return keys
}
