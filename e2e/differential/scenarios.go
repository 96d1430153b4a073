package differential

import (
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
)

const (
	waits  = storagev1.VolumeBindingWaitForFirstConsumer
	atOnce = storagev1.VolumeBindingImmediate
)

// boundPair is a volume and a claim that are bound to each other.
func boundPair(volume, claim string, edits ...claimEdit) []Op {
	edits = append([]claimEdit{
		cVolume(volume), cBoundStatus("1Gi"), cAnnotation(bindCompleted, "yes"), cAnnotation(boundByController, "yes"),
	}, edits...)
	return []Op{
		pvc(claim, "1Gi", edits...),
		pv(volume, "1Gi", vPhase(corev1.VolumeBound), vRefUID(claim), vAnnotation(boundByController, "yes")),
	}
}

// Static are the scenarios of static binding: the rows of
// upstream-behaviour.md 11 that need no provisioner, reclaim or unbind.
var Static = []Scenario{
	{ID: "1-1", Name: "a claim and a volume that fit", Setup: []Op{pv("v", "1Gi"), pvc("c", "1Gi")}},
	{ID: "1-2", Name: "too small", Setup: []Op{pv("v", "1Gi"), pvc("c", "10Gi")}},
	{ID: "1-3", Name: "too small, the claim wrongly Bound", Setup: []Op{pv("v", "1Gi"), pvc("c", "10Gi", cBoundStatus("10Gi"))}},
	{ID: "1-4", Name: "the smaller of two", Setup: []Op{pv("big", "10Gi"), pv("small", "1Gi"), pvc("c", "1Gi")}},
	{ID: "1-5", Name: "a volume reserved by name comes first", Setup: []Op{pv("big", "10Gi", vRef("c")), pv("small", "1Gi"), pvc("c", "1Gi")}},
	{ID: "1-6", Name: "a volume reserved with the UID comes first", Setup: []Op{pvc("c", "1Gi"), pv("big", "10Gi", vRefUID("c")), pv("small", "1Gi")}},
	{ID: "1-7", Name: "a volume of an earlier claim of the name", Setup: []Op{pv("v", "1Gi", vRefForeign("c")), pvc("c", "1Gi")}},
	{ID: "1-8", Name: "stopped after the volume's spec", Setup: []Op{pvc("c", "1Gi"), pv("v", "1Gi", vRefUID("c"), vAnnotation(boundByController, "yes"))}},
	{ID: "1-9", Name: "stopped after the volume's status", Setup: []Op{pvc("c", "1Gi"), pv("v", "1Gi", vPhase(corev1.VolumeBound), vRefUID("c"), vAnnotation(boundByController, "yes"))}},
	{ID: "1-10", Name: "stopped after the claim's spec", Setup: []Op{
		pvc("c", "1Gi", cVolume("v"), cAnnotation(bindCompleted, "yes"), cAnnotation(boundByController, "yes")),
		pv("v", "1Gi", vPhase(corev1.VolumeBound), vRefUID("c"), vAnnotation(boundByController, "yes")),
	}},
	{ID: "1-11", Name: "the selector matches", Setup: []Op{pv("v", "1Gi", vLabel("tier", "a")), pvc("c", "1Gi", cLabel("tier", "a"))}},
	{ID: "1-12", Name: "the selector does not match", Setup: []Op{pv("v", "1Gi", vLabel("tier", "b")), pvc("c", "1Gi", cLabel("tier", "a"))}},
	{ID: "1-13", Name: "a delayed class waits", Setup: []Op{class("wait", waits), pv("v", "1Gi", vClass("wait")), pvc("c", "1Gi", cClass("wait"))}},
	{ID: "1-14", Name: "a delayed class takes a reservation", Setup: []Op{class("wait", waits), pv("v", "1Gi", vClass("wait"), vRef("c")), pvc("c", "1Gi", cClass("wait"))}},
	{ID: "1-15", Name: "the named volume, not the smaller", Setup: []Op{pv("big", "10Gi"), pv("small", "1Gi"), pvc("c", "1Gi", cVolume("big"))}},
	{ID: "1-16", Name: "the named volume lacks a mode", Setup: []Op{pv("v", "1Gi"), pvc("c", "1Gi", cVolume("v"), cModes("RWX"))}},
	{ID: "1-17a", Name: "a Pending volume becomes Available and is bound", Setup: []Op{pv("v", "1Gi", vPhase(corev1.VolumePending)), pvc("c", "1Gi")}},
	{ID: "1-17b", Name: "a Failed volume without claimRef", Setup: []Op{pv("v", "1Gi", vPhase(corev1.VolumeFailed)), pvc("c", "1Gi")}},
	{ID: "1-17c", Name: "a Released volume without claimRef", Setup: []Op{pv("v", "1Gi", vPhase(corev1.VolumeReleased)), pvc("c", "1Gi")}},
	{ID: "1-18", Name: "the scheduler bound the volume", Setup: []Op{
		class("wait", waits), pvc("c", "1Gi", cClass("wait"), cAnnotation(selectedNode, "n1")),
		pv("v", "1Gi", vClass("wait"), vRefUID("c"), vAnnotation(boundByController, "yes")),
	}},

	{ID: "1-5-small", Name: "a reserved volume that is too small is passed over", Setup: []Op{pv("mine", "1Gi", vRef("c")), pv("free", "5Gi"), pvc("c", "2Gi")}},
	{ID: "1-5-mode", Name: "a reserved volume of another volume mode is passed over", Setup: []Op{pv("mine", "1Gi", vRef("c"), vBlock), pv("free", "5Gi"), pvc("c", "1Gi")}},
	{ID: "1-5-selector", Name: "a reserved volume needs no selector match", Setup: []Op{pv("mine", "1Gi", vRef("c"), vLabel("tier", "b")), pv("free", "1Gi", vLabel("tier", "a")), pvc("c", "1Gi", cLabel("tier", "a"))}},
	{ID: "1-5-released", Name: "a Released volume with a reservation by name", Setup: []Op{pv("mine", "1Gi", vRef("c"), vPhase(corev1.VolumeReleased)), pvc("c", "1Gi")}},
	{ID: "1-5-failed", Name: "a Failed volume reserved with the UID", Setup: []Op{pvc("c", "1Gi"), pv("mine", "1Gi", vRefUID("c"), vPhase(corev1.VolumeFailed))}},
	{ID: "1-11-any", Name: "no selector", Setup: []Op{pv("v", "1Gi", vClass("gold")), pvc("c", "1Gi", cClass("gold"), cAnyLabel)}},
	{ID: "1-11-in", Name: "selector expressions that match", Setup: []Op{
		pv("b", "1Gi", vLabel("tier", "b")), pv("a", "5Gi", vLabel("tier", "a")),
		pvc("c", "1Gi", cExpression("tier", "In", "a", "x"), cExpression("tier", "Exists"), cExpression("tier", "NotIn", "b"), cExpression("zone", "DoesNotExist")),
	}},
	{ID: "F6", Name: "a volume that is being deleted is passed over", Setup: []Op{pv("v", "1Gi", vFinalizer), deleteVolume("v"), pv("w", "5Gi"), pvc("c", "1Gi")}},
	{ID: "W16", Name: "reserved with the UID, too small", Setup: []Op{pvc("c", "2Gi"), pv("v", "1Gi", vRefUID("c"))}},

	{ID: "2-1", Name: "the named volume is missing", Setup: []Op{pvc("c", "1Gi", cVolume("v"))}},
	{ID: "2-2", Name: "the named volume is missing, the claim wrongly Bound", Setup: []Op{pvc("c", "1Gi", cVolume("v"), cBoundStatus("1Gi"))}},
	{ID: "2-3", Name: "the named volume is free", Setup: []Op{pv("v", "1Gi"), pvc("c", "1Gi", cVolume("v"))}},
	{ID: "2-4", Name: "both name each other", Setup: []Op{pv("v", "1Gi", vRef("c")), pvc("c", "1Gi", cVolume("v"))}},
	{ID: "2-5", Name: "both name each other, with the UID", Setup: []Op{pvc("c", "1Gi", cVolume("v")), pv("v", "1Gi", vRefUID("c"))}},
	{ID: "2-6", Name: "the named volume is another's", Setup: append(boundPair("v", "d"), pvc("c", "1Gi", cVolume("v"), cBoundStatus("1Gi")))},
	{ID: "2-7", Name: "the volume that a controller named is another's", Setup: append(boundPair("v", "d"), pvc("c", "1Gi", cVolume("v"), cAnnotation(boundByController, "yes"), cBoundStatus("1Gi")))},
	{ID: "2-8", Name: "a named volume needs no selector match", Setup: []Op{pv("v", "1Gi", vLabel("tier", "b")), pvc("c", "1Gi", cVolume("v"), cLabel("tier", "a"))}},
	{ID: "2-9", Name: "the named volume is too small", Setup: []Op{pv("v", "1Gi"), pvc("c", "10Gi", cVolume("v"), cBoundStatus("10Gi"))}},
	{ID: "2-10", Name: "the named volume is of another class", Setup: []Op{pv("v", "1Gi", vClass("gold")), pvc("c", "1Gi", cVolume("v"), cBoundStatus("1Gi"))}},
	{ID: "2-11", Name: "the named volume has an attributes class", Setup: []Op{pv("v", "1Gi", vAttributes("fast")), pvc("c", "1Gi", cVolume("v"), cBoundStatus("1Gi"))}},
	{ID: "2-12", Name: "the same attributes class", Setup: []Op{pv("v", "1Gi", vAttributes("fast")), pvc("c", "1Gi", cVolume("v"), cAttributes("fast"))}},
	{ID: "2-deleting", Name: "the named volume is being deleted", Setup: []Op{pv("v", "1Gi", vFinalizer), deleteVolume("v"), pvc("c", "1Gi", cVolume("v"))}},
	{ID: "W14", Name: "both name each other, nothing else fits", Setup: []Op{
		pv("v", "1Gi", vRef("c"), vClass("gold"), vModes("ROX"), vBlock), pvc("c", "5Gi", cVolume("v"), cModes("RWX")),
	}},

	{ID: "3-1", Name: "bound, but no volume is named", Setup: []Op{pvc("c", "1Gi", cAnnotation(bindCompleted, "yes"), cBoundStatus("1Gi"))}},
	{ID: "3-2", Name: "bound to a volume that is missing", Setup: []Op{pvc("c", "1Gi", cVolume("v"), cAnnotation(bindCompleted, "yes"), cBoundStatus("1Gi"))}},
	{ID: "3-3", Name: "bound to a volume without claimRef", Setup: []Op{pv("v", "1Gi"), pvc("c", "1Gi", cVolume("v"), cAnnotation(bindCompleted, "yes"))}},
	{ID: "3-4", Name: "bound to a volume of an earlier claim of the name", Setup: []Op{
		pv("v", "1Gi", vPhase(corev1.VolumeBound), vRefForeign("c")), pvc("c", "1Gi", cVolume("v"), cAnnotation(bindCompleted, "yes"), cBoundStatus("1Gi")),
	}},
	{ID: "3-5", Name: "linked, phases stale", Setup: []Op{pvc("c", "1Gi", cVolume("v"), cAnnotation(bindCompleted, "yes")), pv("v", "1Gi", vRefUID("c"))}},
	{ID: "3-6", Name: "bound to a volume of another claim", Setup: append(boundPair("v", "d"), pvc("c", "1Gi", cVolume("v"), cAnnotation(bindCompleted, "yes"), cBoundStatus("1Gi")))},
	{ID: "3-7", Name: "bound to a volume without claimRef, selector off", Setup: []Op{pv("v", "1Gi", vLabel("tier", "b")), pvc("c", "1Gi", cVolume("v"), cAnnotation(bindCompleted, "yes"), cLabel("tier", "a"))}},
	{ID: "W13", Name: "claimRef by name only on a bound pair", Setup: []Op{
		pv("v", "1Gi", vPhase(corev1.VolumeBound), vRef("c")), pvc("c", "1Gi", cVolume("v"), cAnnotation(bindCompleted, "yes"), cBoundStatus("1Gi")),
	}},

	{ID: "4-1", Name: "a free volume", Setup: []Op{pv("v", "1Gi", vPhase(corev1.VolumePending))}},
	{ID: "4-2", Name: "a volume reserved by name", Setup: []Op{pv("v", "1Gi", vPhase(corev1.VolumePending), vRef("c"))}},
	{ID: "4-3", Name: "a bound volume without its claim", Setup: []Op{pv("v", "1Gi", vPhase(corev1.VolumeBound), vRefForeign("c"))}},
	{ID: "4-4", Name: "a bound volume, a new claim of the name that fits nothing", Setup: []Op{pv("v", "1Gi", vPhase(corev1.VolumeBound), vRefForeign("c")), pvc("c", "5Gi")}},
	{ID: "4-5a", Name: "a controller reserved the volume with the UID", Setup: []Op{pvc("c", "1Gi"), pv("v", "1Gi", vPhase(corev1.VolumePending), vRefUID("c"), vAnnotation(boundByController, "yes"))}},
	{ID: "4-5b", Name: "a user reserved the volume with the UID", Setup: []Op{pvc("c", "1Gi"), pv("v", "1Gi", vPhase(corev1.VolumePending), vRefUID("c"))}},
	{ID: "4-6", Name: "a bound pair, the volume's phase stale", Setup: []Op{
		pvc("c", "1Gi", cVolume("v"), cBoundStatus("1Gi"), cAnnotation(bindCompleted, "yes"), cAnnotation(boundByController, "yes")),
		pv("v", "1Gi", vRefUID("c"), vAnnotation(boundByController, "yes")),
	}},
	{ID: "healthy", Name: "a healthy pair", Setup: boundPair("v", "c")},

	{ID: "13-1", Name: "class before size", Setup: []Op{pv("none", "1Gi"), pv("gold", "10Gi", vClass("gold")), pvc("c", "1Gi", cClass("gold"))}},
	{ID: "13-2", Name: "no class before size", Setup: []Op{pv("gold", "1Gi", vClass("gold")), pv("none", "10Gi"), pvc("c", "1Gi", cNoClass)}},
	{ID: "13-3", Name: "the right of two classes", Setup: []Op{pv("silver", "1Gi", vClass("silver")), pv("gold", "1Gi", vClass("gold")), pvc("c", "1Gi", cClass("gold"))}},
	{ID: "13-4", Name: "empty class", Setup: []Op{pv("v", "1Gi"), pvc("c", "1Gi")}},
	{ID: "13-5", Name: "no class", Setup: []Op{pv("v", "1Gi"), pvc("c", "1Gi", cNoClass)}},
	{ID: "14-1", Name: "Block and Block", Setup: []Op{pv("v", "1Gi", vBlock), pvc("c", "1Gi", cBlock)}},
	{ID: "14-2", Name: "Filesystem and unset", Setup: []Op{pv("v", "1Gi", vFilesystem), pvc("c", "1Gi")}},
	{ID: "14-3", Name: "Block volume, Filesystem claim", Setup: []Op{pv("v", "1Gi", vBlock), pvc("c", "1Gi")}},
	{ID: "14-4", Name: "Filesystem volume, Block claim", Setup: []Op{pv("v", "1Gi"), pvc("c", "1Gi", cBlock)}},
	{ID: "14-5", Name: "class matches, volume mode differs", Setup: []Op{pv("v", "1Gi", vClass("gold"), vBlock), pvc("c", "1Gi", cClass("gold"))}},
	{ID: "14-5-1", Name: "volume mode matches, class differs", Setup: []Op{pv("v", "1Gi", vClass("gold")), pvc("c", "1Gi", cClass("silver"))}},
	{ID: "14-5-2", Name: "named, volume mode matches, class differs", Setup: []Op{pv("v", "1Gi", vClass("gold")), pvc("c", "1Gi", cClass("silver"), cVolume("v"))}},
	{ID: "14-7", Name: "reserved, Block and Block", Setup: []Op{pv("v", "1Gi", vBlock, vRef("c")), pvc("c", "1Gi", cBlock)}},
	{ID: "14-8", Name: "named, volume modes differ", Setup: []Op{pv("v", "1Gi", vBlock), pvc("c", "1Gi", cVolume("v"))}},
	{ID: "14-8-1", Name: "reserved, volume modes differ", Setup: []Op{pv("v", "1Gi", vBlock, vRef("c")), pvc("c", "1Gi")}},
	{ID: "14-9", Name: "named, Block and Block", Setup: []Op{pv("v", "1Gi", vBlock), pvc("c", "1Gi", cBlock, cVolume("v"))}},
	{ID: "14-11", Name: "named, Filesystem and Filesystem", Setup: []Op{pv("v", "1Gi", vFilesystem), pvc("c", "1Gi", cVolume("v"))}},
	{ID: "14-12", Name: "reserved, Filesystem and Filesystem", Setup: []Op{pv("v", "1Gi", vFilesystem, vRef("c")), pvc("c", "1Gi")}},
	{ID: "14-13", Name: "reserved with the UID, a Block volume for a Filesystem claim", Setup: []Op{pvc("c", "1Gi"), pv("v", "1Gi", vBlock, vRefUID("c"))}},
	{ID: "14-13-1", Name: "reserved with the UID, a Filesystem volume for a Block claim", Setup: []Op{pvc("c", "1Gi", cBlock), pv("v", "1Gi", vRefUID("c"))}},
	{ID: "14-14", Name: "reserved with the UID, Block and Block", Setup: []Op{pvc("c", "1Gi", cBlock), pv("v", "1Gi", vBlock, vRefUID("c"))}},
	{ID: "14-14-1", Name: "reserved with the UID, Filesystem and Filesystem", Setup: []Op{pvc("c", "1Gi"), pv("v", "1Gi", vFilesystem, vRefUID("c"))}},
	{ID: "13-claim-annotation", Name: "the claim's class in the old annotation", Setup: []Op{pv("none", "1Gi"), pv("gold", "5Gi", vClass("gold")), pvc("c", "1Gi", cClassAnnotation("gold"))}},
	{ID: "13-volume-annotation", Name: "the volume's class in the old annotation goes before the field", Setup: []Op{
		pv("v", "1Gi", vClass("silver"), vClassAnnotation("gold")), pvc("silver", "1Gi", cClass("silver")), pvc("gold", "1Gi", cClass("gold")),
	}},

	{ID: "5-2", Name: "a claim comes to a free volume", Setup: []Op{pv("v", "1Gi")}, Steps: [][]Op{{pvc("c", "1Gi")}}},
	{ID: "10-1", Name: "a volume comes to a waiting claim", Setup: []Op{pvc("c", "1Gi")}, Steps: [][]Op{{pv("v", "1Gi", vPhase(corev1.VolumePending))}}},
	{ID: "5-2-3", Name: "the size before a resize", Setup: []Op{pv("v", "2Gi", vAnnotation(preResize, "1Gi"))}, Steps: [][]Op{{pvc("c", "2Gi")}}},
	{ID: "5-3", Name: "the claim of a pair is deleted", Setup: boundPair("v", "c"), Steps: [][]Op{{deleteClaim("c")}}},
	{ID: "5-4", Name: "the volume of a pair is deleted", Setup: boundPair("v", "c"), Steps: [][]Op{{deleteVolume("v")}}},
	{ID: "5-4-again", Name: "the volume of a pair is deleted and made again", Setup: boundPair("v", "c"), Steps: [][]Op{{deleteVolume("v")}, {pv("v", "1Gi", vPhase(corev1.VolumePending))}}},
	{ID: "5-7", Name: "the volume is deleted, then the claim", Setup: boundPair("v", "c"), Steps: [][]Op{{deleteVolume("v")}, {deleteClaim("c")}}},
	{ID: "5-race", Name: "the claim is deleted and made again at once", Setup: boundPair("v", "c"), Steps: [][]Op{{deleteClaim("c"), pvc("c", "1Gi")}}},
	{ID: "I5-completed", Name: "a pair with the UID is completed though the claim is being deleted", Setup: []Op{
		pvc("c", "1Gi", cFinalizer), deleteClaim("c"), pv("v", "1Gi", vRefUID("c"), vAnnotation(boundByController, "yes")),
	}},
	{ID: "many", Name: "the one of the size among many", Setup: []Op{pv("v1", "1Gi"), pv("v2", "2Gi"), pv("v3", "3Gi"), pv("v4", "4Gi"), pv("v5", "5Gi"), pvc("c", "3Gi")}},
	{ID: "race", Name: "one reserved volume, many claims", Setup: []Op{pvc("a", "1Gi"), pvc("b", "1Gi"), pvc("c", "1Gi"), pvc("d", "1Gi")}, Steps: [][]Op{{pv("v", "1Gi", vPhase(corev1.VolumePending), vRef("c"))}}},
	{ID: "15-1", Name: "no class and no default", Setup: []Op{pvc("c", "1Gi", cNoClass)}},
	{ID: "15-4", Name: "no class, names a missing volume, wrongly Bound", Setup: []Op{pvc("c", "1Gi", cNoClass, cVolume("v"), cBoundStatus("1Gi"))}},
	{ID: "15-6", Name: "a class that does not provision", Setup: []Op{class("none", atOnce), pvc("c", "1Gi", cClass("none"))}},

	{ID: "case-20", Name: "a new claim with the old name inherits nothing", Setup: boundPair("v", "c"), Steps: [][]Op{{deleteClaim("c")}, {pvc("c", "1Gi")}}},
	{ID: "case-33b", Name: "named, reserved for another that does not exist", Setup: []Op{pv("v", "1Gi", vRef("d")), pvc("c", "1Gi", cVolume("v"))}},
	{ID: "case-33e", Name: "the claim first, the reserved volume later", Setup: []Op{pvc("c", "1Gi")}, Steps: [][]Op{{pv("v", "1Gi", vPhase(corev1.VolumePending), vRef("c"))}}},
	{ID: "case-34", Name: "named, wrong in size and class", Setup: []Op{pv("v", "1Gi", vClass("a")), pvc("c", "2Gi", cClass("b"), cVolume("v"))}},
	{ID: "case-35", Name: "reserved, of another class", Setup: []Op{pv("v", "1Gi", vRef("c")), pvc("c", "1Gi", cClass("foo"))}},
	{ID: "case-37a", Name: "a superset of modes serves", Setup: []Op{pv("v", "1Gi", vModes("RWO", "RWX")), pvc("c", "1Gi", cModes("RWO"))}},
	{ID: "case-37b", Name: "the exact set before a smaller superset", Setup: []Op{pv("wide", "1Gi", vModes("RWO", "RWX")), pv("exact", "5Gi", vModes("RWO")), pvc("c", "1Gi", cModes("RWO"))}},
	{ID: "case-37c", Name: "ReadWriteOncePod is met by itself only", Setup: []Op{pv("rwo", "1Gi", vModes("RWO")), pvc("c", "1Gi", cModes("RWOP"))}},
	{ID: "case-44", Name: "decimal and binary units", Setup: []Op{pv("v", "476Mi", vRef("c")), pvc("c", "500M")}},
	{ID: "case-45", Name: "attributes class of a reserved volume", Setup: []Op{pv("gold", "1Gi", vAttributes("gold")), pvc("c", "1Gi", cAttributes("gold"))}},
	{ID: "case-47", Name: "only the UID is cleared on a Released volume", Setup: boundPair("v", "c"), Steps: [][]Op{
		{deleteClaim("c")}, {pvc("c", "1Gi")},
		{patchVolume("v", map[string]any{"spec": map[string]any{"claimRef": map[string]any{"uid": nil, "resourceVersion": nil}}})},
	}},
	{ID: "case-24", Name: "the claimRef of a live pair is cleared", Setup: boundPair("v", "c"), Steps: [][]Op{
		{patchVolume("v", map[string]any{"spec": map[string]any{"claimRef": nil}})},
	}},

	{ID: "case-33a", Name: "a reservation in a wider group of modes", Improvement: 1,
		Setup:  []Op{pv("free", "1Gi", vModes("RWO")), pv("mine", "1Gi", vModes("RWO", "ROX"), vRef("c")), pvc("c", "1Gi", cModes("RWO"))},
		Theirs: boundTo("c", "free"), Want: boundTo("c", "mine")},
	{ID: "I1-uid", Name: "a reservation with the UID in a wider group of modes", Improvement: 1,
		Setup:  []Op{pvc("c", "1Gi", cModes("RWO")), pv("free", "1Gi", vModes("RWO")), pv("mine", "1Gi", vModes("RWO", "ROX"), vRefUID("c"))},
		Theirs: boundTo("c", "free"), Want: boundTo("c", "mine")},
	{ID: "I2", Name: "two alike: the name decides", Improvement: 2, Open: true,
		Setup: []Op{pv("b", "1Gi"), pv("a", "1Gi"), pvc("c", "1Gi")}, Want: boundTo("c", "a")},
	{ID: "I2-groups", Name: "two sets of as many modes: the smaller volume", Improvement: 2, Open: true,
		Setup: []Op{pv("a", "5Gi", vModes("RWO", "ROX")), pv("b", "1Gi", vModes("RWO", "RWX")), pvc("c", "1Gi", cModes("RWO"))}, Want: boundTo("c", "b")},
	{ID: "I5", Name: "no new volume for a claim that is being deleted", Improvement: 5,
		Setup: []Op{pvc("c", "1Gi", cFinalizer)}, Steps: [][]Op{{deleteClaim("c")}, {pv("v", "1Gi", vPhase(corev1.VolumePending))}},
		Theirs: boundTo("c", "v"), Want: boundTo("c", "")},
	{ID: "case-24-waiting", Name: "the claimRef of a live pair is cleared, another claim waits", Improvement: 10, Open: true,
		Setup: append(boundPair("v", "c"), pvc("d", "1Gi")),
		Steps: [][]Op{{patchVolume("v", map[string]any{"spec": map[string]any{"claimRef": nil}})}},
		Want:  all(boundTo("c", "v"), boundTo("d", ""))},
}

// boundTo expects the claim to name the volume, "" for none.
func boundTo(claim, volume string) func(State) error {
	return func(s State) error {
		c := s.Claim(claim)
		if c == nil {
			return fmt.Errorf("no claim %s", claim)
		}
		want := ""
		if volume != "" {
			want = c.Namespace + "-" + volume // all of a state is named by its prefix
		}
		if c.Spec.VolumeName != want {
			return fmt.Errorf("claim %s has volume %q, want %q", claim, c.Spec.VolumeName, want)
		}
		return nil
	}
}

// all expects each.
func all(wants ...func(State) error) func(State) error {
	return func(s State) error {
		var errs []error
		for _, want := range wants {
			errs = append(errs, want(s))
		}
		return errors.Join(errs...)
	}
}
