package binder_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bindery/binder"
	"bindery/projector"
	"bindery/projector/fact"
)

// checkExplanations holds for every subject of a world at every moment:
// Explain names the rule and winner of Decide, and a claim that is not Bound
// has exactly one state with a rule and a sentence.
func checkExplanations(t reporter, w *world) {
	t.Helper()
	v := w.state.View()
	for c := range v.Claims() {
		e := checkExplanation(t, v, c.ID)
		if c.Phase == "Bound" {
			continue
		}
		if !slices.Contains([]string{"Waiting", "Blocked", "Deciding", "Lost"}, e.State) {
			t.Errorf("%s is %s: got state %q, want Waiting, Blocked, Deciding or Lost", c.ID, c.Phase, e.State)
		}
	}
	for volume := range v.Volumes() {
		checkExplanation(t, v, projector.VolumeID(volume.Name))
	}
}

func checkExplanation(t reporter, v *projector.View, id projector.ID) binder.Explanation {
	t.Helper()
	d := binder.Decide(v.Fresh(), id)
	e := binder.Explain(v.Fresh(), id)
	if steps := binder.Plan(v.Fresh(), id, d); len(steps) > 0 != (d.Outcome == fact.OutcomeAct) {
		t.Errorf("decide %s: %s by %s with %d steps", id, d.Outcome, d.Rule, len(steps))
	}
	if d.Rule == binder.RuleBusy {
		// While its own plan is carried out a subject is explained by that
		// plan's decision.
		if r := v.Busy(id); r != nil && r.Owner == id {
			d = v.Decision(id).Decision
		}
	}
	if e.Rule != d.Rule || e.Winner != d.Winner.Name || e.RunnerUp != d.RunnerUp.Name {
		t.Errorf("explain %s names rule %q, winner %q, runner-up %q; decide %q, %q, %q",
			id, e.Rule, e.Winner, e.RunnerUp, d.Rule, d.Winner.Name, d.RunnerUp.Name)
	}
	if e.Rule == "" || e.RuleDoc == "" || e.Sentence == "" || e.State == "" {
		t.Errorf("explain %s leaves something unsaid: %+v", id, e)
	}
	if d.Outcome == fact.OutcomeUnknown {
		t.Errorf("decide %s: no outcome (%s)", id, d.Rule)
	}
	return e
}

// TestEveryRuleHasAScenario looks for each id in the expected outputs.
func TestEveryRuleHasAScenario(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			if strings.HasPrefix(line, "#") {
				continue
			}
			for word := range strings.FieldsFuncSeq(line, func(r rune) bool { return strings.ContainsRune(" :;\n", r) }) {
				seen[word] = true
			}
		}
	}
	for _, r := range slices.Concat(binder.Rules(), binder.Checks()) {
		t.Run(r.ID, func(t *testing.T) {
			if !seen[r.ID] {
				t.Error("no scenario shows it")
			}
		})
	}
}
