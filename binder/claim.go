package binder

import (
	"bindery/eventlog"
	"bindery/projector"
	"bindery/projector/fact"
)

// waitForFirstConsumer is the delayed binding mode.
const waitForFirstConsumer = "WaitForFirstConsumer"

// decideClaim is claim sync (upstream-behaviour.md 2).
func decideClaim(v *projector.View, c *projector.Claim) fact.Decision {
	if _, change := migratedTo(c.Annotations, claimProvisioner(c.Annotations)); change {
		return decision(fact.OutcomeAct, RuleMigrated, "")
	}
	if _, completed := c.Annotations[fact.AnnBindCompleted]; completed {
		return decideBound(v, c)
	}
	if c.VolumeName != "" {
		return decideNamed(v, c)
	}
	return decideUnbound(v, c)
}

// decideUnbound is an unbound claim that names no volume (2.2).
func decideUnbound(v *projector.View, c *projector.Claim) fact.Decision {
	delay, ok := delayed(v, c)
	if !ok {
		return decision(fact.OutcomeBlocked, RuleNoBindingMode, c.Class)
	}
	found := match(v, c, delay)
	switch {
	case found.invalid:
		return decision(fact.OutcomeBlocked, RuleBadSelector, "")
	case found.winner != nil:
		d := bindDecision(v, c, found.winner, RuleBind)
		if found.runnerUp != nil {
			d.RunnerUp = fact.Ref{Name: found.runnerUp.Name, UID: found.runnerUp.UID}
		}
		return d
	case c.Deleting:
		return orPending(c, decision(fact.OutcomeWaiting, RuleTerminating, ""))
	}
	if !c.HasClass {
		if class := v.DefaultClass(); class != nil {
			return decision(fact.OutcomeWaiting, RuleDefaultClass, class.Name)
		}
	}
	if delay && c.Annotations[fact.AnnSelectedNode] == "" {
		return orPending(c, waitForConsumer(v, c))
	}
	if c.Class != "" {
		return provision(v, c) // no status write here, as upstream
	}
	return orPending(c, decision(fact.OutcomeBlocked, RuleNoVolume, ""))
}

// delayed is the delay decision (2.3). A class without a binding mode is not
// ok: the claim cannot be processed at all.
func delayed(v *projector.View, c *projector.Claim) (delay, ok bool) {
	if c.Class == "" {
		return false, true
	}
	class := v.Class(c.Class)
	if class == nil {
		return false, true
	}
	if class.BindingMode == "" {
		return false, false
	}
	return class.BindingMode == waitForFirstConsumer, true
}

// waitForConsumer tells whom a delayed claim waits for (U5).
func waitForConsumer(v *projector.View, c *projector.Claim) fact.Decision {
	for _, pod := range v.Pods(c.ID.Namespace, c.ID.Name) {
		if !pod.Terminated && pod.Node == "" {
			return decision(fact.OutcomeWaiting, RulePodScheduled, c.Class)
		}
	}
	return decision(fact.OutcomeWaiting, RuleFirstConsumer, c.Class)
}

// noProvisioner marks a class that does not provision.
const noProvisioner = "kubernetes.io/no-provisioner"

// provision tells what the claim's class would have to do (U6).
func provision(v *projector.View, c *projector.Claim) fact.Decision {
	class := v.Class(c.Class)
	switch {
	case class == nil:
		return decision(fact.OutcomeBlocked, RuleClassMissing, c.Class)
	case class.Provisioner == noProvisioner:
		return decision(fact.OutcomeBlocked, RuleNoProvisioner, c.Class)
	}
	return decision(fact.OutcomeWaiting, RuleProvision, class.Provisioner)
}

// orPending is U8: before the claim waits its status is made to say so.
func orPending(c *projector.Claim, d fact.Decision) fact.Decision {
	if statusPatch(c, nil, "Pending") == nil {
		return d
	}
	return decision(fact.OutcomeAct, RulePending, d.Rule)
}

// decideNamed is an unbound claim that names its volume (2.4).
func decideNamed(v *projector.View, c *projector.Claim) fact.Decision {
	volume := v.Volume(c.VolumeName)
	if volume == nil {
		return orPending(c, decision(fact.OutcomeWaiting, RuleNamedMissing, c.VolumeName))
	}
	switch ref := volume.ClaimRef; {
	case ref == nil:
		if keeper := keptFor(v, volume, c); keeper != nil {
			d := about(fact.OutcomeBlocked, RuleKept, volume)
			d.Detail = volume.Name + " for " + keeper.ID.String()
			return orPending(c, d)
		}
		if failed := unsatisfied(c, volume); len(failed) > 0 {
			d := about(fact.OutcomeBlocked, RuleNamedMismatch, volume)
			d.Detail = volume.Name + " " + failed[0].Rule
			return orPending(c, d)
		}
		return bindDecision(v, c, volume, RuleNamedBind)
	case isThisClaim(ref, c):
		return bindDecision(v, c, volume, RuleNamedReserved)
	}
	if _, byController := c.Annotations[fact.AnnBoundByController]; byController {
		return about(fact.OutcomeBlocked, RuleNamedStolen, volume)
	}
	return orPending(c, about(fact.OutcomeBlocked, RuleNamedTaken, volume))
}

// decideBound is a claim that has been through a complete bind (2.6).
func decideBound(v *projector.View, c *projector.Claim) fact.Decision {
	if c.VolumeName == "" {
		return lost(v, c, RuleNoName, c.ID, c.Seq)
	}
	volume := v.Volume(c.VolumeName)
	if volume == nil {
		return lost(v, c, RuleVolumeGone, projector.VolumeID(c.VolumeName), c.Seq)
	}
	switch {
	case volume.ClaimRef == nil:
		return bindDecision(v, c, volume, RuleRebind)
	case volume.ClaimRef.UID == c.UID:
		return bindDecision(v, c, volume, RuleBound)
	}
	return lost(v, c, RuleMisbound, projector.VolumeID(volume.Name), max(c.Seq, volume.Seq))
}

// lost is a claim that looks lost by the rule. It is, once a live read of the
// object that this decision asked for, newer than what it rests on, shows the
// same (improvement 4). A claim that already is Lost needs nothing.
func lost(v *projector.View, c *projector.Claim, rule string, read projector.ID, newest eventlog.Seq) fact.Decision {
	if c.Phase == "Lost" {
		return decision(fact.OutcomeBlocked, rule, c.VolumeName)
	}
	if d, waits := afterGap(v); waits {
		return d
	}
	// A volume that the read found is not gone, whatever the watch said; the
	// other rules rest on what the read found.
	answer := confirmed(v, c.ID, rule, read, newest)
	if answer != nil && answer.Exists == (rule != RuleVolumeGone) {
		return decision(fact.OutcomeAct, rule, c.VolumeName)
	}
	uid := c.UID
	if read != c.ID {
		uid = ""
		if volume := v.Volume(read.Name); volume != nil {
			uid = volume.UID
		}
	}
	return confirm(rule, read, uid)
}

// bindDecision is a pair that belongs together: act if a step is missing.
func bindDecision(v *projector.View, c *projector.Claim, volume *projector.Volume, rule string) fact.Decision {
	if v.Busy(projector.VolumeID(volume.Name)) != nil {
		return about(fact.OutcomeDeciding, RuleBusyVolume, volume)
	}
	if c.Phase != "Bound" && !volume.Sized {
		return about(fact.OutcomeBlocked, RuleNoCapacity, volume)
	}
	if len(bindSteps(c, volume)) == 0 {
		return about(fact.OutcomeSettled, rule, volume)
	}
	return about(fact.OutcomeAct, rule, volume)
}
