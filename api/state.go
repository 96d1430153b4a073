package api

import (
	"bindery/projector"
	"bindery/projector/fact"
)

// The states of a claim or volume, as people are told. A healthy wait never
// looks like a failure: Waiting is normal and says on whom, Blocked needs a
// change that nobody is known to be making.
const (
	StateDeciding  = "Deciding"  // not judged yet, or a write is under way
	StateBound     = "Bound"     // as it should be
	StateWaiting   = "Waiting"   // normal
	StateBlocked   = "Blocked"   // needs a change
	StateLost      = "Lost"      // the claim's volume is gone
	StateAvailable = "Available" // a volume that may be taken
	StateReleased  = "Released"  // a volume whose claim is gone
	StateFailed    = "Failed"    // a volume that could not be reclaimed
	StatePending   = "Pending"   // a volume that was not judged yet
)

// claimState is the state of a claim.
func claimState(v *projector.View, c *projector.Claim) string {
	d := v.Decision(c.ID)
	if d == nil || d.UID != c.UID {
		return StateDeciding
	}
	switch d.Outcome {
	case fact.OutcomeWaiting:
		return StateWaiting
	case fact.OutcomeBlocked:
		return StateBlocked
	}
	switch c.Phase {
	case "Bound":
		return StateBound
	case "Lost":
		return StateLost
	}
	return StateDeciding
}
