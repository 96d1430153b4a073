package kube

import (
	"cmp"
	"slices"

	"bindery/eventlog"
	"bindery/projector"
	"bindery/projector/fact"

	"k8s.io/apimachinery/pkg/runtime"
)

// compare holds a list against what the log knows, in key order: same key and
// other UID means that the old object is gone; a UID that the list lacks is
// Missing; a version that the log has is not recorded again.
func (s *stream) compare(known []projector.Known, items []runtime.Object, version uint64) ([]eventlog.Draft, error) {
	listed := make([]eventlog.Draft, 0, len(items))
	for _, item := range items {
		d, err := fact.ObservedDraft(item, fact.SourceList, fact.VerbListed)
		if err != nil {
			return nil, err
		}
		listed = append(listed, d)
	}
	slices.SortFunc(listed, func(a, b eventlog.Draft) int { return compareKeys(a.Subject, b.Subject) })
	there := make(map[eventlog.UID]bool, len(listed))
	for _, d := range listed {
		there[d.Subject.UID] = true
	}
	had := make(map[eventlog.UID]projector.Known, len(known))
	var drafts []eventlog.Draft
	next := 0
	for _, k := range known {
		had[k.Subject.UID] = k
	}
	missing := func(k projector.Known) {
		if !there[k.Subject.UID] {
			drafts = append(drafts, fact.MissingDraft(k.Subject, version))
			delete(s.last, k.Subject.UID)
		}
	}
	for _, d := range listed {
		for next < len(known) && compareKeys(known[next].Subject, d.Subject) <= 0 {
			missing(known[next])
			next++
		}
		if s.news(d, had[d.Subject.UID]) {
			drafts = append(drafts, d)
		}
	}
	for ; next < len(known); next++ {
		missing(known[next])
	}
	return drafts, nil
}

// compareKeys orders subjects by namespace and name.
func compareKeys(a, b eventlog.Subject) int {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
}

// news reports whether a listed object tells something that the log lacks.
func (s *stream) news(d eventlog.Draft, known projector.Known) bool {
	seen, err := fact.ParseObservation(d.Fact)
	if err != nil {
		return true
	}
	if s.cut {
		body := s.remember(d, seen)
		return known.Version == 0 || body != string(known.Body)
	}
	return known.Version == 0 || seen.ResourceVersion > known.Version
}

// changed reports whether a watched pod or node differs from what was last
// recorded of it; of other resources every version counts.
func (s *stream) changed(d eventlog.Draft) bool {
	if !s.cut {
		return true
	}
	seen, err := fact.ParseObservation(d.Fact)
	if err != nil {
		return true
	}
	before, known := s.last[d.Subject.UID]
	now := s.remember(d, seen)
	return !known || now != before
}

// remember keeps the cut fact of a pod or node, its version left out.
func (s *stream) remember(d eventlog.Draft, seen fact.Observation) string {
	var body []byte
	switch d.Subject.Resource {
	case eventlog.ResourcePod:
		if p, err := fact.ParsePod(seen.Body); err == nil {
			p.ResourceVersion = 0
			body = p.Append(nil)
		}
	case eventlog.ResourceNode:
		if n, err := fact.ParseNode(seen.Body); err == nil {
			n.ResourceVersion = 0
			body = n.Append(nil)
		}
	}
	s.last[d.Subject.UID] = string(body)
	return string(body)
}
