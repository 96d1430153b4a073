package differential

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"

	"bindery/e2e/cluster"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/klog/v2"
)

// dir holds the data of both clusters.
var dir string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	klog.SetLogger(klog.Logger{}) // the peer's log is not ours to read
	var err error
	if dir, err = os.MkdirTemp("", "bindery-differential-"); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		return 1
	}
	defer os.RemoveAll(dir)
	code := m.Run()
	if err := cluster.Leaks(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, "error:", err)
		return 1
	}
	return code
}

// played is what is left of each scenario of Static.
type played struct {
	theirs, again, ours    []State
	theirPhases, ourPhases []Phase
	changed                int // the scenario that differs in again, see withChange
}

// play plays Static to both binders, and to the in-tree controller a second
// time, in other namespaces of its cluster. The tests share one play.
var play = sync.OnceValues(func() (*played, error) {
	ctx := context.Background()
	program, err := BuildBindery(ctx, dir)
	if err != nil {
		return nil, err
	}
	out := &played{}
	var again []Scenario
	again, out.changed = withChange(Static)
	bindery := &Bindery{Program: program, Dir: dir}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		states, phases, err := onCluster(ctx, "upstream", &Upstream{}, slices.Concat(Static, again))
		if err != nil {
			return fmt.Errorf("the in-tree controller: %w", err)
		}
		out.theirs, out.again, out.theirPhases = states[:len(Static)], states[len(Static):], phases
		return nil
	})
	group.Go(func() (err error) {
		if out.ours, out.ourPhases, err = onCluster(ctx, "bindery", bindery, Static); err != nil {
			return fmt.Errorf("bindery: %w\nit said:\n%s", err, bindery.Output())
		}
		return nil
	})
	return out, group.Wait()
})

// onCluster plays on a cluster of its own.
func onCluster(ctx context.Context, name string, peer Peer, scenarios []Scenario) (states []State, phases []Phase, err error) {
	data, err := os.MkdirTemp(dir, name)
	if err != nil {
		return nil, nil, err
	}
	c, err := cluster.Start(ctx, cluster.Options{Dir: data, NoProtection: true})
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, c.Stop()) }()
	return Play(ctx, c, peer, scenarios)
}

// withChange is the scenarios under other names, one of them with a change
// that the original does not have, and which one that is.
func withChange(scenarios []Scenario) ([]Scenario, int) {
	again := slices.Clone(scenarios)
	changed := slices.IndexFunc(scenarios, func(s Scenario) bool { return s.ID == "1-1" })
	for i := range again {
		again[i].ID = "again-" + again[i].ID
	}
	extra := patchVolume("v", map[string]any{"metadata": map[string]any{"annotations": map[string]any{"bindery.test/injected": "yes"}}})
	again[changed].Steps = append(slices.Clone(again[changed].Steps), []Op{extra})
	return again, changed
}

// TestStatic plays the static scenarios to both binders: nothing may differ
// but what an improvement makes differ.
func TestStatic(t *testing.T) {
	p, err := play()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d scenarios; in-tree phases %v, bindery phases %v", len(Static), p.theirPhases, p.ourPhases)
	for i, s := range Static {
		t.Run(s.ID, func(t *testing.T) {
			if err := judge(s, p.theirs[i], p.ours[i]); err != nil {
				t.Errorf("%s: %v", s.Name, err)
			}
		})
	}
}

// TestSelf compares the in-tree controller with itself: the harness sees no
// difference where there is none, and sees the one that was made.
func TestSelf(t *testing.T) {
	p, err := play()
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range Static {
		switch diff := difference(p.theirs[i], p.again[i]); {
		case s.Open:
		case i == p.changed && diff == "":
			t.Errorf("%s: the change that was made is not seen", s.ID)
		case i != p.changed && diff != "":
			t.Errorf("%s: the in-tree controller differs from itself (-first +second):\n%s", s.ID, diff)
		}
	}
}

// judge is an error on a difference that no improvement explains, and on an
// improvement that does not show.
func judge(s Scenario, theirs, ours State) error {
	diff := difference(theirs, ours)
	if s.Improvement == 0 {
		if diff != "" {
			return fmt.Errorf("unexplained difference (-in-tree +bindery):\n%s", diff)
		}
		return nil
	}
	if err := s.Want(ours); err != nil {
		return fmt.Errorf("improvement %d: %w (-in-tree +bindery):\n%s", s.Improvement, err, diff)
	}
	if s.Open {
		return nil
	}
	if diff == "" {
		return fmt.Errorf("improvement %d makes no difference", s.Improvement)
	}
	if err := s.Theirs(theirs); err != nil {
		return fmt.Errorf("improvement %d: the in-tree controller: %w", s.Improvement, err)
	}
	return nil
}

// difference compares two states; quantities by value.
func difference(theirs, ours State) string {
	if equality.Semantic.DeepEqual(theirs, ours) {
		return ""
	}
	return cmp.Diff(theirs, ours)
}

// TestDifferenceIsSeen makes sure that the comparison and the judgement would
// notice.
func TestDifferenceIsSeen(t *testing.T) {
	state := func(phase corev1.PersistentVolumePhase) State {
		return State{"pv/v": &corev1.PersistentVolume{Status: corev1.PersistentVolumeStatus{Phase: phase}}}
	}
	bound, available := state(corev1.VolumeBound), state(corev1.VolumeAvailable)
	is := func(phase corev1.PersistentVolumePhase) func(State) error {
		return func(s State) error {
			if got := s.Volume("v").Status.Phase; got != phase {
				return fmt.Errorf("phase %s, want %s", got, phase)
			}
			return nil
		}
	}
	better := Scenario{Improvement: 1, Theirs: is(corev1.VolumeAvailable), Want: is(corev1.VolumeBound)}
	open := Scenario{Improvement: 2, Open: true, Want: is(corev1.VolumeBound)}
	for _, test := range []struct {
		name         string
		scenario     Scenario
		theirs, ours State
		good         bool
	}{
		{"equal", Scenario{}, bound, bound, true},
		{"a phase differs", Scenario{}, bound, available, false},
		{"an object is missing", Scenario{}, bound, State{}, false},
		{"an object is too many", Scenario{}, State{}, bound, false},
		{"an improvement", better, available, bound, true},
		{"an improvement that does not show", better, bound, bound, false},
		{"an improvement that is missing", better, available, available, false},
		{"an improvement on something else", better, State{"pv/v": &corev1.PersistentVolume{}}, bound, false},
		{"chance, equal", open, bound, bound, true},
		{"chance, other", open, available, bound, true},
		{"chance, wrong", open, available, available, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if err := judge(test.scenario, test.theirs, test.ours); (err == nil) != test.good {
				t.Errorf("judged %v, want good %v", err, test.good)
			}
		})
	}
}

// TestScenarios checks the table itself.
func TestScenarios(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range Static {
		if seen[s.ID] {
			t.Errorf("%s is there twice", s.ID)
		}
		seen[s.ID] = true
		if better := s.Improvement != 0; better != (s.Want != nil) || (better && !s.Open) != (s.Theirs != nil) || s.Open && !better {
			t.Errorf("%s: an improvement says what it wants, and what the in-tree controller does unless that is open", s.ID)
		}
	}
}
