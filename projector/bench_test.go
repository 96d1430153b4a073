package projector

import (
	"fmt"
	"testing"

	"bindery/eventlog"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// volumes are n records of free volumes of growing size.
func volumes(n int) []eventlog.Record {
	r := &recorder{}
	for i := range n {
		v := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("v%06d", i), UID: uidOf("pv", i), ResourceVersion: r.next()}}
		v.Spec.Capacity = corev1.ResourceList{corev1.ResourceStorage: resource.MustParse(fmt.Sprintf("%dMi", i+1))}
		v.Spec.AccessModes = []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}
		v.Status.Phase = corev1.VolumeAvailable
		r.observe(v)
	}
	return r.records
}

// BenchmarkSearch finds the smallest fit among n free volumes: it should cost
// about the same whatever n is.
func BenchmarkSearch(b *testing.B) {
	for _, n := range []int{10, 1_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := New()
			apply(b, s, volumes(n)...)
			need := Need{Mode: "Filesystem", AccessModes: []string{"ReadWriteOnce"}, Request: resource.MustParse(fmt.Sprintf("%dMi", n/2))}
			view := s.View()
			b.ReportAllocs()
			for b.Loop() {
				for range view.Fresh().Search(need) {
					break
				}
			}
		})
	}
}

// BenchmarkApply folds volumes, with a view taken after each as the sequencer
// does.
func BenchmarkApply(b *testing.B) {
	records := volumes(10_000)
	b.ReportAllocs()
	for b.Loop() {
		s := New()
		for _, r := range records {
			if _, err := s.Apply(r); err != nil {
				b.Fatal(err)
			}
			s.View()
		}
	}
	b.ReportMetric(float64(len(records))*float64(b.N)/b.Elapsed().Seconds(), "records/s")
}
