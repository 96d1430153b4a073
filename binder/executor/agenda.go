package executor

import (
	"cmp"

	"bindery/eventlog"
	"bindery/projector"

	"github.com/tidwall/btree"
)

// agenda is the ordered set of subjects that wait to be decided. The order is
// a total one, so that the same log wakes the same subjects in the same order:
// claims before volumes (improvement 9: a volume's phase is judged only after
// the claims of the pass), pairs that lack a step before new ones, then the
// oldest claim, then the key.
type agenda struct {
	items *btree.BTreeG[item]
	byID  map[projector.ID]item
}

// item is a subject with the rank that it was put down with.
type item struct {
	rank    int
	created int64
	id      projector.ID
	cause   eventlog.Seq // the record that first woke it, 0 when all were woken
}

const (
	rankPair   = iota // a claim that has a volume named or reserved with its UID
	rankClaim         // any other claim
	rankVolume        // volumes
)

func (a item) compare(b item) int {
	return cmp.Or(
		cmp.Compare(a.rank, b.rank),
		cmp.Compare(a.created, b.created),
		cmp.Compare(a.id.Namespace, b.id.Namespace),
		cmp.Compare(a.id.Name, b.id.Name),
	)
}

func newAgenda() *agenda {
	less := func(a, b item) bool { return a.compare(b) < 0 }
	return &agenda{
		items: btree.NewBTreeGOptions(less, btree.Options{NoLocks: true}),
		byID:  map[projector.ID]item{},
	}
}

// add puts the subject down once, ranked by what the view shows now; cause is
// the record that woke it.
func (a *agenda) add(v *projector.View, id projector.ID, cause eventlog.Seq) {
	if _, there := a.byID[id]; there {
		return
	}
	it := item{rank: rankVolume, id: id, cause: cause}
	if id.Resource == eventlog.ResourceClaim {
		it.rank = rankClaim
		if c := v.Claim(id.Namespace, id.Name); c != nil {
			it.created = c.Created
			if lacksStep(v, c) {
				it.rank = rankPair
			}
		}
	}
	a.byID[id] = it
	a.items.Set(it)
}

// lacksStep reports whether the claim already belongs to a pair, so that its
// remaining steps come before any new choice.
func lacksStep(v *projector.View, c *projector.Claim) bool {
	if c.VolumeName != "" {
		return true
	}
	for _, volume := range v.Reserved(c.ID.Namespace, c.ID.Name) {
		if volume.ClaimRef != nil && volume.ClaimRef.UID == c.UID {
			return true
		}
	}
	return false
}

// next takes the first subject off the agenda.
func (a *agenda) next() (item, bool) {
	it, ok := a.items.PopMin()
	if ok {
		delete(a.byID, it.id)
	}
	return it, ok
}
