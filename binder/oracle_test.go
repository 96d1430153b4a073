package binder_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"bindery/binder"
	"bindery/projector"
	"bindery/projector/fact"

	corev1 "k8s.io/api/core/v1"
	storagehelpers "k8s.io/component-helpers/storage/volume"
	"pgregory.net/rapid"
)

// known are the access modes that upstream groups volumes by.
var known = []corev1.PersistentVolumeAccessMode{
	corev1.ReadWriteOnce, corev1.ReadOnlyMany, corev1.ReadWriteMany, corev1.ReadWriteOncePod,
}

// modesIn counts the known modes of a volume.
func modesIn(pv *corev1.PersistentVolume) int {
	n := 0
	for _, mode := range known {
		if slices.Contains(pv.Spec.AccessModes, mode) {
			n++
		}
	}
	return n
}

// grouped reports whether the volume lies in a group that holds every mode
// that the claim asks for (4.1).
func grouped(pv *corev1.PersistentVolume, pvc *corev1.PersistentVolumeClaim) bool {
	for _, mode := range pvc.Spec.AccessModes {
		if !slices.Contains(known, mode) || !slices.Contains(pv.Spec.AccessModes, mode) {
			return false
		}
	}
	return true
}

// compareSizes is the total order inside a group: capacity, then name.
func compareSizes(a, b *corev1.PersistentVolume) int {
	size := a.Spec.Capacity[corev1.ResourceStorage]
	return cmp.Or(size.Cmp(b.Spec.Capacity[corev1.ResourceStorage]), cmp.Compare(a.Name, b.Name))
}

// upstream is what upstream's own matching chooses when the groups come by
// number of modes, groups of one number are one, and the volumes of a group
// come in the total order.
func upstream(pvc *corev1.PersistentVolumeClaim, volumes []*corev1.PersistentVolume, except string, delay bool) (*corev1.PersistentVolume, error) {
	excluded := map[string]*corev1.PersistentVolume{except: nil}
	for size := 0; size <= len(known); size++ {
		var group []*corev1.PersistentVolume
		for _, pv := range volumes {
			if modesIn(pv) == size && grouped(pv, pvc) {
				group = append(group, pv)
			}
		}
		if len(group) == 0 {
			continue
		}
		slices.SortFunc(group, compareSizes)
		found, err := storagehelpers.FindMatchingVolume(pvc, group, nil, excluded, delay, true)
		if found != nil || err != nil {
			return found, err
		}
	}
	return nil, nil
}

// contest is one claim and the volumes there are.
type contest struct {
	claim   *corev1.PersistentVolumeClaim
	volumes []*corev1.PersistentVolume
	kept    map[string]bool // unclaimed, and a completed claim names them
	bind    bool
}

// want is the volume that must be chosen and by which improvements, "" for
// none. It differs from upstream only where an improvement applies, and each
// is upstream's own function on a world that the improvement changes.
func (c contest) want(delay bool) (winner, runnerUp string, by []string, err error) {
	// Improvement 1: upstream's filters on a reserved volume alone (in delay
	// mode only those pass), by UID first, then in the total order.
	var reserved []*corev1.PersistentVolume
	for _, pv := range c.volumes {
		found, err := upstream(c.claim, []*corev1.PersistentVolume{pv}, "", true)
		if err != nil {
			return "", "", nil, err
		}
		byUID := found != nil && found.Spec.ClaimRef.UID == c.claim.UID
		if found == nil || c.claim.DeletionTimestamp != nil && !byUID { // improvement 5
			continue
		}
		reserved = append(reserved, found)
	}
	if len(reserved) > 0 {
		byName := func(pv *corev1.PersistentVolume) int {
			if pv.Spec.ClaimRef.UID == c.claim.UID {
				return 0
			}
			return 1
		}
		slices.SortFunc(reserved, func(a, b *corev1.PersistentVolume) int {
			return cmp.Or(cmp.Compare(byName(a), byName(b)), cmp.Compare(modesIn(a), modesIn(b)), compareSizes(a, b))
		})
		return reserved[0].Name, "", []string{"improvement 1"}, nil
	}
	if c.claim.DeletionTimestamp != nil {
		return "", "", []string{"improvement 5"}, nil
	}
	offered := make([]*corev1.PersistentVolume, 0, len(c.volumes))
	for _, pv := range c.volumes {
		if c.kept[pv.Name] {
			by = append(by, "improvement 10")
			continue
		}
		if phase := pv.Status.Phase; c.bind && (phase == corev1.VolumePending || phase == "") {
			by = append(by, "improvement 9")
			pv = pv.DeepCopy()
			pv.Status.Phase = corev1.VolumeAvailable
		}
		offered = append(offered, pv)
	}
	first, err := upstream(c.claim, offered, "", delay)
	if first == nil || err != nil {
		return "", "", by, err
	}
	if second, err := upstream(c.claim, offered, first.Name, delay); err == nil && second != nil {
		runnerUp = second.Name
	}
	return first.Name, runnerUp, by, err
}

// drawContest is a world with one open claim, default/c.
func drawContest(t *rapid.T) (*world, contest) {
	w := newWorld(t)
	mode := pick(t, "mode", []string{"bind", "shadow"})
	w.start(mode)
	w.say("class gold")
	w.say("class wait mode=WaitForFirstConsumer")
	refs := []string{
		"", "", "", "", "", "", "ref=default/c", "ref=default/c", "ref=default/c#u-c",
		"ref=default/c#u-earlier", "ref=other/c#u-c", "ref=default/d", "ref=/c",
	}
	c := contest{kept: map[string]bool{}, bind: mode == "bind"}
	for i := range rapid.IntRange(0, 12).Draw(t, "volumes") {
		name := fmt.Sprintf("v%d", i)
		w.say(drawVolume(t, name, refs))
		pv := w.objects[projector.VolumeID(name)].(*corev1.PersistentVolume)
		c.volumes = append(c.volumes, pv)
		if rapid.IntRange(0, 7).Draw(t, "kept") == 0 {
			w.say("claim keepers/" + name + " completed phase=Bound volume=" + name)
			c.kept[name] = pv.Spec.ClaimRef == nil
		}
	}
	w.say(drawNeed(t, "c"))
	c.claim = w.objects[projector.ClaimID("default", "c")].(*corev1.PersistentVolumeClaim)
	w.list(watched...)
	return w, c
}

// TestMatchIsUpstreams: whatever the volumes and the claim, the volume chosen
// is the one that upstream's own matching chooses, or an improvement applies.
func TestMatchIsUpstreams(t *testing.T) {
	applied := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		w, c := drawContest(t)
		delay := storagehelpers.GetPersistentVolumeClaimClass(c.claim) == "wait"
		winner, runnerUp, by, err := c.want(delay)
		plain, plainErr := upstream(c.claim, c.volumes, "", delay)

		d := binder.Decide(w.state.View(), projector.ClaimID("default", "c"))
		if err != nil || plainErr != nil {
			if d.Rule != binder.RuleBadSelector {
				t.Fatalf("got %s, want %s: %v", d.Rule, binder.RuleBadSelector, err)
			}
			applied["bad selector"]++
			return
		}
		if d.Winner.Name != winner || d.RunnerUp.Name != runnerUp {
			t.Fatalf("got winner %q, runner-up %q, want %q, %q (%v): %s",
				d.Winner.Name, d.RunnerUp.Name, winner, runnerUp, by, printDecision(d))
		}
		if plain == nil && winner != "" || plain != nil && plain.Name != winner {
			if len(by) == 0 {
				t.Fatalf("got %q, upstream %v, and no improvement applies", winner, plain)
			}
		}
		if d.Outcome != fact.OutcomeAct && d.Rule != binder.RuleNoCapacity && winner != "" {
			t.Fatalf("got %s, want the claim bound to %s", printDecision(d), winner)
		}
		for _, name := range by {
			applied[name]++
		}
		if winner != "" && plain != nil && plain.Name == winner {
			applied["upstream's choice"]++
		}
	})
	t.Logf("decided by %v", applied)
}
