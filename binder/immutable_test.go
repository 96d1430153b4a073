package binder_test

import (
	"fmt"
	"strings"
	"testing"

	"bindery/projector"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestJudgingModifiesNothing: views share what they hold with the state and
// with each other, across goroutines. Sizes are the trap: comparing a quantity
// may rewrite it in another form.
func TestJudgingModifiesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := drawWorld(t).state.View()
		before := held(v)
		judged(v)
		if diff := cmp.Diff(held(v), before); diff != "" {
			t.Errorf("judging changed what the view holds (-after +before):\n%s", diff)
		}
	})
}

// held is every claim and volume of the view in full, representation included.
func held(v *projector.View) string {
	var b strings.Builder
	for c := range v.Claims() {
		fmt.Fprintf(&b, "%#v\n", *c)
	}
	for volume := range v.Volumes() {
		fmt.Fprintf(&b, "%#v\n", *volume)
	}
	return b.String()
}
