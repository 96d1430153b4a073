package projector

import (
	"bindery/eventlog"
	"bindery/projector/fact"
)

// Node is a node as the log last showed it.
type Node struct {
	fact.Node
	Name  string
	Seq   eventlog.Seq
	epoch uint64
}

func key(namespace, name string) string { return namespace + "/" + name }

// observed folds an object as a source showed it: per UID a higher version
// replaces, a lower or equal one is kept in the log and not folded, and a UID
// that is gone stays gone.
func (s *State) observed(r eventlog.Record, t *touch) {
	seen, err := fact.ParseObservation(r.Fact)
	if err != nil || !inRange(r.Subject.Resource) {
		return
	}
	s.seen(r.Subject.Resource, seen.ResourceVersion)
	if _, gone := s.gone.Get(string(r.Subject.UID[:])); !gone {
		switch r.Subject.Resource {
		case eventlog.ResourceVolume:
			if f, err := fact.ParseVolume(seen.Body); err == nil {
				s.setVolume(r, f, t)
			}
		case eventlog.ResourceClaim:
			if f, err := fact.ParseClaim(seen.Body); err == nil {
				s.setClaim(r, f, t)
			}
		case eventlog.ResourceClass:
			if f, err := fact.ParseClass(seen.Body); err == nil {
				s.setClass(r, f, t)
			}
		case eventlog.ResourcePod:
			if f, err := fact.ParsePod(seen.Body); err == nil {
				s.setPod(r, f, t)
			}
		case eventlog.ResourceNode:
			if f, err := fact.ParseNode(seen.Body); err == nil {
				s.setNode(r, f, t)
			}
		}
	}
	if seen.Source == fact.SourceLiveRead && seen.Ask != 0 {
		id := idOf(r.Subject)
		s.answers.Set(id.String(), LiveAnswer{
			Ask: eventlog.Seq(seen.Ask), Seq: r.Seq, Exists: true, UID: uidIn(r.Subject.Resource, seen.Body),
		})
		t.add(KeyOf(id))
	}
}

// uidIn is the UID in an observed body: what a live read saw counts, also
// where it is not folded because the UID was gone already.
func uidIn(r eventlog.Resource, body []byte) string {
	switch r {
	case eventlog.ResourceVolume:
		if f, err := fact.ParseVolume(body); err == nil {
			return f.UID
		}
	case eventlog.ResourceClaim:
		if f, err := fact.ParseClaim(body); err == nil {
			return f.UID
		}
	}
	return ""
}

// supersedes tells whether an object of this UID and version replaces the one
// that is known under its name.
func (s *State) supersedes(r eventlog.Record, version uint64, known bool, uid string, knownVersion, epoch uint64, t *touch) bool {
	if !known || epoch < s.epoch {
		return true
	}
	if version <= knownVersion {
		return false
	}
	if fact.ParseUID(uid) != r.Subject.UID {
		s.remove(r.Subject, fact.ParseUID(uid), t) // same name, another UID: the old one is gone
	}
	return true
}

func (s *State) setVolume(r eventlog.Record, f fact.Volume, t *touch) {
	old, known := s.volumes.Get(r.Subject.Name)
	if known && !s.supersedes(r, f.ResourceVersion, known, old.UID, old.ResourceVersion, old.epoch, t) {
		return
	}
	s.dropVolume(r.Subject.Name, t)
	size, sized := f.Capacity["storage"]
	v := &Volume{Volume: f, Name: r.Subject.Name, Seq: r.Seq, Sized: sized, epoch: s.epoch}
	v.Storage = fact.Quantity(size)
	s.volumes.Set(v.Name, v)
	if ref := v.ClaimRef; ref != nil {
		s.reserved.Set(key(ref.Namespace, ref.Name)+"/"+v.Name, v)
		t.add(KeyReserved(ref.Namespace, ref.Name))
	}
	t.add(KeyOf(VolumeID(v.Name)))
	s.place(v, t)
}

// dropVolume takes the volume and its places out, if it is there.
func (s *State) dropVolume(name string, t *touch) {
	v, ok := s.volumes.Delete(name)
	if !ok {
		return
	}
	s.free.Delete(slotOf(v))
	if ref := v.ClaimRef; ref != nil {
		s.reserved.Delete(key(ref.Namespace, ref.Name) + "/" + name)
		t.add(KeyReserved(ref.Namespace, ref.Name))
	}
	t.add(KeyOf(VolumeID(name)))
}

func (s *State) setClaim(r eventlog.Record, f fact.Claim, t *touch) {
	at := key(r.Subject.Namespace, r.Subject.Name)
	old, known := s.claims.Get(at)
	if known && !s.supersedes(r, f.ResourceVersion, known, old.UID, old.ResourceVersion, old.epoch, t) {
		return
	}
	s.dropClaim(at, t)
	c := &Claim{Claim: f, ID: idOf(r.Subject), Seq: r.Seq, epoch: s.epoch}
	c.Request = fact.Quantity(f.Requests["storage"])
	s.claims.Set(at, c)
	if c.VolumeName != "" {
		s.naming.Set(c.VolumeName+"/"+at, c)
		t.add(KeyNaming(c.VolumeName))
	}
	t.add(KeyOf(c.ID))
}

func (s *State) dropClaim(at string, t *touch) {
	c, ok := s.claims.Delete(at)
	if !ok {
		return
	}
	if c.VolumeName != "" {
		s.naming.Delete(c.VolumeName + "/" + at)
		t.add(KeyNaming(c.VolumeName))
	}
	t.add(KeyOf(c.ID))
}

func (s *State) setClass(r eventlog.Record, f fact.Class, t *touch) {
	old, known := s.classes.Get(r.Subject.Name)
	if known && !s.supersedes(r, f.ResourceVersion, known, old.UID, old.ResourceVersion, old.epoch, t) {
		return
	}
	s.dropClass(r.Subject.Name, t)
	c := &Class{Class: f, Name: r.Subject.Name, Seq: r.Seq, epoch: s.epoch}
	s.classes.Set(c.Name, c)
	if c.Default {
		s.defaults.Set(c.Name, c)
		t.add(KeyDefaultClass)
	}
	t.add(KeyClass(c.Name))
}

func (s *State) dropClass(name string, t *touch) {
	if _, ok := s.classes.Delete(name); !ok {
		return
	}
	if _, was := s.defaults.Delete(name); was {
		t.add(KeyDefaultClass)
	}
	t.add(KeyClass(name))
}

func (s *State) setPod(r eventlog.Record, f fact.Pod, t *touch) {
	at := key(r.Subject.Namespace, r.Subject.Name)
	old, known := s.pods.Get(at)
	if known && !s.supersedes(r, f.ResourceVersion, known, old.UID, old.ResourceVersion, old.epoch, t) {
		return
	}
	s.dropPod(at, t)
	p := &Pod{Pod: f, Namespace: r.Subject.Namespace, Name: r.Subject.Name, Seq: r.Seq, epoch: s.epoch}
	s.pods.Set(at, p)
	for _, claim := range p.Claims {
		s.users.Set(key(p.Namespace, claim)+"/"+p.Name, p)
		t.add(KeyPods(p.Namespace, claim))
	}
}

func (s *State) dropPod(at string, t *touch) {
	p, ok := s.pods.Delete(at)
	if !ok {
		return
	}
	for _, claim := range p.Claims {
		s.users.Delete(key(p.Namespace, claim) + "/" + p.Name)
		t.add(KeyPods(p.Namespace, claim))
	}
}

func (s *State) setNode(r eventlog.Record, f fact.Node, t *touch) {
	old, known := s.nodes.Get(r.Subject.Name)
	if known && !s.supersedes(r, f.ResourceVersion, known, old.UID, old.ResourceVersion, old.epoch, t) {
		return
	}
	s.nodes.Set(r.Subject.Name, &Node{Node: f, Name: r.Subject.Name, Seq: r.Seq, epoch: s.epoch})
	t.add(KeyNode(r.Subject.Name))
}

// removed folds a watch deletion or a list that lacked a UID.
func (s *State) removed(r eventlog.Record, t *touch) {
	if seen, err := fact.ParseObservation(r.Fact); err == nil {
		s.seen(r.Subject.Resource, seen.ResourceVersion)
	}
	s.remove(r.Subject, r.Subject.UID, t)
}

// notFound folds a live read that found nothing, or another UID: the UID that
// was asked for is gone.
func (s *State) notFound(r eventlog.Record, t *touch) {
	seen, err := fact.ParseObservation(r.Fact)
	if err != nil {
		return
	}
	id := idOf(r.Subject)
	if r.Subject.UID != (eventlog.UID{}) {
		s.remove(r.Subject, r.Subject.UID, t)
	}
	s.answers.Set(id.String(), LiveAnswer{
		Ask: eventlog.Seq(seen.Ask), Seq: r.Seq, Exists: seen.FoundUID != "", UID: seen.FoundUID,
	})
	t.add(KeyOf(id))
}

// remove marks a UID as gone and drops the object if it is the one that is
// known under the name.
func (s *State) remove(subject eventlog.Subject, uid eventlog.UID, t *touch) {
	if uid == (eventlog.UID{}) {
		return
	}
	s.gone.Set(string(uid[:]), struct{}{})
	id := idOf(subject)
	if known, there := s.uidOf(id); !there || fact.ParseUID(known) != uid {
		return
	}
	at := key(id.Namespace, id.Name)
	switch id.Resource {
	case eventlog.ResourceVolume:
		s.dropVolume(id.Name, t)
	case eventlog.ResourceClaim:
		s.dropClaim(at, t)
	case eventlog.ResourceClass:
		s.dropClass(id.Name, t)
	case eventlog.ResourcePod:
		s.dropPod(at, t)
	case eventlog.ResourceNode:
		s.nodes.Delete(id.Name)
		t.add(KeyNode(id.Name))
	}
	// What was decided of it and what it waited for went with it. A plan in
	// flight stays: its result is still to come.
	s.decided.Delete(id.String())
	if _, waited := s.backoffs.Delete(id.String()); waited {
		t.add(KeyTimer(id))
	}
	if _, read := s.answers.Delete(id.String()); read {
		t.add(KeyOf(id))
	}
}

// uidOf is the UID that is known under a name.
func (s *State) uidOf(id ID) (string, bool) {
	at := key(id.Namespace, id.Name)
	switch id.Resource {
	case eventlog.ResourceVolume:
		if v, ok := s.volumes.Get(id.Name); ok {
			return v.UID, true
		}
	case eventlog.ResourceClaim:
		if c, ok := s.claims.Get(at); ok {
			return c.UID, true
		}
	case eventlog.ResourceClass:
		if c, ok := s.classes.Get(id.Name); ok {
			return c.UID, true
		}
	case eventlog.ResourcePod:
		if p, ok := s.pods.Get(at); ok {
			return p.UID, true
		}
	case eventlog.ResourceNode:
		if n, ok := s.nodes.Get(id.Name); ok {
			return n.UID, true
		}
	}
	return "", false
}
