package binder_test

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"bindery/binder"
	"bindery/eventlog"
	"bindery/projector"
	"bindery/projector/fact"

	"github.com/cockroachdb/datadriven"
	corev1 "k8s.io/api/core/v1"
)

// TestScenarios plays the files of testdata. In them:
//
//   - world [mode=shadow] begins anew; each line of its input is a command,
//     and at the end everything is listed. Defaults are those of the upstream
//     tables: namespace default, 1Gi, RWO and ROX, volumes Available and
//     Retain, claims Pending.
//   - volume, claim, class, pod, delete, start, list say what is seen; ghost
//     is a deletion that the watch tells although the object is still there;
//     gap says that versions of volumes were missed, until the next list.
//   - decide, plan and explain ask the binder. decide records the answer.
//   - do decides, carries the plan out and prints the calls in upstream's
//     short form, then the pair, then what is decided next.
//   - intend and result begin and end a plan; timer ends a back-off; live
//     answers the read that a decision asked for.
//
// Run with -rewrite after a wanted change and read the difference.
func TestScenarios(t *testing.T) {
	// By name: the folder also gets what fuzzing and properties found.
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) { playScenarios(t, path) })
	}
}

func playScenarios(t *testing.T, path string) {
	w := newWorld(t)
	datadriven.RunTest(t, path, func(t *testing.T, td *datadriven.TestData) string {
		w.t = t
		if td.Cmd == "world" {
			w = newWorld(t)
			w.begin(td)
			checkExplanations(t, w)
			return ""
		}
		out := w.run(td.Cmd, td.CmdArgs)
		checkExplanations(t, w)
		return out
	})
}

// begin plays the input lines of a world and lists everything.
func (w *world) begin(td *datadriven.TestData) {
	mode := "bind"
	if arg, ok := td.Arg("mode"); ok {
		mode = arg.Vals[0]
	}
	w.start(mode)
	for line := range strings.SplitSeq(td.Input, "\n") {
		cmd, args, err := datadriven.ParseLine(line)
		if err != nil {
			w.t.Fatalf("%s: %v", td.Pos, err)
		}
		if cmd != "" {
			w.run(cmd, args)
		}
	}
	w.list(watched...)
}

// run carries out one command and gives its output.
func (w *world) run(cmd string, args []datadriven.CmdArg) string {
	w.t.Helper()
	switch cmd {
	case "volume":
		w.observe(volumeOf(w.t, args), fact.SourceWatch, fact.VerbAdded)
	case "claim":
		w.observe(claimOf(w.t, args), fact.SourceWatch, fact.VerbAdded)
	case "class":
		w.observe(classOf(w.t, args), fact.SourceWatch, fact.VerbAdded)
	case "pod":
		w.observe(podOf(w.t, args), fact.SourceWatch, fact.VerbAdded)
	case "delete":
		w.remove(parseID(w.t, args[0].Key))
	case "ghost":
		w.ghost(parseID(w.t, args[0].Key))
	case "start":
		w.start(args[0].Vals[0])
	case "list":
		w.list(watched...)
	case "gap":
		gap := fact.Gap{From: 1, To: uint64(w.next()), Cause: "cut"}
		w.append(eventlog.Draft{
			Kind: eventlog.KindGap, Subject: eventlog.Subject{Resource: eventlog.ResourceVolume}, Fact: gap.Append(nil),
		})
	case "timer":
		w.append(eventlog.Draft{
			Kind: eventlog.KindTimerFired, Subject: w.subject(parseID(w.t, args[0].Key)),
			Fact: fact.Timer{Purpose: "backoff"}.Append(nil),
		})
	case "live":
		id := parseID(w.t, args[0].Key)
		switch args[1].Key {
		case "there":
			w.live(id, true, "")
		case "gone":
			w.live(id, false, "")
		case "uid":
			w.live(id, false, args[1].Vals[0])
		}
	case "intend":
		return calls(w.intend(parseID(w.t, args[0].Key)))
	case "result":
		w.result(parseID(w.t, args[0].Key), resultOf(w.t, args[1:]))
	default:
		return w.ask(cmd, parseID(w.t, args[0].Key))
	}
	return ""
}

// ask puts a question to the binder.
func (w *world) ask(cmd string, id projector.ID) string {
	w.t.Helper()
	switch cmd {
	case "decide":
		d, _ := w.decide(id)
		return printDecision(d)
	case "plan":
		v := w.state.View()
		return printSteps(binder.Plan(v, id, binder.Decide(v, id)))
	case "explain":
		return printExplanation(binder.Explain(w.state.View(), id))
	case "do":
		d := binder.Decide(w.state.View(), id)
		steps := w.carryOut(id)
		out := fmt.Sprintf("%s: %s\n", d.Rule, calls(steps))
		told := map[eventlog.Subject]bool{}
		for _, step := range steps {
			if !told[step.Subject] {
				told[step.Subject] = true
				at := projector.ID{Resource: step.Subject.Resource, Namespace: step.Subject.Namespace, Name: step.Subject.Name}
				out += printObject(w.objects[at]) + "\n"
			}
		}
		return out + "then " + printDecision(binder.Decide(w.state.View(), id))
	}
	w.t.Fatalf("unknown command %q", cmd)
	return ""
}

// parseID reads pv/NAME, pvc/NAME or pvc/NAMESPACE/NAME; sc/NAME and pod/NAME
// for delete.
func parseID(t reporter, s string) projector.ID {
	t.Helper()
	kind, rest, _ := strings.Cut(s, "/")
	switch kind {
	case "pv":
		return projector.VolumeID(rest)
	case "pvc":
		namespace, name := split(rest)
		return projector.ClaimID(namespace, name)
	case "sc":
		return projector.ID{Resource: eventlog.ResourceClass, Name: rest}
	case "pod":
		namespace, name := split(rest)
		return projector.ID{Resource: eventlog.ResourcePod, Namespace: namespace, Name: name}
	}
	t.Fatalf("%q names no object", s)
	return projector.ID{}
}

// split reads NAME or NAMESPACE/NAME.
func split(s string) (namespace, name string) {
	if namespace, name, ok := strings.Cut(s, "/"); ok {
		return namespace, name
	}
	return "default", s
}

func resultOf(t reporter, args []datadriven.CmdArg) fact.Result {
	r := fact.Result{Kind: fact.ResultApplied}
	for _, a := range args {
		switch a.Key {
		case "kind":
			for k := fact.ResultApplied; k <= fact.ResultInterrupted; k++ {
				if k.String() == a.Vals[0] {
					r.Kind = k
				}
			}
		case "step":
			step, err := strconv.Atoi(a.Vals[0])
			if err != nil {
				t.Fatalf("result: %v", err)
			}
			r.Step = step
		case "error":
			r.Error = strings.Join(a.Vals, ", ")
		case "final":
			r.Final = true
		default:
			t.Fatalf("result: unknown argument %s", a.Key)
		}
	}
	return r
}

// calls are the writes in upstream's short form.
func calls(steps []fact.Step) string {
	if len(steps) == 0 {
		return "-"
	}
	var out []string
	for _, s := range steps {
		out = append(out, call(s))
	}
	return strings.Join(out, " ")
}

func call(s fact.Step) string {
	name := "PV"
	if s.Subject.Resource == eventlog.ResourceClaim {
		name = "PVC"
	}
	if s.Subresource == "status" {
		return name + "s"
	}
	return name + "u"
}

func printDecision(d fact.Decision) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", d.Outcome, d.Rule)
	if d.Detail != "" {
		fmt.Fprintf(&b, ": %s", d.Detail)
	}
	if d.Winner.Name != "" {
		fmt.Fprintf(&b, "; winner %s", d.Winner.Name)
	}
	if d.RunnerUp.Name != "" {
		fmt.Fprintf(&b, "; runner-up %s", d.RunnerUp.Name)
	}
	for _, r := range d.Reads {
		fmt.Fprintf(&b, "; reads %s", projector.ID{Resource: r.Resource, Namespace: r.Namespace, Name: r.Name})
	}
	return b.String()
}

func printSteps(steps []fact.Step) string {
	if len(steps) == 0 {
		return "-"
	}
	var b strings.Builder
	for i, s := range steps {
		from := fmt.Sprintf("at version %d", s.ResourceVersion)
		if s.After >= 0 {
			from = fmt.Sprintf("after step %d", s.After)
		}
		fmt.Fprintf(&b, "%d %s %s, %s: %s\n", i, call(s), s.Purpose, from, s.Patch)
	}
	return b.String()
}

func printExplanation(e binder.Explanation) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\nstate: %s by %s\n", e.Sentence, e.State, e.Rule)
	for _, r := range e.Rows {
		fmt.Fprintf(&b, "%s %s (%s %s, class %s, %s)\n", r.Volume, r.Verdict, r.Size, short(strings.Split(r.Modes, ",")), r.Class, r.Phase)
		for _, f := range r.Failed {
			fmt.Fprintf(&b, "  %s %s: want %s, got %s\n", f.Rule, f.What, f.Want, f.Got)
		}
	}
	if e.Others > 0 {
		fmt.Fprintf(&b, "and %d more\n", e.Others)
	}
	if e.Beat != "" {
		fmt.Fprintf(&b, "beats %s: %s\n", e.RunnerUp, e.Beat)
	}
	if e.Nearest != "" {
		fmt.Fprintf(&b, "nearest: %s\n", e.Nearest)
	}
	for _, wait := range e.WaitsFor {
		fmt.Fprintf(&b, "waits for %s\n", wait)
	}
	return b.String()
}

// printObject is what binding changes of an object.
func printObject(obj object) string {
	var b strings.Builder
	marks := func(annotations map[string]string) {
		for _, mark := range []struct{ key, word string }{
			{fact.AnnBindCompleted, "completed"}, {fact.AnnBoundByController, "bound-by-controller"},
			{fact.AnnSelectedNode, "selected-node"}, {fact.AnnMigratedTo, "migrated-to"},
		} {
			if value, there := annotations[mark.key]; there {
				fmt.Fprintf(&b, " %s", mark.word)
				if value != "yes" {
					fmt.Fprintf(&b, "=%s", value)
				}
			}
		}
	}
	switch o := obj.(type) {
	case *corev1.PersistentVolume:
		fmt.Fprintf(&b, "pv/%s %s", o.Name, o.Status.Phase)
		if ref := o.Spec.ClaimRef; ref != nil {
			fmt.Fprintf(&b, " ref=%s/%s", ref.Namespace, ref.Name)
			if ref.UID != "" {
				fmt.Fprintf(&b, "#%s", ref.UID)
			}
		}
		marks(o.Annotations)
	case *corev1.PersistentVolumeClaim:
		fmt.Fprintf(&b, "pvc/%s/%s %s", o.Namespace, o.Name, o.Status.Phase)
		if o.Spec.VolumeName != "" {
			fmt.Fprintf(&b, " volume=%s", o.Spec.VolumeName)
		}
		marks(o.Annotations)
		if size, ok := o.Status.Capacity[corev1.ResourceStorage]; ok {
			fmt.Fprintf(&b, " capacity=%s", size.String())
		}
		if len(o.Status.AccessModes) > 0 {
			var modes []string
			for _, m := range o.Status.AccessModes {
				modes = append(modes, string(m))
			}
			fmt.Fprintf(&b, " modes=%s", short(modes))
		}
		if vac := o.Status.CurrentVolumeAttributesClassName; vac != nil {
			fmt.Fprintf(&b, " current-vac=%s", *vac)
		}
	}
	return b.String()
}
