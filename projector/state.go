package projector

import (
	"iter"

	"bindery/eventlog"
	"bindery/projector/fact"

	"github.com/tidwall/btree"
)

// resources are the watched ones, in the order in which they are told.
var resources = []eventlog.Resource{
	eventlog.ResourceVolume, eventlog.ResourceClaim, eventlog.ResourceClass,
	eventlog.ResourcePod, eventlog.ResourceNode,
}

// Gap is an interval of versions of a resource that may have been missed.
type Gap struct {
	Resource eventlog.Resource
	Seq      eventlog.Seq
	fact.Gap
}

// maxGaps bounds the gaps that a state keeps; older ones stay in the log.
const maxGaps = 256

// State is the fold of a log up to one record. It is for one goroutine; its
// Views may be read by others while it goes on, because every tree is
// copy-on-write.
type State struct {
	asOf     eventlog.Seq
	blind    bool // a record that decisions rest on could not be read
	mode     string
	ruleSet  string
	epoch    uint64
	synced   [numResources]bool
	behind   [numResources]bool   // a gap was told and no list has completed since
	versions [numResources]uint64 // highest seen per resource
	gaps     []Gap
	unknown  int // records of kinds this version does not know

	claims  *btree.Map[string, *Claim] // by namespace/name
	volumes *btree.Map[string, *Volume]
	classes *btree.Map[string, *Class]
	pods    *btree.Map[string, *Pod] // by namespace/name
	nodes   *btree.Map[string, *Node]
	gone    *btree.Map[string, struct{}] // UIDs, as their 16 bytes

	free     *btree.BTreeG[slot]              // the ordered volume index
	reserved *btree.Map[string, *Volume]      // namespace/claim/volume, by claimRef
	naming   *btree.Map[string, *Claim]       // volume/namespace/claim, by volumeName
	users    *btree.Map[string, *Pod]         // namespace/claim/pod
	defaults *btree.Map[string, *Class]       // default classes
	busy     *btree.Map[string, *Reservation] // by ID
	plans    *btree.Map[eventlog.Seq, *Reservation]
	backoffs *btree.Map[string, held[Backoff]]
	answers  *btree.Map[string, LiveAnswer]
	decided  *btree.Map[string, *Recorded]

	shot *State // the last snapshot, good until the next Apply
}

// numResources sizes arrays that are indexed by resource.
const numResources = int(eventlog.ResourceNode) + 1

// held is a value with the ID that it belongs to.
type held[T any] struct {
	id    ID
	value T
}

// New is the state of an empty log.
func New() *State {
	return &State{
		claims:   &btree.Map[string, *Claim]{},
		volumes:  &btree.Map[string, *Volume]{},
		classes:  &btree.Map[string, *Class]{},
		pods:     &btree.Map[string, *Pod]{},
		nodes:    &btree.Map[string, *Node]{},
		gone:     &btree.Map[string, struct{}]{},
		free:     newIndex(),
		reserved: &btree.Map[string, *Volume]{},
		naming:   &btree.Map[string, *Claim]{},
		users:    &btree.Map[string, *Pod]{},
		defaults: &btree.Map[string, *Class]{},
		busy:     &btree.Map[string, *Reservation]{},
		plans:    &btree.Map[eventlog.Seq, *Reservation]{},
		backoffs: &btree.Map[string, held[Backoff]]{},
		answers:  &btree.Map[string, LiveAnswer]{},
		decided:  &btree.Map[string, *Recorded]{},
	}
}

// snapshot is a copy that stays as it is while the state goes on. It is made
// once per applied record and costs the same whatever the state holds.
func (s *State) snapshot() *State {
	if s.shot != nil {
		return s.shot
	}
	shot := *s
	shot.claims = s.claims.Copy()
	shot.volumes = s.volumes.Copy()
	shot.classes = s.classes.Copy()
	shot.pods = s.pods.Copy()
	shot.nodes = s.nodes.Copy()
	shot.gone = s.gone.Copy()
	shot.free = s.free.Copy()
	shot.reserved = s.reserved.Copy()
	shot.naming = s.naming.Copy()
	shot.users = s.users.Copy()
	shot.defaults = s.defaults.Copy()
	shot.busy = s.busy.Copy()
	shot.plans = s.plans.Copy()
	shot.backoffs = s.backoffs.Copy()
	shot.answers = s.answers.Copy()
	shot.decided = s.decided.Copy()
	shot.gaps = s.gaps[:len(s.gaps):len(s.gaps)]
	s.shot = &shot
	return s.shot
}

// View is the state at this moment, O(1) to take.
func (s *State) View() *View { return &View{state: s.snapshot()} }

// Live is a view of the state itself, for its own goroutine and only until the
// next Apply: it copies nothing.
func (s *State) Live() *View { return &View{state: s} }

// AsOf is the number of the last record folded.
func (s *State) AsOf() eventlog.Seq { return s.asOf }

// Blind reports whether the log held a record that decisions rest on and that
// this version cannot read. Nothing may be decided then.
func (s *State) Blind() bool { return s.blind }

// Open are the plans without a final result, oldest first.
func (s *State) Open() []*Reservation { return s.plans.Values() }

// Backoffs are the subjects that wait for their back-off timer.
func (s *State) Backoffs() []ID {
	var ids []ID
	s.backoffs.Scan(func(_ string, b held[Backoff]) bool {
		if b.value.Waiting {
			ids = append(ids, b.id)
		}
		return true
	})
	return ids
}

func values[K interface{ ~string }, V any](m *btree.Map[K, V]) iter.Seq[V] {
	return func(yield func(V) bool) {
		m.Scan(func(_ K, v V) bool { return yield(v) })
	}
}

func (s *State) volumesByName() iter.Seq[*Volume] { return values(s.volumes) }
func (s *State) claimsByName() iter.Seq[*Claim]   { return values(s.claims) }

// below yields the entries whose key begins with prefix, in key order.
func below[V any](m *btree.Map[string, V], prefix string) iter.Seq[V] {
	return func(yield func(V) bool) {
		m.Ascend(prefix, func(key string, v V) bool {
			if len(key) < len(prefix) || key[:len(prefix)] != prefix {
				return false
			}
			return yield(v)
		})
	}
}
