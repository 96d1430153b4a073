package projector

import "iter"

// State is the fold of a log up to one record.
type State struct{}

func (s *State) volumesByName() iter.Seq[*Volume] { return nil }
func (s *State) claimsByName() iter.Seq[*Claim]   { return nil }
