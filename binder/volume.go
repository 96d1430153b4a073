package binder

import (
	"bindery/projector"
	"bindery/projector/fact"
)

// decideVolume is volume sync (upstream-behaviour.md 3).
func decideVolume(v *projector.View, volume *projector.Volume) fact.Decision {
	if _, change := migratedTo(volume.Annotations, volume.Annotations[fact.AnnProvisionedBy]); change {
		return decision(fact.OutcomeAct, RuleMigrated, "")
	}
	ref := volume.ClaimRef
	switch {
	case ref == nil:
		if keeper := keptFor(v, volume, nil); keeper != nil {
			return served(fact.OutcomeWaiting, RuleKept, keeper)
		}
		return phase(volume, "Available", RuleAvailable)
	case ref.UID == "":
		return phase(volume, "Available", RuleReservedName)
	}
	claim := v.Claim(ref.Namespace, ref.Name)
	switch {
	case claim == nil || claim.UID != ref.UID:
		return release(v, volume, claim)
	case claim.VolumeName == "":
		if projector.Filesystem(volume.VolumeMode) != projector.Filesystem(claim.VolumeMode) {
			return served(fact.OutcomeBlocked, RuleModeClash, claim)
		}
		return served(fact.OutcomeWaiting, RuleClaimToBind, claim)
	case claim.VolumeName == volume.Name:
		d := phase(volume, "Bound", RuleVolumeBound)
		d.Winner = fact.Ref{Name: claim.ID.String(), UID: claim.UID}
		return d
	}
	return loser(volume, claim)
}

// release is a volume whose claim seems gone, or is another one of the same
// name (3.3, 3.4). It becomes Released once a live read shows so. This version
// releases what is retained only: for other policies Released is the first
// step of a deletion.
func release(v *projector.View, volume *projector.Volume, other *projector.Claim) fact.Decision {
	ref := volume.ClaimRef
	switch {
	case volume.Phase == "Released" || volume.Phase == "Failed":
		return decision(fact.OutcomeSettled, RuleRelease, claimRefName(ref)+" uid "+ref.UID)
	case volume.ReclaimPolicy != "Retain":
		return decision(fact.OutcomeWaiting, RuleNotReleased, volume.ReclaimPolicy)
	}
	if d, waits := afterGap(v); waits {
		return d
	}
	newest := volume.Seq
	if other != nil {
		newest = max(newest, other.Seq)
	}
	id := projector.ClaimID(ref.Namespace, ref.Name)
	answer := confirmed(v, projector.VolumeID(volume.Name), RuleRelease, id, newest)
	// A claim that the read found without saying which is not another one.
	if answer != nil && (!answer.Exists || answer.UID != "" && answer.UID != ref.UID) {
		return decision(fact.OutcomeAct, RuleRelease, claimRefName(ref)+" uid "+ref.UID)
	}
	return confirm(RuleRelease, id, ref.UID)
}

// loser is a volume whose claim is bound to another one (V6).
func loser(volume *projector.Volume, claim *projector.Claim) fact.Decision {
	_, provisioned := volume.Annotations[fact.AnnProvisionedBy]
	_, byController := volume.Annotations[fact.AnnBoundByController]
	switch {
	case provisioned && volume.ReclaimPolicy == "Delete":
		return served(fact.OutcomeWaiting, RuleLoserRelease, claim)
	case byController:
		return served(fact.OutcomeWaiting, RuleLoserFree, claim)
	}
	return served(fact.OutcomeWaiting, RuleLoserReserve, claim)
}

// served is a decision on a volume that concerns a claim.
func served(outcome fact.Outcome, rule string, c *projector.Claim) fact.Decision {
	d := decision(outcome, rule, c.ID.String())
	d.Winner = fact.Ref{Name: c.ID.String(), UID: c.UID}
	return d
}

// phase is a volume that should be in a phase: written when it is not.
func phase(volume *projector.Volume, want, rule string) fact.Decision {
	if volume.Phase == want {
		return decision(fact.OutcomeSettled, rule, "")
	}
	return decision(fact.OutcomeAct, rule, "")
}
