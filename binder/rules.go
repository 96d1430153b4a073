package binder

import (
	"crypto/sha256"
	"encoding/hex"
)

// Rule is one branch of the behaviour. Ids are public and never reused.
type Rule struct {
	ID      string
	Section string // of upstream-behaviour.md, or of design.md for improvements
	Doc     string // one sentence, in the third person, on what holds when the rule decides
}

// The rules that decide claims and volumes.
const (
	RuleNotSynced = "not-synced"
	RuleBusy      = "busy"
	RuleBackoff   = "backoff"
	RuleGone      = "gone"
	RuleGap       = "gap"

	RuleMigrated = "M1-migrated-to"

	RuleNoBindingMode = "U1-no-binding-mode"
	RuleBadSelector   = "U2-bad-selector"
	RuleBind          = "U3-bind"
	RuleBusyVolume    = "U3-busy-volume"
	RuleNoCapacity    = "U3-no-capacity"
	RuleDefaultClass  = "U4-default-class"
	RuleFirstConsumer = "U5-first-consumer"
	RulePodScheduled  = "U5-pod-scheduled"
	RuleClassMissing  = "U6-class-missing"
	RuleNoProvisioner = "U6-no-provisioner"
	RuleProvision     = "U6-provision"
	RuleNoVolume      = "U7-no-volume"
	RulePending       = "U8-pending"
	RuleTerminating   = "I5-terminating"

	RuleNamedMissing  = "P1-named-missing"
	RuleNamedBind     = "P2a-bind"
	RuleNamedMismatch = "P2b-mismatch"
	RuleNamedReserved = "P3-bind"
	RuleNamedTaken    = "P4-taken"
	RuleNamedStolen   = "P5-taken"

	RuleNoName      = "B1-no-volume-name"
	RuleVolumeGone  = "B2-volume-gone"
	RuleRebind      = "B3-rebind"
	RuleBound       = "B4-bound"
	RuleMisbound    = "B5-misbound"
	RuleUnconfirmed = "I4-confirm-lost"

	RuleAvailable    = "V1-available"
	RuleReservedName = "V2-reserved"
	RuleRelease      = "V3-release"
	RuleNotReleased  = "V3-not-released"
	RuleModeClash    = "V4a-mode-mismatch"
	RuleClaimToBind  = "V4b-claim-to-bind"
	RuleVolumeBound  = "V5-bound"
	RuleLoserRelease = "V6a-release"
	RuleLoserFree    = "V6b-unbind"
	RuleLoserReserve = "V6c-unbind"
	RuleKept         = "I10-kept-for-claim"
)

var rules = []Rule{
	{RuleNotSynced, "design 4", "Nothing is decided before volumes, claims, classes, pods and nodes each had a completed list since the start."},
	{RuleBusy, "design 3", "A plan for the object is being carried out; its result decides on."},
	{RuleBackoff, "design 4", "The last attempt failed; the next one waits for its timer."},
	{RuleGone, "design 4", "There is no such object."},
	{RuleGap, "design 4", "Versions were missed; what seems gone is judged once the list is complete."},
	{RuleMigrated, "6.6", "The migrated-to annotation is brought in line with the provisioner's name."},
	{RuleNoBindingMode, "2.3", "The claim's class has no volumeBindingMode, so the claim cannot be processed."},
	{RuleBadSelector, "4.3.4", "The claim's selector is invalid, so no volume can be searched."},
	{RuleBind, "2.2 U3", "A volume fits and is bound to the claim."},
	{RuleBusyVolume, "design 3", "The volume for the claim is being written; the claim waits for it rather than take a larger one."},
	{RuleNoCapacity, "5.4", "The volume has no storage capacity, so the claim's status could not be written."},
	{RuleDefaultClass, "2.5", "The claim has no class and a default class exists; this version does not assign it."},
	{RuleFirstConsumer, "2.2 U5", "The class waits for the first consumer and no pod uses the claim yet."},
	{RulePodScheduled, "2.2 U5", "The class waits for the first consumer and the pods that use the claim are not scheduled yet."},
	{RuleClassMissing, "7.1.2", "No volume fits and the claim's class does not exist, so none can be provisioned."},
	{RuleNoProvisioner, "7.1.3", "No volume fits and the claim's class does not provision."},
	{RuleProvision, "2.2 U6", "No volume fits; the class's provisioner is to make one, which this version does not ask for."},
	{RuleNoVolume, "2.2 U7", "No volume fits and the claim has no class."},
	{RulePending, "2.2 U8", "The claim's status is set back to Pending."},
	{RuleTerminating, "improvement 5", "The claim is being deleted, so no volume is chosen for it."},
	{RuleNamedMissing, "2.4 P1", "The volume that the claim names does not exist."},
	{RuleNamedBind, "2.4 P2a", "The volume that the claim names is free and satisfies it."},
	{RuleNamedMismatch, "2.4 P2b", "The volume that the claim names does not satisfy it."},
	{RuleNamedReserved, "2.4 P3", "The claim and the volume name each other; nothing else is checked."},
	{RuleNamedTaken, "2.4 P4", "The volume that the claim names belongs to another claim."},
	{RuleNamedStolen, "2.4 P5", "The volume that a controller gave the claim belongs to another claim."},
	{RuleNoName, "2.6 B1", "The claim was bound and names no volume any more."},
	{RuleVolumeGone, "2.6 B2", "The claim was bound and its volume does not exist any more."},
	{RuleRebind, "2.6 B3", "The claim was bound and its volume carries no claimRef: it is bound again."},
	{RuleBound, "2.6 B4", "The claim and the volume are bound to each other."},
	{RuleMisbound, "2.6 B5", "The claim was bound and its volume belongs to another claim."},
	{RuleUnconfirmed, "improvement 4", "What the claim or volume rests on seems gone; a live read is to confirm it."},
	{RuleAvailable, "3.2 V1", "Nobody claims the volume."},
	{RuleReservedName, "3.2 V2", "The volume is reserved for a claim by name."},
	{RuleRelease, "3.2 V3", "The claim that the volume was bound to is gone, so the volume is Released and keeps its data."},
	{RuleNotReleased, "3.2 V3", "The claim that the volume is bound to is gone; this version releases only what is retained."},
	{RuleModeClash, "3.2 V4a", "The volume is reserved for a claim of another volume mode."},
	{RuleClaimToBind, "3.2 V4b", "The volume is reserved for a claim that is to be bound to it."},
	{RuleVolumeBound, "3.2 V5", "The volume and its claim are bound to each other."},
	{RuleLoserRelease, "3.2 V6a", "The claim is bound to another volume and this one was provisioned for it; this version does not release."},
	{RuleLoserFree, "3.2 V6b", "The claim is bound to another volume; this version does not unbind."},
	{RuleLoserReserve, "3.2 V6c", "The claim is bound to another volume; this version does not unbind."},
	{RuleKept, "improvement 10", "A completed claim names the volume, which is kept for it."},
}

// The checks that a volume must pass to serve a claim, in order. They stand
// in explanations; a decision names the rule above that they led to.
const (
	CheckClaimRef   = "F2-claim-ref"
	CheckCapacity   = "F3-capacity"
	CheckVolumeMode = "F4-volume-mode"
	CheckAttributes = "F5-attributes-class"
	CheckDeleting   = "F6-terminating"
	CheckDelay      = "F9-delayed"
	CheckPhase      = "F10-phase"
	CheckSelector   = "F11-selector"
	CheckClass      = "F12-class"
	CheckModes      = "F14-access-modes"
	CheckKept       = "I10-kept"
	CheckPlanned    = "I-planned"
)

var checks = []Rule{
	{CheckClaimRef, "4.3 F2", "The volume is not reserved for another claim."},
	{CheckCapacity, "4.3 F3", "The volume is at least as large as the request."},
	{CheckVolumeMode, "4.3 F4", "The volume mode is the same; unset means Filesystem."},
	{CheckAttributes, "4.3 F5", "The attributes class is the same; unset is the same as empty."},
	{CheckDeleting, "4.3 F6", "The volume is not being deleted."},
	{CheckDelay, "4.3 F9", "A claim of a delayed class takes only a volume that is reserved for it."},
	{CheckPhase, "4.3 F10", "The volume is Available."},
	{CheckSelector, "4.3 F11", "The volume's labels match the claim's selector."},
	{CheckClass, "4.3 F12", "The storage class is the same."},
	{CheckModes, "4.1", "The volume offers every access mode that the claim asks for."},
	{CheckKept, "improvement 10", "No completed claim names the volume."},
	{CheckPlanned, "design 3", "No plan in flight gives the volume to another claim."},
}

// Rules are all rules that decide, in their fixed order.
func Rules() []Rule { return append([]Rule(nil), rules...) }

// Checks are all checks of a volume, in the order in which they are made.
func Checks() []Rule { return append([]Rule(nil), checks...) }

// RuleDoc is the sentence of a rule or check, "" for an unknown id.
func RuleDoc(id string) string {
	for _, list := range [][]Rule{rules, checks} {
		for _, r := range list {
			if r.ID == id {
				return r.Doc
			}
		}
	}
	return ""
}

// version changes when a rule decides differently under the same id.
const version = "1"

// RuleSet is the hash of the rule set: decisions by the same RuleSet on the
// same view are the same.
func RuleSet() string {
	h := sha256.New()
	h.Write([]byte(version))
	for _, list := range [][]Rule{rules, checks} {
		for _, r := range list {
			h.Write([]byte("\x00" + r.ID + "\x00" + r.Section))
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
