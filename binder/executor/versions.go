package executor

import (
	"slices"

	"bindery/eventlog"
	"bindery/projector/fact"
)

// versions are the newest recorded versions of each living object, so that the
// watch's echo of an answer, or a list's repetition of a watch event, is not
// recorded twice.
type versions map[eventlog.UID][]uint64

// maxVersions bounds what is kept per object: the writes of one plan and the
// changes of others in between. An echo later than that is recorded once more,
// which the fold ignores.
const maxVersions = 8

// fresh leaves out observations whose UID and version are in the log, and
// notes the rest. A live read that a decision asked for is an answer in its
// own right and always kept.
func (vs versions) fresh(drafts []eventlog.Draft) []eventlog.Draft {
	kept := make([]eventlog.Draft, 0, len(drafts))
	for _, d := range drafts {
		if !vs.note(d.Kind, d.Subject.UID, d.Fact) {
			kept = append(kept, d)
		}
	}
	return kept
}

// note remembers an observation's version and reports whether it was known.
func (vs versions) note(kind eventlog.Kind, uid eventlog.UID, body []byte) (known bool) {
	switch kind {
	case eventlog.KindObserved:
	case eventlog.KindDeleted, eventlog.KindMissing:
		delete(vs, uid)
		return false
	case eventlog.KindEpochStarted:
		clear(vs)
		return false
	default:
		return false
	}
	seen, err := fact.ParseObservation(body)
	if err != nil || seen.ResourceVersion == 0 {
		return false
	}
	have := vs[uid]
	if slices.Contains(have, seen.ResourceVersion) {
		return seen.Ask == 0
	}
	if len(have) == maxVersions {
		have = append(have[:0:0], have[1:]...)
	}
	vs[uid] = append(have, seen.ResourceVersion)
	return false
}
