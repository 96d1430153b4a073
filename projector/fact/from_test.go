package fact

import (
	"testing"

	"bindery/eventlog"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestFromVolume(t *testing.T) {
	block := corev1.PersistentVolumeBlock
	pv := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{
		Name: "v", UID: "u", ResourceVersion: "12", Labels: map[string]string{"a": "b"},
		Annotations: map[string]string{AnnBetaClass: "", AnnProvisionedBy: "p", "other": "x"},
	}}
	pv.Spec.StorageClassName = "spec"
	pv.Spec.VolumeMode = &block
	pv.Spec.AccessModes = []corev1.PersistentVolumeAccessMode{"ReadWriteOnce"}
	pv.Spec.Capacity = corev1.ResourceList{"storage": resource.MustParse("1024Mi")}
	pv.Spec.CSI = &corev1.CSIPersistentVolumeSource{Driver: "d", VolumeHandle: "h"}
	pv.Spec.ClaimRef = &corev1.ObjectReference{Namespace: "ns", Name: "c", UID: "cu"}
	want := Volume{
		ResourceVersion: 12, UID: "u", Labels: map[string]string{"a": "b"}, VolumeMode: "Block", AccessModes: []string{"ReadWriteOnce"},
		Annotations: map[string]string{AnnBetaClass: "", AnnProvisionedBy: "p"}, Capacity: map[string]string{"storage": "1Gi"},
		Source: "csi", Driver: "d", Handle: "h", ClaimRef: &ClaimRef{Namespace: "ns", Name: "c", UID: "cu"},
	}
	if diff := cmp.Diff(want, FromVolume(pv)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Class resolution (upstream-behaviour.md 4.4).
func TestClassOfClaim(t *testing.T) {
	empty, gold := "", "gold"
	tests := []struct {
		name       string
		annotation *string
		spec       *string
		class      string
		has        bool
	}{
		{"annotation before spec", &gold, &empty, "gold", true},
		{"an empty annotation counts", &empty, &gold, "", true},
		{"neither", nil, nil, "", false},
		{"empty spec", nil, &empty, "", true},
		{"spec", nil, &gold, "gold", true},
	}
	for _, test := range tests {
		pvc := &corev1.PersistentVolumeClaim{}
		pvc.Spec.StorageClassName = test.spec
		if test.annotation != nil {
			pvc.Annotations = map[string]string{AnnBetaClass: *test.annotation}
		}
		if c := FromClaim(pvc); c.Class != test.class || c.HasClass != test.has {
			t.Errorf("%s: class %q, has %v", test.name, c.Class, c.HasClass)
		}
	}
}

func TestFromPod(t *testing.T) {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p"}}
	pod.Spec.Volumes = []corev1.Volume{
		{Name: "z", VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "c"}}},
		{Name: "e", VolumeSource: corev1.VolumeSource{Ephemeral: &corev1.EphemeralVolumeSource{}}},
		{Name: "t", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
	}
	if diff := cmp.Diff(Pod{Claims: []string{"c", "p-e"}}, FromPod(pod)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	now := metav1.Now()
	pod.DeletionTimestamp = &now
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}}
	if FromPod(pod).Terminated {
		t.Error("a pod with a running container counts as over")
	}
	pod.Status.ContainerStatuses[0].State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{}}
	if !FromPod(pod).Terminated {
		t.Error("a deleted pod whose containers ended does not count as over")
	}
}

func TestUID(t *testing.T) {
	const plain = "0f0e0d0c-0b0a-4908-8706-050403020100"
	if got := FormatUID(ParseUID(plain)); got != plain {
		t.Errorf("%s comes back as %s", plain, got)
	}
	if ParseUID("") != (eventlog.UID{}) || FormatUID(eventlog.UID{}) != "" {
		t.Error("no UID is not none")
	}
	seen := map[eventlog.UID]string{}
	for _, s := range []string{plain, "0F0E0D0C-0B0A-4908-8706-050403020100", "uid1", "uid2", plain + "x", "0f0e0d0c-0b0a-8908-8706-050403020100"} {
		uid := ParseUID(s)
		if other, twice := seen[uid]; twice {
			t.Errorf("%q and %q are the same UID", s, other)
		}
		seen[uid] = s
	}
}

// What is trimmed is not in the object's bytes, and the original is untouched.
func TestTrim(t *testing.T) {
	pv := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{
		Name: "v", UID: "0f0e0d0c-0b0a-4908-8706-050403020100", ResourceVersion: "3",
		Annotations:   map[string]string{lastApplied: "{}", "kept": "yes"},
		ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "kubectl", Operation: "Apply"}, {Manager: "kubectl", Operation: "Apply"}},
	}}
	d, err := ObservedDraft(pv, SourceList, VerbListed)
	if err != nil {
		t.Fatal(err)
	}
	var back corev1.PersistentVolume
	if err := back.Unmarshal(d.Object); err != nil {
		t.Fatal(err)
	}
	if back.ManagedFields != nil || back.Annotations[lastApplied] != "" || back.Annotations["kept"] != "yes" {
		t.Errorf("kept %v %v", back.ManagedFields, back.Annotations)
	}
	if len(pv.ManagedFields) != 2 || len(pv.Annotations) != 2 {
		t.Error("the original was changed")
	}
	seen, err := ParseObservation(d.Fact)
	if err != nil || len(seen.Managers) != 1 || seen.ResourceVersion != 3 {
		t.Errorf("observation %+v (%v)", seen, err)
	}
	if _, err := ObservedDraft(&corev1.Secret{}, SourceList, VerbListed); err == nil {
		t.Error("a fact was cut from a Secret")
	}
}

// Absurd objects are cut without complaint: no capacity, gigantic and negative
// quantities, unknown modes.
func TestAbsurdObjects(t *testing.T) {
	for _, size := range []string{"-1Gi", "950E", "0", "1e100", "999999999999999999999999"} {
		pv := &corev1.PersistentVolume{}
		pv.Spec.Capacity = corev1.ResourceList{"storage": resource.MustParse(size)}
		pv.Spec.AccessModes = []corev1.PersistentVolumeAccessMode{"Strange"}
		want := pv.Spec.Capacity["storage"]
		got := Quantity(FromVolume(pv).Capacity["storage"])
		if got.Cmp(want) != 0 {
			t.Errorf("%s became %s", size, got.String())
		}
	}
	if q := Quantity("no quantity"); !q.IsZero() {
		t.Errorf("no quantity is %s", q.String())
	}
	FromVolume(&corev1.PersistentVolume{})
	FromClaim(&corev1.PersistentVolumeClaim{})
}
