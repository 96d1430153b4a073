package projector

import (
	"cmp"
	"iter"
	"slices"

	"bindery/eventlog"
)

// note remembers that a key was read.
func (v *View) note(keys ...Key) {
	for _, k := range keys {
		if _, have := v.seen[k]; have {
			continue
		}
		if v.seen == nil {
			v.seen = map[Key]struct{}{}
		}
		v.seen[k] = struct{}{}
		v.reads = append(v.reads, k)
	}
}

// Reads are the keys that were read since the view was taken, sorted.
func (v *View) Reads() []Key {
	keys := slices.Clone(v.reads)
	slices.Sort(keys)
	return keys
}

// Fresh is the same moment with no keys noted.
func (v *View) Fresh() *View { return &View{state: v.state} }

// AsOf is the number of the last record in the view.
func (v *View) AsOf() eventlog.Seq { return v.state.asOf }

// Gaps are the newest intervals that may have been missed, oldest first.
func (v *View) Gaps() []Gap { return v.state.gaps }

// Mode is bind or shadow, "" before the first start.
func (v *View) Mode() string { return v.state.mode }

// RuleSet is the hash of the rules that the running process decides by.
func (v *View) RuleSet() string { return v.state.ruleSet }

// Epoch counts how often the API server's history went backwards.
func (v *View) Epoch() uint64 { return v.state.epoch }

// Unknown counts the records whose kind this version does not know.
func (v *View) Unknown() int { return v.state.unknown }

// Ready are the resources that have not completed a list since the last
// start: until it is empty nothing may be decided.
func (v *View) Ready() (missing []eventlog.Resource) {
	v.note(KeyReady)
	for _, r := range resources {
		if !v.state.synced[r] {
			missing = append(missing, r)
		}
	}
	return missing
}

// Behind are those of the resources in which versions were missed and no list
// has completed since: what is not seen in them may still come.
func (v *View) Behind(among ...eventlog.Resource) (missing []eventlog.Resource) {
	v.note(KeyBehind)
	for _, r := range among {
		if v.state.behind[r] {
			missing = append(missing, r)
		}
	}
	return missing
}

// Claim is the claim of that name, nil when there is none.
func (v *View) Claim(namespace, name string) *Claim {
	v.note(KeyOf(ClaimID(namespace, name)))
	c, _ := v.state.claims.Get(key(namespace, name))
	return c
}

// Volume is the volume of that name, nil when there is none.
func (v *View) Volume(name string) *Volume {
	v.note(KeyOf(VolumeID(name)))
	volume, _ := v.state.volumes.Get(name)
	return volume
}

// Class is the StorageClass of that name, nil when there is none.
func (v *View) Class(name string) *Class {
	v.note(KeyClass(name))
	c, _ := v.state.classes.Get(name)
	return c
}

// DefaultClass is the default class by rule 2.5.2: the newest, among equals
// the smaller name; nil when there is none.
func (v *View) DefaultClass() *Class {
	v.note(KeyDefaultClass)
	var best *Class
	for c := range values(v.state.defaults) {
		if best == nil || c.Created > best.Created {
			best = c
		}
	}
	return best
}

// Node reports whether the node exists.
func (v *View) Node(name string) bool {
	v.note(KeyNode(name))
	_, ok := v.state.nodes.Get(name)
	return ok
}

// Pods are the pods that use the claim, by name.
func (v *View) Pods(namespace, claim string) []*Pod {
	v.note(KeyPods(namespace, claim))
	return slices.Collect(below(v.state.users, key(namespace, claim)+"/"))
}

// Reserved are the volumes whose claimRef names the claim, by name, whatever
// their phase and whatever UID the claimRef carries.
func (v *View) Reserved(namespace, claim string) []*Volume {
	v.note(KeyReserved(namespace, claim))
	return slices.Collect(below(v.state.reserved, key(namespace, claim)+"/"))
}

// Naming are the claims whose spec.volumeName is the volume, oldest first,
// then by key.
func (v *View) Naming(volume string) []*Claim {
	v.note(KeyNaming(volume))
	claims := slices.Collect(below(v.state.naming, volume+"/"))
	slices.SortStableFunc(claims, func(a, b *Claim) int { return cmp.Compare(a.Created, b.Created) })
	return claims
}

// Search yields the free volumes that satisfy the need: class, volume mode
// and attributes class equal, access modes a superset, capacity not smaller,
// not terminating, unclaimed. Order: fewest modes, then capacity over all sets
// of that size, then name (improvement 2). A volume busy with its own phase
// write is among them, one that a claim's plan holds is not.
func (v *View) Search(need Need) iter.Seq[*Volume] {
	v.note(KeyFree(need.Class, need.Mode, need.Attributes))
	return v.state.search(need)
}

// Busy is the plan that holds the subject, nil when none does.
func (v *View) Busy(id ID) *Reservation {
	v.note(KeyOf(id))
	r, _ := v.state.busy.Get(id.String())
	return r
}

// Backoff is the subject's count of failures.
func (v *View) Backoff(id ID) Backoff {
	v.note(KeyTimer(id))
	b, _ := v.state.backoffs.Get(id.String())
	return b.value
}

// LiveRead is the newest answer of a live read of the object, nil when it was
// never read, or when it has gone since.
func (v *View) LiveRead(id ID) *LiveAnswer {
	v.note(KeyOf(id))
	a, ok := v.state.answers.Get(id.String())
	if !ok {
		return nil
	}
	return &a
}

// Decision is the last recorded decision on the subject, nil when there is
// none. It notes no key: a decision does not rest on decisions.
func (v *View) Decision(id ID) *Recorded {
	d, _ := v.state.decided.Get(id.String())
	return d
}

// Volumes yields every volume by name; for explanation, not for deciding: it
// notes no key.
func (v *View) Volumes() iter.Seq[*Volume] { return v.state.volumesByName() }

// Claims yields every claim by namespace and name; it notes no key.
func (v *View) Claims() iter.Seq[*Claim] { return v.state.claimsByName() }
