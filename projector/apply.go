package projector

import (
	"errors"
	"fmt"

	"bindery/eventlog"
	"bindery/projector/fact"
)

// ErrNewer is wrapped by Apply when a record that decisions rest on has a
// fact version newer than this program reads: it must not decide past it.
var ErrNewer = errors.New("record is of a newer version")

// factVersion is the newest version of facts that this program reads.
const factVersion = 1

// Apply folds one record and returns the keys it touched, in a fixed order.
// It is total: what a record does not change, or cannot be read as, leaves
// the state as it is. Only ErrNewer stops it, and then nothing is folded any
// more.
func (s *State) Apply(r eventlog.Record) ([]Key, error) {
	if s.blind {
		return nil, fmt.Errorf("seq %d: after %w", r.Seq, ErrNewer)
	}
	if r.Version > factVersion && decisive(r.Kind) {
		s.blind = true
		s.shot = nil
		return nil, fmt.Errorf("seq %d: %s version %d: %w", r.Seq, r.Kind, r.Version, ErrNewer)
	}
	s.shot = nil
	s.asOf = r.Seq
	t := &touch{}
	switch r.Kind {
	case eventlog.KindObserved:
		s.observed(r, t)
	case eventlog.KindDeleted, eventlog.KindMissing:
		s.removed(r, t)
	case eventlog.KindNotFound:
		s.notFound(r, t)
	case eventlog.KindListCompleted, eventlog.KindBookmark, eventlog.KindGap, eventlog.KindEpochStarted:
		s.streamed(r, t)
	case eventlog.KindDecided:
		s.decision(r)
	case eventlog.KindIntended:
		s.intended(r, t)
	case eventlog.KindResulted:
		s.resulted(r, t)
	case eventlog.KindTimerFired:
		s.fired(r, t)
	case eventlog.KindStarted:
		s.started(r, t)
	default:
		if !r.Kind.Known() {
			s.unknown++
		}
	}
	return t.keys, nil
}

// decisive kinds change what the binder reads.
func decisive(k eventlog.Kind) bool {
	switch k {
	case eventlog.KindObserved, eventlog.KindDeleted, eventlog.KindMissing, eventlog.KindNotFound,
		eventlog.KindListCompleted, eventlog.KindEpochStarted, eventlog.KindIntended,
		eventlog.KindResulted, eventlog.KindTimerFired, eventlog.KindStarted,
		eventlog.KindHeld, eventlog.KindUnheld, eventlog.KindAcknowledged:
		return true
	}
	return false
}

// touch collects the keys of one record, each once, in order.
type touch struct{ keys []Key }

func (t *touch) add(keys ...Key) {
next:
	for _, key := range keys {
		for _, have := range t.keys {
			if have == key {
				continue next
			}
		}
		t.keys = append(t.keys, key)
	}
}

// idOf is the ID of a record's subject.
func idOf(s eventlog.Subject) ID { return ID{s.Resource, s.Namespace, s.Name} }

// inRange guards arrays that are indexed by a resource read from a record.
func inRange(r eventlog.Resource) bool { return int(r) < numResources && r != eventlog.ResourceNone }

// seen raises the highest version known of a resource.
func (s *State) seen(r eventlog.Resource, version uint64) {
	if inRange(r) && version > s.versions[r] {
		s.versions[r] = version
	}
}

// started begins a process: nothing is synced until it has listed it.
func (s *State) started(r eventlog.Record, t *touch) {
	start, err := fact.ParseStart(r.Fact)
	if err != nil {
		return
	}
	s.synced = [numResources]bool{}
	s.behind = [numResources]bool{}
	s.ruleSet = start.RuleSet
	if s.mode != start.Mode {
		s.mode = start.Mode
		s.reindex(t)
	}
	t.add(KeyReady)
}

// reindex puts every volume in or out of the free index anew.
func (s *State) reindex(t *touch) {
	s.volumes.Scan(func(_ string, v *Volume) bool {
		s.place(v, t)
		return true
	})
}

// place puts the volume into the free index or takes it out.
func (s *State) place(v *Volume, t *touch) {
	if s.isFree(v) {
		s.free.Set(slotOf(v))
		t.add(KeyFree(v.Class, Filesystem(v.VolumeMode), v.Attributes))
		return
	}
	s.free.Delete(slotOf(v))
}

// streamed folds what the intake says of a resource as a whole.
func (s *State) streamed(r eventlog.Record, t *touch) {
	resource := r.Subject.Resource
	if !inRange(resource) {
		return
	}
	switch r.Kind {
	case eventlog.KindListCompleted:
		list, err := fact.ParseList(r.Fact)
		if err != nil || list.Error != "" {
			return // a failed list is unknown, never empty
		}
		s.seen(resource, list.Version)
		if !s.synced[resource] {
			s.synced[resource] = true
			t.add(KeyReady)
		}
		if s.behind[resource] {
			s.behind[resource] = false
			t.add(KeyBehind)
		}
	case eventlog.KindBookmark:
		if mark, err := fact.ParseWatch(r.Fact); err == nil {
			s.seen(resource, mark.Version)
		}
	case eventlog.KindGap:
		s.behind[resource] = true
		if gap, err := fact.ParseGap(r.Fact); err == nil {
			s.gaps = append(s.gaps[:len(s.gaps):len(s.gaps)], Gap{resource, r.Seq, gap})
			if len(s.gaps) > maxGaps {
				s.gaps = s.gaps[len(s.gaps)-maxGaps:]
			}
		}
	case eventlog.KindEpochStarted:
		// State comes anew from complete lists: versions of the old history
		// order nothing any more, and what was gone may be back.
		s.epoch++
		s.synced = [numResources]bool{}
		s.versions = [numResources]uint64{}
		s.gone.Clear()
		t.add(KeyReady)
	}
}
