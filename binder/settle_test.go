package binder_test

import (
	"testing"

	"bindery/binder"
	"bindery/projector"
	"bindery/projector/fact"

	"pgregory.net/rapid"
)

// maxRounds is far more than any pair needs: annotation, status, pair.
const maxRounds = 8

// TestWorldsSettle: when every plan is carried out and every read answered,
// a world comes to rest, and what is Bound then is bound both ways.
func TestWorldsSettle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		w.list(watched...)
		var ids []projector.ID
		for _, name := range []string{"a", "b", "c", "d"} {
			ids = append(ids, projector.ClaimID("default", name), projector.VolumeID(name))
		}
		for _, id := range ids {
			if _, open := w.plans[id]; open {
				w.result(id, fact.Result{Kind: fact.ResultSuperseded, Final: true})
			}
			w.say("timer " + id.String())
		}
		order := rapid.Permutation(ids).Draw(t, "order")
		trace := ""
		for round := 0; w.turn(order, &trace); round++ {
			if round == maxRounds {
				t.Fatalf("still writing after %d rounds:\n%s", round, trace)
			}
		}
		v := w.state.View()
		for c := range v.Claims() {
			if c.Phase != "Bound" || binder.Decide(v, c.ID).Outcome != fact.OutcomeSettled {
				continue
			}
			volume := v.Volume(c.VolumeName)
			if volume == nil || volume.ClaimRef == nil || volume.ClaimRef.UID != c.UID || volume.Phase != "Bound" {
				t.Errorf("%s is settled and Bound, its volume is %+v", c.ID, volume)
			}
		}
	})
}

// turn carries out what each subject has to write and answers what it asks;
// false when there was nothing to write.
func (w *world) turn(order []projector.ID, trace *string) (wrote bool) {
	for _, id := range order {
		d := binder.Decide(w.state.View(), id)
		if d.Rule == binder.RuleUnconfirmed {
			_, _ = w.decide(id)
			read := d.Reads[0]
			at := projector.ID{Resource: read.Resource, Namespace: read.Namespace, Name: read.Name}
			obj, there := w.objects[at]
			switch {
			case there && (read.UID == fact.ParseUID("") || fact.ParseUID(string(obj.GetUID())) == read.UID):
				w.live(at, true, "")
			case there:
				w.live(at, false, string(obj.GetUID()))
			default:
				w.live(at, false, "")
			}
		}
		if steps := w.carryOut(id); len(steps) > 0 {
			*trace += id.String() + " " + d.Rule + " " + calls(steps) + "\n"
			wrote = true
		}
	}
	return wrote
}
