package binder

import (
	"bindery/projector"
	"bindery/projector/fact"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/labels"
)

// Failure is a check that a volume does not pass, with both sides.
type Failure struct {
	Rule string
	What string // the property in words: class, access mode, size, ...
	Want string
	Got  string
}

// hardChecks are F3 to F6, which a reserved volume must pass too.
func hardChecks(c *projector.Claim, v *projector.Volume) []Failure {
	var failed []Failure
	if compareSizes(v.Storage, c.Request) < 0 {
		failed = append(failed, Failure{CheckCapacity, "size", "at least " + amount(c.Requests, "storage"), amount(v.Capacity, "storage")})
	}
	if want, got := projector.Filesystem(c.VolumeMode), projector.Filesystem(v.VolumeMode); want != got {
		failed = append(failed, Failure{CheckVolumeMode, "volume mode", want, got})
	}
	if c.Attributes != v.Attributes {
		failed = append(failed, Failure{CheckAttributes, "attributes class", orNone(c.Attributes), orNone(v.Attributes)})
	}
	if v.Deleting {
		failed = append(failed, Failure{CheckDeleting, "deletion", "not being deleted", "being deleted"})
	}
	return failed
}

// softChecks are what a free volume must pass besides: class, modes, phase
// and selector.
func softChecks(c *projector.Claim, v *projector.Volume, pendingIsFree bool) []Failure {
	var failed []Failure
	if c.Class != v.Class {
		failed = append(failed, Failure{CheckClass, "class", orNone(c.Class), orNone(v.Class)})
	}
	if !searched(v, c) {
		failed = append(failed, modesFailure(c, v))
	}
	free := v.Phase == "Available" || pendingIsFree && (v.Phase == "Pending" || v.Phase == "")
	if !free {
		failed = append(failed, Failure{CheckPhase, "phase", "Available", orNone(v.Phase)})
	}
	if selector, err := selectorOf(c); err == nil && !selector.Matches(labels.Set(v.Labels)) {
		failed = append(failed, Failure{CheckSelector, "labels", selector.String(), orNone(labels.Set(v.Labels).String())})
	}
	return failed
}

// unsatisfied is 2.4.1 for a volume that the claim names: selector and phase
// are not looked at, and capacities are compared as whole numbers of bytes.
func unsatisfied(c *projector.Claim, v *projector.Volume) []Failure {
	var failed []Failure
	if v.Deleting {
		failed = append(failed, Failure{CheckDeleting, "deletion", "not being deleted", "being deleted"})
	}
	if v.Storage.Value() < c.Request.Value() {
		failed = append(failed, Failure{CheckCapacity, "size", "at least " + amount(c.Requests, "storage"), amount(v.Capacity, "storage")})
	}
	if c.Class != v.Class {
		failed = append(failed, Failure{CheckClass, "class", orNone(c.Class), orNone(v.Class)})
	}
	if c.Attributes != v.Attributes {
		failed = append(failed, Failure{CheckAttributes, "attributes class", orNone(c.Attributes), orNone(v.Attributes)})
	}
	if want, got := projector.Filesystem(c.VolumeMode), projector.Filesystem(v.VolumeMode); want != got {
		failed = append(failed, Failure{CheckVolumeMode, "volume mode", want, got})
	}
	if !offers(v, c) {
		failed = append(failed, modesFailure(c, v))
	}
	return failed
}

// compareSizes compares copies: Quantity.Cmp rewrites its receiver when the
// other side is beyond int64, and what a view holds is shared by goroutines.
func compareSizes(a, b resource.Quantity) int { return a.Cmp(b) }

// amount is a quantity of a list, "none" when it is missing.
func amount(list map[string]string, key string) string { return orNone(list[key]) }

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// claimRefName is the claim that a claimRef names, in words.
func claimRefName(ref *fact.ClaimRef) string {
	if ref == nil {
		return "nobody"
	}
	return "pvc/" + ref.Namespace + "/" + ref.Name
}
