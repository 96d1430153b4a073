package binder_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestSameViewSameBytes: decisions, plans and explanations are the same bytes
// when made again, and from a state that is folded anew from the records.
func TestSameViewSameBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		first := judged(w.state.View())
		if diff := cmp.Diff(judged(w.state.View()), first); diff != "" {
			t.Errorf("judged twice (-second +first):\n%s", diff)
		}
		if diff := cmp.Diff(judged(w.rebuilt().View()), first); diff != "" {
			t.Errorf("judged after a replay (-replay +first):\n%s", diff)
		}
	})
}

// TestEverySubjectIsExplained holds for random worlds what the scenarios hold
// for theirs.
func TestEverySubjectIsExplained(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkExplanations(t, drawWorld(t)) })
}
