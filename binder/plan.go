package binder

import (
	"encoding/json"
	"slices"
	"strconv"

	"bindery/eventlog"
	"bindery/projector"
	"bindery/projector/fact"
)

// Plan is the writes of a decision to act, in order: volume spec, volume
// status, claim spec, claim status. Nothing that is already so is written.
// The first write of each object requires the version that the decision saw,
// later ones the version that the write before returned.
func Plan(v *projector.View, id projector.ID, d fact.Decision) []fact.Step {
	if d.Outcome != fact.OutcomeAct {
		return nil
	}
	if id.Resource == eventlog.ResourceVolume {
		if volume := v.Volume(id.Name); volume != nil {
			return planVolume(volume, d.Rule)
		}
		return nil
	}
	c := v.Claim(id.Namespace, id.Name)
	if c == nil {
		return nil
	}
	switch d.Rule {
	case RuleBind, RuleNamedBind, RuleNamedReserved, RuleRebind, RuleBound:
		if volume := v.Volume(d.Winner.Name); volume != nil && volume.UID == d.Winner.UID {
			return bindSteps(c, volume)
		}
	case RuleMigrated:
		want, _ := migratedTo(c.Annotations, claimProvisioner(c.Annotations))
		return []fact.Step{claimStep(c, "", annotate(want), "claim annotations")}
	case RulePending:
		return statusSteps(c, nil, "Pending")
	case RuleNoName, RuleVolumeGone, RuleMisbound:
		return statusSteps(c, nil, "Lost")
	}
	return nil
}

func planVolume(volume *projector.Volume, rule string) []fact.Step {
	switch rule {
	case RuleMigrated:
		want, _ := migratedTo(volume.Annotations, volume.Annotations[fact.AnnProvisionedBy])
		return []fact.Step{volumeStep(volume, "", annotate(want), "volume annotations")}
	case RuleAvailable, RuleReservedName:
		return []fact.Step{volumeStep(volume, "status", phasePatch("Available"), "volume status")}
	case RuleRelease:
		return []fact.Step{volumeStep(volume, "status", phasePatch("Released"), "volume status")}
	case RuleVolumeBound:
		return []fact.Step{volumeStep(volume, "status", phasePatch("Bound"), "volume status")}
	}
	return nil
}

// annotate sets or removes migrated-to.
func annotate(migrated string) object {
	var value any
	if migrated != "" {
		value = migrated
	}
	return object{"metadata": object{"annotations": object{fact.AnnMigratedTo: value}}}
}

// phasePatch sets a volume's phase and clears its message (3.5).
func phasePatch(phase string) object {
	return object{"status": object{"phase": phase, "message": nil}}
}

// bindSteps are the steps of 5.1 that the pair still lacks.
func bindSteps(c *projector.Claim, volume *projector.Volume) []fact.Step {
	var steps []fact.Step
	add := func(step fact.Step) {
		for i := len(steps) - 1; i >= 0; i-- {
			if steps[i].Subject == step.Subject {
				step.ResourceVersion, step.After = 0, i
				break
			}
		}
		steps = append(steps, step)
	}
	if patch := volumeSpecPatch(c, volume); patch != nil {
		add(volumeStep(volume, "", patch, "volume spec"))
	}
	if volume.Phase != "Bound" {
		add(volumeStep(volume, "status", phasePatch("Bound"), "volume status"))
	}
	if patch := claimSpecPatch(c, volume); patch != nil {
		add(claimStep(c, "", patch, "claim spec"))
	}
	if patch := statusPatch(c, volume, "Bound"); patch != nil {
		add(claimStep(c, "status", patch, "claim status"))
	}
	return steps
}

// volumeSpecPatch is step 1: the claimRef with every key, and the mark that a
// controller put it there unless the volume was already reserved for the
// claim. nil when the volume already refers to the claim by UID.
func volumeSpecPatch(c *projector.Claim, volume *projector.Volume) object {
	ref := volume.ClaimRef
	reserved := isThisClaim(ref, c)
	_, marked := volume.Annotations[fact.AnnBoundByController]
	linked := reserved && ref.UID == c.UID
	if linked {
		return nil
	}
	patch := object{"spec": object{"claimRef": object{
		"kind":            "PersistentVolumeClaim",
		"apiVersion":      "v1",
		"namespace":       c.ID.Namespace,
		"name":            c.ID.Name,
		"uid":             c.UID,
		"resourceVersion": strconv.FormatUint(c.ResourceVersion, 10),
		"fieldPath":       nil,
	}}}
	if !reserved && !marked {
		patch["metadata"] = object{"annotations": object{fact.AnnBoundByController: "yes"}}
	}
	return patch
}

// claimSpecPatch is step 3: volumeName and bind-completed, and the mark that a
// controller chose the volume when it was not named before.
func claimSpecPatch(c *projector.Claim, volume *projector.Volume) object {
	_, completed := c.Annotations[fact.AnnBindCompleted]
	if c.VolumeName == volume.Name && completed {
		return nil
	}
	annotations := object{}
	patch := object{}
	if c.VolumeName != volume.Name {
		patch["spec"] = object{"volumeName": volume.Name}
		if _, marked := c.Annotations[fact.AnnBoundByController]; !marked {
			annotations[fact.AnnBoundByController] = "yes"
		}
	}
	if !completed {
		annotations[fact.AnnBindCompleted] = "yes"
	}
	if len(annotations) > 0 {
		patch["metadata"] = object{"annotations": annotations}
	}
	return patch
}

// statusSteps is a claim status write alone.
func statusSteps(c *projector.Claim, volume *projector.Volume, phase string) []fact.Step {
	patch := statusPatch(c, volume, phase)
	if patch == nil {
		return nil
	}
	return []fact.Step{claimStep(c, "status", patch, "claim status")}
}

// statusPatch is the claim status write (5.4), nil when nothing differs.
// Without a volume (Pending, Lost) modes, capacity and the current attributes
// class are cleared; with one they are copied as 5.4 says.
func statusPatch(c *projector.Claim, volume *projector.Volume, phase string) object {
	status := object{}
	changed := c.Phase != phase
	if changed {
		status["phase"] = phase
	}
	if volume == nil {
		if len(c.StatusModes) > 0 {
			status["accessModes"] = nil
		}
		if len(c.StatusCapacity) > 0 {
			status["capacity"] = nil
		}
		if c.CurrentAttributes != nil {
			status["currentVolumeAttributesClassName"] = nil
		}
	} else {
		if !slices.Equal(c.StatusModes, volume.AccessModes) {
			status["accessModes"] = volume.AccessModes
		}
		if changed {
			if capacity := capacityPatch(c, volume); capacity != nil {
				status["capacity"] = capacity
			}
		}
		if changed && c.Phase == "Pending" {
			if current, differs := attributesPatch(c, volume); differs {
				status["currentVolumeAttributesClassName"] = current
			}
		}
	}
	if len(status) == 0 {
		return nil
	}
	return object{"status": status}
}

// capacityPatch is the capacity that a claim takes over when it becomes Bound.
func capacityPatch(c *projector.Claim, volume *projector.Volume) object {
	if before, ok := volume.Annotations[fact.AnnPreResizeCapacity]; ok {
		if size := fact.Quantity(before); !size.IsZero() {
			return object{"storage": size.String()}
		}
		return object{"storage": volume.Capacity["storage"]}
	}
	have := fact.Quantity(c.StatusCapacity["storage"])
	if _, there := c.StatusCapacity["storage"]; there && compareSizes(have, volume.Storage) == 0 {
		return nil
	}
	patch := object{}
	for key := range c.StatusCapacity {
		patch[key] = nil
	}
	for key, size := range volume.Capacity {
		patch[key] = size
	}
	return patch
}

// attributesPatch is the current attributes class of a freshly bound claim.
func attributesPatch(c *projector.Claim, volume *projector.Volume) (current any, differs bool) {
	have := ""
	if c.CurrentAttributes != nil {
		have = *c.CurrentAttributes
	}
	if have == volume.Attributes {
		return nil, false
	}
	if volume.Attributes == "" {
		return nil, true
	}
	return volume.Attributes, true
}

// object is a JSON object; encoding/json writes its keys in order.
type object map[string]any

func (o object) encode() []byte {
	b, err := json.Marshal(o)
	if err != nil {
		panic(err) // strings and nils cannot fail
	}
	return b
}

func volumeStep(v *projector.Volume, subresource string, patch object, purpose string) fact.Step {
	return fact.Step{
		Subject: eventlog.Subject{Resource: eventlog.ResourceVolume, Name: v.Name, UID: fact.ParseUID(v.UID)},
		Verb:    "patch", Subresource: subresource, ResourceVersion: v.ResourceVersion, After: -1,
		Patch: patch.encode(), Purpose: purpose,
	}
}

func claimStep(c *projector.Claim, subresource string, patch object, purpose string) fact.Step {
	return fact.Step{
		Subject: eventlog.Subject{
			Resource: eventlog.ResourceClaim, Namespace: c.ID.Namespace, Name: c.ID.Name, UID: fact.ParseUID(c.UID),
		},
		Verb: "patch", Subresource: subresource, ResourceVersion: c.ResourceVersion, After: -1,
		Patch: patch.encode(), Purpose: purpose,
	}
}
