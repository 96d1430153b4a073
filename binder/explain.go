package binder

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"bindery/eventlog"
	"bindery/projector"
	"bindery/projector/fact"
)

// maxRows bounds the contest that an explanation lists; the rest is counted.
const maxRows = 10

// Verdict is how a volume did in a contest.
type Verdict string

// The verdicts.
const (
	Won     Verdict = "chosen"
	Fits    Verdict = "fits"
	Rejects Verdict = "does not fit"
)

// Row is one volume of a contest.
type Row struct {
	Volume  string
	Verdict Verdict
	Failed  []Failure // the checks it does not pass, in order; the first decides
	Size    string
	Modes   string
	Class   string
	Phase   string
}

// Count is how many volumes fail a check first.
type Count struct {
	Rule    string
	Volumes int
}

// Explanation is why a subject is as it is, at one position of the log.
type Explanation struct {
	Subject  projector.ID
	UID      string
	AsOf     eventlog.Seq
	State    string // Bound, Waiting, Blocked, Deciding, Lost; for volumes their phase
	Outcome  fact.Outcome
	Rule     string
	RuleDoc  string
	Sentence string
	Winner   string
	RunnerUp string
	Beat     string   // why the winner beat the runner-up
	WaitsFor []string // in words
	Nearest  string   // the volume that fails least, and what would make it fit
	Rows     []Row
	Others   int // volumes that Rows leaves out
	Counts   []Count
	Decision *projector.Recorded // the last recorded decision, nil when there is none
}

// Explain tells why the subject is as it is. It is pure, and it names the
// rule and winner of Decide on the same view.
func Explain(v *projector.View, id projector.ID) Explanation {
	e := Explanation{Subject: id, AsOf: v.AsOf(), Decision: v.Decision(id)}
	d := Decide(v.Fresh(), id)
	if d.Rule == RuleBusy {
		// A plan is under way: what is being carried out is what counts.
		if r := v.Busy(id); r != nil && e.Decision != nil && r.Owner == id {
			d = e.Decision.Decision
		}
	}
	e.Outcome, e.Rule, e.RuleDoc = d.Outcome, d.Rule, RuleDoc(d.Rule)
	e.Winner, e.RunnerUp = d.Winner.Name, d.RunnerUp.Name
	switch id.Resource {
	case eventlog.ResourceClaim:
		if c := v.Claim(id.Namespace, id.Name); c != nil {
			e.UID = c.UID
			e.explainClaim(v, c, d)
			return e
		}
	case eventlog.ResourceVolume:
		if volume := v.Volume(id.Name); volume != nil {
			e.UID = volume.UID
			e.explainVolume(volume, d)
			return e
		}
	}
	e.State = "Absent"
	e.Sentence = fmt.Sprintf("%s does not exist.", id)
	return e
}

// stateOf is the one state that an undecided claim is in.
func stateOf(d fact.Decision, phase string) string {
	switch d.Outcome {
	case fact.OutcomeWaiting, fact.OutcomeBlocked, fact.OutcomeDeciding:
		if phase == "Lost" {
			return phase
		}
		return d.Outcome.String()
	case fact.OutcomeAct:
		return "Deciding"
	}
	return phase
}

func (e *Explanation) explainClaim(v *projector.View, c *projector.Claim, d fact.Decision) {
	e.State = stateOf(d, c.Phase)
	if isSearch(d.Rule) || d.Rule == RulePending {
		e.contest(v, c, d)
	}
	if c.VolumeName != "" && !isBind(d.Rule) {
		if volume := v.Volume(c.VolumeName); volume != nil {
			row := rowOf(volume)
			row.Verdict, row.Failed = Rejects, unsatisfied(c, volume)
			if keeper := keptFor(v, volume, c); volume.ClaimRef == nil && keeper != nil {
				row.Failed = append([]Failure{keptFailure(keeper)}, row.Failed...)
			}
			if volume.ClaimRef != nil && !isThisClaim(volume.ClaimRef, c) {
				row.Failed = append([]Failure{refFailure(c, volume)}, row.Failed...)
			}
			e.Rows = append(e.Rows, row)
		}
	}
	e.Sentence = claimSentence(c, d, e)
	e.WaitsFor = claimWaits(c, d)
}

// isSearch tells the rules that rest on a search of the volumes.
func isSearch(rule string) bool {
	switch rule {
	case RuleBind, RuleBusyVolume, RuleDefaultClass, RuleFirstConsumer, RulePodScheduled,
		RuleClassMissing, RuleNoProvisioner, RuleProvision, RuleNoVolume, RuleTerminating:
		return true
	}
	return false
}

func isBind(rule string) bool {
	switch rule {
	case RuleBind, RuleNamedBind, RuleNamedReserved, RuleRebind, RuleBound:
		return true
	}
	return false
}

// contest judges every volume for the claim.
func (e *Explanation) contest(v *projector.View, c *projector.Claim, d fact.Decision) {
	type entry struct {
		row    Row
		volume *projector.Volume
	}
	delay, _ := delayed(v, c)
	counts := map[string]int{}
	var all []entry
	for volume := range v.Volumes() {
		row := rowOf(volume)
		row.Failed = contestChecks(v, c, volume, delay)
		switch {
		case volume.Name == d.Winner.Name && volume.UID == d.Winner.UID:
			row.Verdict, row.Failed = Won, nil
		case len(row.Failed) == 0:
			row.Verdict = Fits
		default:
			row.Verdict = Rejects
			counts[row.Failed[0].Rule]++
		}
		all = append(all, entry{row, volume})
	}
	rank := func(r Row) int {
		switch r.Verdict {
		case Won:
			return 0
		case Fits:
			return 1
		}
		return 1 + len(r.Failed)
	}
	slices.SortStableFunc(all, func(a, b entry) int {
		return cmp.Or(cmp.Compare(rank(a.row), rank(b.row)), compareVolumes(a.volume, b.volume))
	})
	for _, check := range checks {
		if n := counts[check.ID]; n > 0 {
			e.Counts = append(e.Counts, Count{check.ID, n})
		}
	}
	for i, it := range all {
		if i >= maxRows {
			e.Others++
			continue
		}
		e.Rows = append(e.Rows, it.row)
	}
	for _, it := range all {
		if it.row.Verdict == Rejects && d.Winner.Name == "" {
			e.Nearest = nearest(it.row)
			break
		}
	}
	if d.RunnerUp.Name != "" && len(all) > 1 {
		e.Beat = beat(all[0].volume, v.Volume(d.RunnerUp.Name))
	}
}

// contestChecks are all checks that the volume fails for the claim, in the
// order F2 to F14; none when it would do.
func contestChecks(v *projector.View, c *projector.Claim, volume *projector.Volume, delay bool) []Failure {
	var failed []Failure
	reserved := isThisClaim(volume.ClaimRef, c)
	if volume.ClaimRef != nil && !reserved {
		failed = append(failed, refFailure(c, volume))
	}
	failed = append(failed, hardChecks(c, volume)...)
	if reserved {
		if !searched(volume, c) {
			failed = append(failed, modesFailure(c, volume))
		}
		return failed // F8: a reservation skips the rest
	}
	if delay {
		failed = append(failed, Failure{CheckDelay, "reservation", "reserved for the claim, since its class waits for the first consumer", "not reserved"})
	}
	if keeper := keptFor(v, volume, c); volume.ClaimRef == nil && keeper != nil {
		failed = append(failed, keptFailure(keeper))
	}
	if r := v.Busy(projector.VolumeID(volume.Name)); r != nil && r.Owner.Resource == eventlog.ResourceClaim && r.Owner != c.ID {
		failed = append(failed, Failure{CheckPlanned, "plan", "free", "being bound to " + r.Owner.String()})
	}
	failed = append(failed, softChecks(c, volume, v.Mode() == "bind")...)
	slices.SortStableFunc(failed, func(a, b Failure) int {
		return cmp.Compare(checkRank(a.Rule), checkRank(b.Rule))
	})
	return failed
}

func keptFailure(keeper *projector.Claim) Failure {
	return Failure{CheckKept, "reservation", "named by no completed claim", "named by " + keeper.ID.String()}
}

func modesFailure(c *projector.Claim, volume *projector.Volume) Failure {
	return Failure{CheckModes, "access mode", strings.Join(c.AccessModes, ","), orNone(strings.Join(volume.AccessModes, ","))}
}

// refFailure is a volume that belongs to another claim, or to an earlier one
// of the same name.
func refFailure(c *projector.Claim, volume *projector.Volume) Failure {
	got := claimRefName(volume.ClaimRef)
	if ref := volume.ClaimRef; ref.Namespace == c.ID.Namespace && ref.Name == c.ID.Name {
		got = "an earlier claim of this name, uid " + ref.UID
	}
	return Failure{CheckClaimRef, "claimRef", "none or " + c.ID.String(), got}
}

func checkRank(id string) int {
	for i, check := range checks {
		if check.ID == id {
			return i
		}
	}
	return len(checks)
}

func rowOf(v *projector.Volume) Row {
	return Row{
		Volume: v.Name, Size: amount(v.Capacity, "storage"), Modes: orNone(strings.Join(v.AccessModes, ",")),
		Class: orNone(v.Class), Phase: orNone(v.Phase),
	}
}

func (e *Explanation) explainVolume(volume *projector.Volume, d fact.Decision) {
	e.State = stateOf(d, orNone(volume.Phase))
	subject := "pv/" + volume.Name
	switch {
	case d.Rule == RuleVolumeBound:
		e.Sentence = fmt.Sprintf("%s is bound to %s.", subject, d.Winner.Name)
	case d.Rule == RuleReservedName:
		e.Sentence = fmt.Sprintf("%s is reserved by name for %s.", subject, claimRefName(volume.ClaimRef))
	case d.Detail != "" && d.Rule != RuleBackoff:
		e.Sentence = fmt.Sprintf("%s: %s (%s)", subject, e.RuleDoc, d.Detail)
	default:
		e.Sentence = fmt.Sprintf("%s: %s", subject, e.RuleDoc)
	}
}
