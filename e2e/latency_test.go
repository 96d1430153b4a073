package e2e

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"bindery/e2e/differential"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
)

// TestLatency binds single static pairs, half of them volume first and half
// claim first, and measures from the second object's creation to Bound. In the
// same run it measures what four writes one after another cost: a binding may
// take twice that. Nothing but writes takes part; a timer or a resync would
// show at once.
func TestLatency(t *testing.T) {
	const pairs = 50
	bindery := &differential.Bindery{Program: program, Dir: t.TempDir()}
	if err := bindery.Start(t.Context(), shared); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := bindery.Stop(); err != nil {
			t.Error(err)
		}
	}()
	client := shared.Client()
	ctx, cancel := context.WithTimeout(t.Context(), 5*patience)
	defer cancel()
	warm := pair(t, ctx, client, "warm", true) // the first one waits for the program to start
	t.Logf("the first binding after the start took %v", warm)

	var bound, floor []time.Duration
	for i := range pairs {
		floor = append(floor, fourWrites(t, client, fmt.Sprintf("floor-%d", i)))
		bound = append(bound, pair(t, ctx, client, fmt.Sprintf("latency-%d", i), i%2 == 0))
	}
	slices.Sort(bound)
	slices.Sort(floor)
	got, want := bound[pairs/2], 2*floor[pairs/2]
	t.Logf("bound: median %v, p90 %v, max %v; four writes: median %v; ratio %.2f",
		got, bound[pairs*9/10], bound[pairs-1], floor[pairs/2], float64(got)/float64(floor[pairs/2]))
	if got > want {
		t.Errorf("median from the second object to Bound is %v, more than twice four writes (%v)", got, want)
	}
}

// pair makes a volume and a claim and returns how long the claim took to be
// Bound once both were there.
func pair(t *testing.T, ctx context.Context, client kubernetes.Interface, name string, volumeFirst bool) time.Duration {
	t.Helper()
	first, second := func() { createVolume(t, client, volume(name, name)) }, func() { createClaim(t, client, claim(name, name)) }
	if !volumeFirst {
		first, second = second, first
	}
	claims := client.CoreV1().PersistentVolumeClaims(metav1.NamespaceDefault)
	w, err := claims.Watch(ctx, metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector("metadata.name", name).String()})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	first()
	if volumeFirst {
		available(t, ctx, client, name)
	}
	start := time.Now()
	second()
	for event := range w.ResultChan() {
		if event.Type == watch.Error {
			t.Fatalf("watch: %v", event.Object)
		}
		if event.Object.(*corev1.PersistentVolumeClaim).Status.Phase == corev1.ClaimBound {
			return time.Since(start)
		}
	}
	t.Fatalf("%s is not Bound: %v", name, ctx.Err())
	return 0
}

// available waits until the volume is Available: it is idle then.
func available(t *testing.T, ctx context.Context, client kubernetes.Interface, name string) {
	t.Helper()
	w, err := client.CoreV1().PersistentVolumes().Watch(ctx, metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector("metadata.name", name).String()})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	for event := range w.ResultChan() {
		if v, ok := event.Object.(*corev1.PersistentVolume); ok && v.Status.Phase == corev1.VolumeAvailable {
			return
		}
	}
	t.Fatalf("%s is not Available: %v", name, ctx.Err())
}

// fourWrites is how long four writes of the size of a binding's take, one
// after another, by the same kind of client.
func fourWrites(t *testing.T, client kubernetes.Interface, name string) time.Duration {
	t.Helper()
	createVolume(t, client, volume(name, name+"-volume")) // of classes that do not meet
	createClaim(t, client, claim(name, name+"-claim"))
	volumes, claims := client.CoreV1().PersistentVolumes(), client.CoreV1().PersistentVolumeClaims(metav1.NamespaceDefault)
	available(t, t.Context(), client, name)
	start := time.Now()
	for i := range 2 {
		patch := fmt.Appendf(nil, `{"metadata":{"annotations":{"bindery.test/write":"%d"}}}`, i)
		if _, err := volumes.Patch(t.Context(), name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
			t.Fatal(err)
		}
		if _, err := claims.Patch(t.Context(), name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	return time.Since(start)
}
