package binder_test

import (
	"fmt"

	"bindery/binder"
	"bindery/eventlog"
	"bindery/projector"
	"bindery/projector/fact"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// A state is folded from the records of a log; the binder looks at a view of
// it. Here a claim asks for more than the only volume has.
func ExampleDecide() {
	state := projector.New()
	seq := eventlog.Seq(0)
	fold := func(d eventlog.Draft, err error) {
		if err != nil {
			panic(err)
		}
		seq++
		if _, err := state.Apply(eventlog.Record{
			Seq: seq, Kind: d.Kind, Version: 1, Subject: d.Subject, Fact: d.Fact, Object: d.Object,
		}); err != nil {
			panic(err)
		}
	}
	see := func(obj runtime.Object) { fold(fact.ObservedDraft(obj, fact.SourceWatch, fact.VerbAdded)) }

	fold(eventlog.Draft{Kind: eventlog.KindStarted, Fact: fact.Start{Mode: "bind"}.Append(nil)}, nil)
	volume := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "disk", UID: "u-disk", ResourceVersion: "1"}}
	volume.Spec.AccessModes = []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}
	volume.Spec.Capacity = corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}
	volume.Status.Phase = corev1.VolumeAvailable
	see(volume)
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{
		Namespace: "shop", Name: "data", UID: "u-data", ResourceVersion: "2",
	}}
	claim.Spec.AccessModes = volume.Spec.AccessModes
	claim.Spec.Resources.Requests = corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("5Gi")}
	claim.Status.Phase = corev1.ClaimPending
	see(claim)
	for _, r := range watched {
		list := fact.List{Version: 2}
		fold(eventlog.Draft{Kind: eventlog.KindListCompleted, Subject: eventlog.Subject{Resource: r}, Fact: list.Append(nil)}, nil)
	}

	id := projector.ClaimID("shop", "data")
	d := binder.Decide(state.View(), id)
	fmt.Println(d.Outcome, d.Rule)

	why := binder.Explain(state.View(), id)
	fmt.Println(why.Sentence)
	fmt.Println(why.Nearest)

	// A larger volume comes.
	larger := volume.DeepCopy()
	larger.Name, larger.UID, larger.ResourceVersion = "large-disk", "u-large", "3"
	larger.Spec.Capacity[corev1.ResourceStorage] = resource.MustParse("10Gi")
	see(larger)
	v := state.View()
	d = binder.Decide(v, id)
	fmt.Println(d.Outcome, d.Rule, d.Winner.Name)
	for _, step := range binder.Plan(v, id, d) {
		fmt.Println(step.Purpose)
	}
	// Output:
	// Blocked U7-no-volume
	// pvc/shop/data is blocked: No volume fits and the claim has no class. 1 volume looked at, none fits.
	// disk would fit if its size were at least 5Gi (it is 1Gi)
	// Act U3-bind large-disk
	// volume spec
	// volume status
	// claim spec
	// claim status
}
