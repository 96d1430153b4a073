package projector

import (
	"fmt"
	"strings"

	"bindery/eventlog"

	"github.com/tidwall/btree"
)

// Dump is the whole state as text, in a fixed order: the same log gives the
// same text. It is for tests and for comparing replicas by eye.
func (s *State) Dump() string {
	var b strings.Builder
	fmt.Fprintf(&b, "asOf %d mode %q ruleSet %q epoch %d synced %v versions %v gaps %d unknown %d blind %v\n",
		s.asOf, s.mode, s.ruleSet, s.epoch, s.synced, s.versions, len(s.gaps), s.unknown, s.blind)
	for v := range values(s.volumes) {
		fmt.Fprintf(&b, "volume %s seq %d %x\n", v.Name, v.Seq, v.Append(nil))
	}
	for c := range values(s.claims) {
		fmt.Fprintf(&b, "claim %s seq %d %x\n", c.ID, c.Seq, c.Append(nil))
	}
	for c := range values(s.classes) {
		fmt.Fprintf(&b, "class %s seq %d %x\n", c.Name, c.Seq, c.Append(nil))
	}
	for p := range values(s.pods) {
		fmt.Fprintf(&b, "pod %s/%s seq %d %x\n", p.Namespace, p.Name, p.Seq, p.Append(nil))
	}
	for n := range values(s.nodes) {
		fmt.Fprintf(&b, "node %s seq %d %x\n", n.Name, n.Seq, n.Append(nil))
	}
	s.gone.Scan(func(uid string, _ struct{}) bool {
		fmt.Fprintf(&b, "gone %x\n", uid)
		return true
	})
	s.free.Scan(func(it slot) bool {
		fmt.Fprintf(&b, "free %q %s %q %d %s %s\n", it.class, it.mode, it.attributes, it.set, it.size.String(), it.name)
		return true
	})
	keys(&b, "reserved", s.reserved)
	keys(&b, "naming", s.naming)
	keys(&b, "users", s.users)
	keys(&b, "default", s.defaults)
	s.busy.Scan(func(id string, r *Reservation) bool {
		fmt.Fprintf(&b, "busy %s plan %d done %d\n", id, r.Seq, r.Done)
		return true
	})
	s.plans.Scan(func(seq eventlog.Seq, r *Reservation) bool {
		fmt.Fprintf(&b, "plan %d owner %s done %d %x\n", seq, r.Owner, r.Done, r.Append(nil))
		return true
	})
	s.backoffs.Scan(func(id string, h held[Backoff]) bool {
		fmt.Fprintf(&b, "backoff %s %d %v %d\n", id, h.value.Attempts, h.value.Waiting, h.value.Seq)
		return true
	})
	s.answers.Scan(func(id string, a LiveAnswer) bool {
		fmt.Fprintf(&b, "answer %s %+v\n", id, a)
		return true
	})
	s.decided.Scan(func(id string, d *Recorded) bool {
		fmt.Fprintf(&b, "decided %s seq %d %x\n", id, d.Seq, d.Append(nil))
		return true
	})
	return b.String()
}

// keys writes the keys of an index.
func keys[V any](b *strings.Builder, what string, m *btree.Map[string, V]) {
	m.Scan(func(key string, _ V) bool {
		fmt.Fprintf(b, "%s %s\n", what, key)
		return true
	})
}
