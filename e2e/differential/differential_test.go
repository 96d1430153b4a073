package differential

import (
	"os"
	"testing"

	"bindery/e2e/cluster"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/klog/v2"
)

func TestMain(m *testing.M) {
	klog.SetLogger(klog.Logger{}) // the peer's log is not ours to read
	os.Exit(m.Run())
}

// TestStatic plays the static scenarios to both binders: nothing may differ
// but what an improvement makes differ.
func TestStatic(t *testing.T) {
	ctx := t.Context()
	program, err := BuildBindery(ctx, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	bindery := &Bindery{Program: program, Dir: t.TempDir()}
	var theirs, ours []State
	group, groupCtx := errgroup.WithContext(ctx)
	for _, side := range []struct {
		peer   Peer
		states *[]State
	}{{&Upstream{}, &theirs}, {bindery, &ours}} {
		c, err := cluster.Start(ctx, cluster.Options{Dir: t.TempDir(), NoProtection: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Stop() })
		group.Go(func() (err error) {
			*side.states, err = Play(groupCtx, c, side.peer, Static)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatalf("%v\nbindery said:\n%s", err, bindery.Output())
	}
	for i, s := range Static {
		t.Run(s.ID, func(t *testing.T) { judge(t, s, theirs[i], ours[i]) })
	}
}

// judge fails on a difference that no improvement explains.
func judge(t *testing.T, s Scenario, theirs, ours State) {
	if s.Want != nil {
		if err := s.Want(ours); err != nil {
			t.Errorf("%s (improvement %d): %v", s.Name, s.Improvement, err)
		}
	}
	if diff := difference(theirs, ours); diff != "" && s.Improvement == 0 {
		t.Errorf("%s: unexplained difference (-upstream +bindery):\n%s", s.Name, diff)
	}
}

// difference compares two states; quantities by value.
func difference(theirs, ours State) string {
	if equality.Semantic.DeepEqual(theirs, ours) {
		return ""
	}
	return cmp.Diff(theirs, ours)
}

// TestDifferenceIsSeen makes sure that the comparison would notice.
func TestDifferenceIsSeen(t *testing.T) {
	a := State{"pv/v": &corev1.PersistentVolume{Status: corev1.PersistentVolumeStatus{Phase: corev1.VolumeBound}}}
	b := State{"pv/v": &corev1.PersistentVolume{Status: corev1.PersistentVolumeStatus{Phase: corev1.VolumeAvailable}}}
	if difference(a, b) == "" || difference(a, State{}) == "" {
		t.Error("a difference is not seen")
	}
	if difference(a, a) != "" {
		t.Error("a difference is seen where there is none")
	}
}
