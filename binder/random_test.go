package binder_test

import (
	"fmt"
	"strings"

	"bindery/binder"
	"bindery/eventlog"
	"bindery/projector"
	"bindery/projector/fact"

	"github.com/cockroachdb/datadriven"
	"pgregory.net/rapid"
)

// Random worlds. They are written in the language of the scenarios, so that a
// shrunk counterexample can be copied into a file of testdata.

// sizes lie close to each other in different units, and beyond int64.
var sizes = []string{
	"none", "0", "1500m", "476Mi", "500M", "1Gi", "1024Mi", "1073741824", "1073741825", "2Gi", "10Gi", "1Ti",
	"9223372036854775807", "9223372036854775808", "8Ei", "16Ei", "20E",
}

// modeLists hold every shape of a list: exact, wider, disjoint, twice the
// same, unknown, empty.
var modeLists = []string{
	"RWO", "ROX", "RWX", "RWOP", "RWO,ROX", "RWX,RWO", "ROX,RWX", "RWO,ROX,RWX", "RWO,RWO", "RWO,ReadMostly", "",
}

// classes: one delayed, one that does not exist, and the legacy annotation.
var classWords = []string{"", "", "", "class=", "class=gold", "class=wait", "class=ghost", "class=gold beta-class=", "beta-class=gold"}

var (
	volumeModes = []string{"", "", "", "mode=Filesystem", "mode=Block"}
	attributes  = []string{"", "", "", "vac=", "vac=gold"}
	labelWords  = []string{"", "label.tier=fast", "label.tier=slow label.zone=a"}
	selectors   = []string{"", "", "", "", "selector=", "selector=tier=fast", "selector=tier=slow,zone=a", "selector=bad"}
	phases      = []string{"", "", "", "phase=Available", "phase=Pending", "phase=", "phase=Released", "phase=Failed", "phase=Bound"}
	rarely      = func(word string) []string { return []string{"", "", "", "", "", "", "", "", word} }
)

// pick draws one of the words.
func pick(t *rapid.T, label string, words []string) string {
	return rapid.SampledFrom(words).Draw(t, label)
}

// words joins what is not empty.
func words(list ...string) string {
	var out []string
	for _, w := range list {
		if w != "" {
			out = append(out, w)
		}
	}
	return strings.Join(out, " ")
}

// drawVolume is a line for a volume; refs are the references it may carry.
// Half of them differ in size, modes and reference alone, so that many fit one claim.
func drawVolume(t *rapid.T, name string, refs []string) string {
	if rapid.Bool().Draw(t, "plain volume") {
		return words("volume", name, "size="+pick(t, "size", sizes), "modes="+pick(t, "modes", modeLists), pick(t, "ref", refs))
	}
	return words("volume", name,
		"size="+pick(t, "size", sizes), "modes="+pick(t, "modes", modeLists), pick(t, "class", classWords),
		pick(t, "phase", phases), pick(t, "ref", refs), pick(t, "volume mode", volumeModes), pick(t, "vac", attributes),
		pick(t, "labels", labelWords), pick(t, "deleting", rarely("deleting")),
		pick(t, "policy", []string{"", "", "", "policy=Delete provisioned-by=example.com/disk"}),
		pick(t, "mark", []string{"", "", "bound-by-controller"}))
}

// drawNeed is what a claim asks for, half of the time of plain volumes.
func drawNeed(t *rapid.T, name string) string {
	if rapid.Bool().Draw(t, "plain claim") {
		return words("claim", name, "size="+pick(t, "request", sizes), "modes="+pick(t, "modes", modeLists))
	}
	return words("claim", name,
		"size="+pick(t, "request", sizes), "modes="+pick(t, "modes", modeLists), pick(t, "class", classWords),
		pick(t, "volume mode", volumeModes), pick(t, "vac", attributes), pick(t, "selector", selectors),
		pick(t, "node", []string{"", "", "selected-node=n1"}), pick(t, "deleting", rarely("deleting")))
}

// say plays one line in the world.
func (w *world) say(line string) {
	w.t.Helper()
	cmd, args, err := datadriven.ParseLine(line)
	if err != nil {
		w.t.Fatalf("%s: %v", line, err)
	}
	w.run(cmd, args)
}

// drawWorld is a world of several volumes and claims in any relation to each
// other, some of them on the way.
func drawWorld(t *rapid.T) *world {
	w := newWorld(t)
	w.start(pick(t, "mode", []string{"bind", "bind", "shadow"}))
	w.say("class gold")
	w.say("class wait mode=WaitForFirstConsumer")
	if rapid.Bool().Draw(t, "default class") {
		w.say("class standard default")
	}
	names := []string{"a", "b", "c", "d"}
	for _, name := range names {
		refs := []string{"", "", ""}
		for _, claim := range names {
			refs = append(refs, "ref=default/"+claim, "ref=default/"+claim+"#u-"+claim, "ref=default/"+claim+"#u-earlier")
		}
		if rapid.Bool().Draw(t, "volume there") {
			w.say(drawVolume(t, name, refs))
		}
	}
	for _, name := range names {
		w.say(words(drawNeed(t, name),
			pick(t, "names", []string{"", "", "volume=a", "volume=b", "volume=gone"}),
			pick(t, "completed", []string{"", "completed"}),
			pick(t, "mark", []string{"", "bound-by-controller"}),
			pick(t, "claim phase", []string{"", "phase=", "phase=Bound", "phase=Lost"}),
			pick(t, "capacity", []string{"", "capacity=1Gi status-modes=RWO"}),
			pick(t, "provisioner", rarely("provisioner=kubernetes.io/aws-ebs")),
		))
	}
	w.list(watched...)
	ids := []projector.ID{}
	for _, name := range names {
		ids = append(ids, projector.ClaimID("default", name), projector.VolumeID(name))
	}
	for range rapid.IntRange(0, 6).Draw(t, "steps") {
		w.stepOn(t, rapid.SampledFrom(ids).Draw(t, "subject"))
	}
	return w
}

// stepOn does one of the things that happen to a subject.
func (w *world) stepOn(t *rapid.T, id projector.ID) {
	_, open := w.plans[id]
	_, there := w.objects[id]
	ask, _ := w.lastAsk(id)
	switch what := pick(t, "step", []string{"decide", "intend", "result", "delete", "live", "timer", "restart"}); {
	case what == "decide":
		w.decide(id)
	case what == "intend" && !open:
		w.intend(id)
	case what == "result" && open:
		kind := rapid.SampledFrom([]fact.ResultKind{
			fact.ResultApplied, fact.ResultConflict, fact.ResultRetry, fact.ResultFailed,
		}).Draw(t, "kind")
		w.result(id, fact.Result{Kind: kind, Final: rapid.Bool().Draw(t, "final")})
	case what == "delete" && there:
		w.remove(id)
	case what == "live" && ask != 0:
		w.live(id, there && rapid.Bool().Draw(t, "alive"), "")
	case what == "timer":
		w.say("timer " + id.String())
	case what == "restart":
		w.start("bind")
		w.list(rapid.SliceOfDistinct(rapid.SampledFrom(watched), func(r eventlog.Resource) eventlog.Resource { return r }).Draw(t, "lists")...)
	}
}

// judged is everything that the binder says of every subject in the view, as
// bytes.
func judged(v *projector.View) string {
	var b strings.Builder
	say := func(id projector.ID) {
		d := binder.Decide(v.Fresh(), id)
		plan := fact.Plan{Steps: binder.Plan(v.Fresh(), id, d)}
		e := binder.Explain(v.Fresh(), id)
		e.Decision = nil // a pointer; its bytes are in the log
		fmt.Fprintf(&b, "%s %x %x %#v\n", id, d.Append(nil), plan.Append(nil), e)
	}
	for c := range v.Claims() {
		say(c.ID)
	}
	for volume := range v.Volumes() {
		say(projector.VolumeID(volume.Name))
	}
	return b.String()
}
