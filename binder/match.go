package binder

import (
	"cmp"
	"slices"

	"bindery/projector"
	"bindery/projector/fact"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// matched is what a search came to.
type matched struct {
	winner, runnerUp *projector.Volume
	invalid          bool // the selector cannot be read: nothing is searched
}

// runnerUpReach bounds how far past the winner a runner-up is looked for.
const runnerUpReach = 32

// match finds the volume for an unbound claim (4): one that is reserved for
// it, else the smallest free one that fits.
func match(v *projector.View, c *projector.Claim, delay bool) matched {
	selector, err := selectorOf(c)
	if err != nil {
		return matched{invalid: true}
	}
	if best := reservedFor(v, c); best != nil {
		return matched{winner: best}
	}
	if delay || c.Deleting {
		return matched{} // F9; improvement 5
	}
	var found matched
	reach := 0
	for volume := range v.Search(needOf(c)) {
		if found.winner != nil {
			if reach++; reach > runnerUpReach {
				break
			}
		}
		if !selector.Matches(labels.Set(volume.Labels)) || keptFor(v, volume, c) != nil {
			continue
		}
		if found.winner == nil {
			found.winner = volume
			continue
		}
		found.runnerUp = volume
		break
	}
	return found
}

// reservedFor is improvement 1: of the volumes that offer the modes and pass
// F3 to F6, one whose claimRef is this claim is taken first, whatever its
// phase, class or size; by UID before by name only.
func reservedFor(v *projector.View, c *projector.Claim) *projector.Volume {
	var best *projector.Volume
	for _, volume := range v.Reserved(c.ID.Namespace, c.ID.Name) {
		if !isThisClaim(volume.ClaimRef, c) || len(hardChecks(c, volume)) > 0 || !searched(volume, c) {
			continue
		}
		if c.Deleting && volume.ClaimRef.UID != c.UID {
			continue // improvement 5: only a pair that carries the UID is completed
		}
		if best == nil || compareReserved(volume, best, c) < 0 {
			best = volume
		}
	}
	return best
}

// compareReserved orders reserved volumes: by UID first, then as any other.
func compareReserved(a, b *projector.Volume, c *projector.Claim) int {
	byUID := func(v *projector.Volume) int {
		if v.ClaimRef.UID == c.UID {
			return 0
		}
		return 1
	}
	return cmp.Or(cmp.Compare(byUID(a), byUID(b)), compareVolumes(a, b))
}

// compareVolumes is the total order of improvement 2: fewest modes, then
// smallest capacity, then name.
func compareVolumes(a, b *projector.Volume) int {
	return cmp.Or(
		cmp.Compare(countModes(a), countModes(b)),
		compareSizes(a.Storage, b.Storage),
		cmp.Compare(a.Name, b.Name),
	)
}

// knownModes are the access modes that volumes are grouped by (4.1).
var knownModes = []string{"ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"}

func countModes(v *projector.Volume) int {
	n := 0
	for _, mode := range knownModes {
		if slices.Contains(v.AccessModes, mode) {
			n++
		}
	}
	return n
}

// isThisClaim is 4.5: namespace and name equal, UID empty or equal.
func isThisClaim(ref *fact.ClaimRef, c *projector.Claim) bool {
	return ref != nil && ref.Namespace == c.ID.Namespace && ref.Name == c.ID.Name &&
		(ref.UID == "" || ref.UID == c.UID)
}

// keptFor is improvement 10: the completed claim that names an unclaimed
// volume, if it is another than c.
func keptFor(v *projector.View, volume *projector.Volume, c *projector.Claim) *projector.Claim {
	for _, other := range v.Naming(volume.Name) {
		if c != nil && other.UID == c.UID {
			continue
		}
		if _, completed := other.Annotations[fact.AnnBindCompleted]; completed {
			return other
		}
	}
	return nil
}

// needOf is what the claim asks of a free volume.
func needOf(c *projector.Claim) projector.Need {
	return projector.Need{
		Class: c.Class, Mode: projector.Filesystem(c.VolumeMode), Attributes: c.Attributes,
		AccessModes: c.AccessModes, Request: c.Request,
	}
}

// offers reports whether the volume offers every mode that the claim asks for.
func offers(v *projector.Volume, c *projector.Claim) bool {
	for _, mode := range c.AccessModes {
		if !slices.Contains(v.AccessModes, mode) {
			return false
		}
	}
	return true
}

// searched reports whether the volume lies in a group that a search for the
// claim looks at: no group offers a mode that is not known (4.1).
func searched(v *projector.Volume, c *projector.Claim) bool {
	for _, mode := range c.AccessModes {
		if !slices.Contains(knownModes, mode) {
			return false
		}
	}
	return offers(v, c)
}

// selectorOf is the claim's selector: none and the empty one match all.
func selectorOf(c *projector.Claim) (labels.Selector, error) {
	if c.Selector == nil {
		return labels.Everything(), nil
	}
	s := &metav1.LabelSelector{MatchLabels: c.Selector.Labels}
	for _, e := range c.Selector.Expressions {
		s.MatchExpressions = append(s.MatchExpressions, metav1.LabelSelectorRequirement{
			Key: e.Key, Operator: metav1.LabelSelectorOperator(e.Operator), Values: e.Values,
		})
	}
	return metav1.LabelSelectorAsSelector(s)
}
