package binder_test

import (
	"strings"

	"bindery/projector/fact"

	"github.com/cockroachdb/datadriven"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// The lines of scenarios as API objects.

var modeNames = [][2]string{
	{"RWO", "ReadWriteOnce"}, {"ROX", "ReadOnlyMany"}, {"RWX", "ReadWriteMany"}, {"RWOP", "ReadWriteOncePod"},
}

// modesOf reads RWO,ROX; "" is none, and what is no short name stands for
// itself.
func modesOf(s string) []corev1.PersistentVolumeAccessMode {
	var out []corev1.PersistentVolumeAccessMode
next:
	for word := range strings.SplitSeq(s, ",") {
		for _, m := range modeNames {
			if word == m[0] {
				out = append(out, corev1.PersistentVolumeAccessMode(m[1]))
				continue next
			}
		}
		if word != "" {
			out = append(out, corev1.PersistentVolumeAccessMode(word))
		}
	}
	return out
}

// short is the opposite of modesOf.
func short(modes []string) string {
	out := make([]string, len(modes))
	for i, mode := range modes {
		out[i] = mode
		for _, m := range modeNames {
			if mode == m[1] {
				out[i] = m[0]
			}
		}
	}
	return strings.Join(out, ",")
}

// sizeOf is a storage quantity list; "none" is an empty one.
func sizeOf(t reporter, s string) corev1.ResourceList {
	t.Helper()
	if s == "none" {
		return nil
	}
	q, err := resource.ParseQuantity(s)
	if err != nil {
		t.Fatalf("size %q: %v", s, err)
	}
	return corev1.ResourceList{corev1.ResourceStorage: q}
}

// refOf reads NAMESPACE/NAME[#UID].
func refOf(s string) *corev1.ObjectReference {
	at, uid, _ := strings.Cut(s, "#")
	namespace, name := split(at)
	return &corev1.ObjectReference{
		Kind: "PersistentVolumeClaim", APIVersion: "v1", Namespace: namespace, Name: name, UID: types.UID(uid),
	}
}

// noteOf sets what each object can carry; false when the word is another.
func noteOf(m *metav1.ObjectMeta, key, value string) bool {
	if label, ok := strings.CutPrefix(key, "label."); ok {
		m.Labels[label] = value
		return true
	}
	if annotation, ok := strings.CutPrefix(key, "ann."); ok {
		m.Annotations[annotation] = value
		return true
	}
	switch key {
	case "deleting":
		gone := metav1.NewTime(epochStart)
		m.DeletionTimestamp, m.Finalizers = &gone, []string{"kubernetes.io/protection"}
	case "uid":
		m.UID = types.UID(value)
	case "bound-by-controller":
		m.Annotations[fact.AnnBoundByController] = "yes"
	case "completed":
		m.Annotations[fact.AnnBindCompleted] = "yes"
	case "selected-node":
		m.Annotations[fact.AnnSelectedNode] = value
	case "beta-class":
		m.Annotations[fact.AnnBetaClass] = value
	default:
		return false
	}
	return true
}

func valueOf(a datadriven.CmdArg) string { return strings.Join(a.Vals, ",") }

func volumeOf(t reporter, args []datadriven.CmdArg) *corev1.PersistentVolume {
	t.Helper()
	pv := &corev1.PersistentVolume{ObjectMeta: meta("", args[0].Key, "volume")}
	pv.Spec.Capacity = sizeOf(t, "1Gi")
	pv.Spec.AccessModes = modesOf("RWO,ROX")
	pv.Spec.PersistentVolumeReclaimPolicy = corev1.PersistentVolumeReclaimRetain
	pv.Status.Phase = corev1.VolumeAvailable
	for _, a := range args[1:] {
		value := valueOf(a)
		switch a.Key {
		case "size":
			pv.Spec.Capacity = sizeOf(t, value)
		case "modes":
			pv.Spec.AccessModes = modesOf(value)
		case "class":
			pv.Spec.StorageClassName = value
		case "phase":
			pv.Status.Phase = corev1.PersistentVolumePhase(value)
		case "ref":
			pv.Spec.ClaimRef = refOf(value)
		case "mode":
			mode := corev1.PersistentVolumeMode(value)
			pv.Spec.VolumeMode = &mode
		case "vac":
			pv.Spec.VolumeAttributesClassName = &value
		case "policy":
			pv.Spec.PersistentVolumeReclaimPolicy = corev1.PersistentVolumeReclaimPolicy(value)
		case "provisioned-by":
			pv.Annotations[fact.AnnProvisionedBy] = value
		default:
			if !noteOf(&pv.ObjectMeta, a.Key, value) {
				t.Fatalf("volume: unknown argument %s", a.Key)
			}
		}
	}
	return pv
}

func claimOf(t reporter, args []datadriven.CmdArg) *corev1.PersistentVolumeClaim {
	t.Helper()
	namespace, name := split(args[0].Key)
	pvc := &corev1.PersistentVolumeClaim{ObjectMeta: meta(namespace, name, "u")}
	pvc.Spec.Resources.Requests = sizeOf(t, "1Gi")
	pvc.Spec.AccessModes = modesOf("RWO,ROX")
	pvc.Status.Phase = corev1.ClaimPending
	for _, a := range args[1:] {
		value := valueOf(a)
		switch a.Key {
		case "size":
			pvc.Spec.Resources.Requests = sizeOf(t, value)
		case "modes":
			pvc.Spec.AccessModes = modesOf(value)
		case "class":
			pvc.Spec.StorageClassName = &value
		case "volume":
			pvc.Spec.VolumeName = value
		case "phase":
			pvc.Status.Phase = corev1.PersistentVolumeClaimPhase(value)
		case "selector":
			pvc.Spec.Selector = selectorOf(value)
		case "mode":
			mode := corev1.PersistentVolumeMode(value)
			pvc.Spec.VolumeMode = &mode
		case "vac":
			pvc.Spec.VolumeAttributesClassName = &value
		case "provisioner":
			pvc.Annotations[fact.AnnProvisioner] = value
		case "capacity":
			pvc.Status.Capacity = sizeOf(t, value)
		case "status-modes":
			pvc.Status.AccessModes = modesOf(value)
		case "current-vac":
			pvc.Status.CurrentVolumeAttributesClassName = &value
		default:
			if !noteOf(&pvc.ObjectMeta, a.Key, value) {
				t.Fatalf("claim: unknown argument %s", a.Key)
			}
		}
	}
	return pvc
}

// selectorOf reads k=v,k=v; "" is the empty selector, "bad" one that cannot
// be read.
func selectorOf(s string) *metav1.LabelSelector {
	selector := &metav1.LabelSelector{MatchLabels: map[string]string{}}
	if s == "bad" {
		selector.MatchExpressions = []metav1.LabelSelectorRequirement{{Key: "k", Operator: "Near"}}
		return selector
	}
	for pair := range strings.SplitSeq(s, ",") {
		if key, value, ok := strings.Cut(pair, "="); ok {
			selector.MatchLabels[key] = value
		}
	}
	return selector
}

func classOf(t reporter, args []datadriven.CmdArg) *storagev1.StorageClass {
	t.Helper()
	sc := &storagev1.StorageClass{ObjectMeta: meta("", args[0].Key, "class"), Provisioner: "example.com/disk"}
	mode := storagev1.VolumeBindingImmediate
	sc.VolumeBindingMode = &mode
	for _, a := range args[1:] {
		value := valueOf(a)
		switch a.Key {
		case "mode":
			mode := storagev1.VolumeBindingMode(value)
			if sc.VolumeBindingMode = &mode; value == "none" {
				sc.VolumeBindingMode = nil
			}
		case "provisioner":
			sc.Provisioner = value
		case "default":
			sc.Annotations[fact.AnnDefaultClass] = "true"
		default:
			t.Fatalf("class: unknown argument %s", a.Key)
		}
	}
	return sc
}

func podOf(t reporter, args []datadriven.CmdArg) *corev1.Pod {
	t.Helper()
	namespace, name := split(args[0].Key)
	pod := &corev1.Pod{ObjectMeta: meta(namespace, name, "pod")}
	for _, a := range args[1:] {
		switch a.Key {
		case "claims":
			for claim := range strings.SplitSeq(valueOf(a), ",") {
				v := corev1.Volume{Name: claim}
				v.PersistentVolumeClaim = &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim}
				pod.Spec.Volumes = append(pod.Spec.Volumes, v)
			}
		case "node":
			pod.Spec.NodeName = valueOf(a)
		case "phase":
			pod.Status.Phase = corev1.PodPhase(valueOf(a))
		default:
			t.Fatalf("pod: unknown argument %s", a.Key)
		}
	}
	return pod
}
