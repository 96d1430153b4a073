package projector_test

import (
	"fmt"
	"time"

	"bindery/eventlog"
	"bindery/projector"
	"bindery/projector/fact"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// A log is folded record by record; a search of the view seeks the smallest
// volume that fits, and notes what would wake the searcher.
func Example() {
	state := projector.New()
	for i, size := range []string{"10Gi", "1Gi", "5Gi"} {
		v := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{
			Name: "disk-" + size, UID: types.UID(fmt.Sprint("uid-", i)), ResourceVersion: fmt.Sprint(i + 1),
		}}
		v.Spec.Capacity = corev1.ResourceList{corev1.ResourceStorage: resource.MustParse(size)}
		v.Spec.AccessModes = []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}
		v.Status.Phase = corev1.VolumeAvailable
		draft, err := fact.ObservedDraft(v, fact.SourceList, fact.VerbListed)
		if err != nil {
			panic(err)
		}
		record := eventlog.Record{
			Seq: eventlog.Seq(i + 1), Kind: draft.Kind, Version: 1, Time: time.Unix(0, 0), Subject: draft.Subject, Fact: draft.Fact,
		}
		if _, err := state.Apply(record); err != nil {
			panic(err)
		}
	}
	view := state.View()
	need := projector.Need{Mode: "Filesystem", AccessModes: []string{"ReadWriteOnce"}, Request: resource.MustParse("2Gi")}
	for volume := range view.Search(need) {
		fmt.Println(volume.Name)
	}
	fmt.Println("as of", view.AsOf(), "rests on", view.Reads())
	// Output:
	// disk-5Gi
	// disk-10Gi
	// as of 3 rests on [free//Filesystem/]
}
