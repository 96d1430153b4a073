package differential

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
)

const (
	bindCompleted     = "pv.kubernetes.io/bind-completed"
	boundByController = "pv.kubernetes.io/bound-by-controller"
	selectedNode      = "volume.kubernetes.io/selected-node"
	preResize         = "volume.alpha.kubernetes.io/pre-resize-capacity"
	foreignUID        = types.UID("99999999-9999-4999-8999-999999999999")
)

// volumeEdit and claimEdit change an object under construction.
type (
	volumeEdit func(w *world, v *corev1.PersistentVolume)
	claimEdit  func(w *world, c *corev1.PersistentVolumeClaim)
)

func accessModes(short ...string) []corev1.PersistentVolumeAccessMode {
	long := map[string]corev1.PersistentVolumeAccessMode{
		"RWO": corev1.ReadWriteOnce, "ROX": corev1.ReadOnlyMany, "RWX": corev1.ReadWriteMany, "RWOP": corev1.ReadWriteOncePod,
	}
	var out []corev1.PersistentVolumeAccessMode
	for _, s := range short {
		out = append(out, long[s])
	}
	return out
}

// pv creates a volume: RWO+ROX, NFS, Retain, in the scenario's world, phase
// Available unless an edit says otherwise.
func pv(name, size string, edits ...volumeEdit) Op {
	return func(w *world) error {
		v := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{
			Name: w.prefix + "-" + name, Labels: map[string]string{"world": w.prefix},
		}}
		v.Spec.Capacity = corev1.ResourceList{corev1.ResourceStorage: resource.MustParse(size)}
		v.Spec.AccessModes = accessModes("RWO", "ROX")
		v.Spec.NFS = &corev1.NFSVolumeSource{Server: "nfs", Path: "/" + name}
		v.Status.Phase = corev1.VolumeAvailable
		for _, edit := range edits {
			edit(w, v)
		}
		status := v.Status
		made, err := w.client.CoreV1().PersistentVolumes().Create(w.ctx, v, metav1.CreateOptions{})
		if err != nil {
			return err
		}
		w.note("pv/"+name, made.UID)
		if status.Phase != "" && status.Phase != corev1.VolumePending {
			made.Status.Phase = status.Phase
			_, err = w.client.CoreV1().PersistentVolumes().UpdateStatus(w.ctx, made, metav1.UpdateOptions{})
		}
		return err
	}
}

// pvc creates a claim: RWO+ROX, class "", selecting the scenario's world.
func pvc(name, size string, edits ...claimEdit) Op {
	return func(w *world) error {
		c := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: w.prefix}}
		c.Spec.Resources.Requests = corev1.ResourceList{corev1.ResourceStorage: resource.MustParse(size)}
		c.Spec.AccessModes = accessModes("RWO", "ROX")
		c.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"world": w.prefix}}
		none := ""
		c.Spec.StorageClassName = &none
		for _, edit := range edits {
			edit(w, c)
		}
		status := c.Status
		claims := w.client.CoreV1().PersistentVolumeClaims(w.prefix)
		made, err := claims.Create(w.ctx, c, metav1.CreateOptions{})
		if err != nil {
			return err
		}
		w.note("pvc/"+name, made.UID)
		if status.Phase != "" {
			made.Status = status
			_, err = claims.UpdateStatus(w.ctx, made, metav1.UpdateOptions{})
		}
		return err
	}
}

// Edits of volumes.

func vPhase(p corev1.PersistentVolumePhase) volumeEdit {
	return func(_ *world, v *corev1.PersistentVolume) { v.Status.Phase = p }
}

func vModes(short ...string) volumeEdit {
	return func(_ *world, v *corev1.PersistentVolume) { v.Spec.AccessModes = accessModes(short...) }
}

func vClass(name string) volumeEdit {
	return func(w *world, v *corev1.PersistentVolume) { v.Spec.StorageClassName = w.prefix + "-" + name }
}

func vLabel(key, value string) volumeEdit {
	return func(_ *world, v *corev1.PersistentVolume) { v.Labels[key] = value }
}

func vBlock(_ *world, v *corev1.PersistentVolume) {
	block := corev1.PersistentVolumeBlock
	v.Spec.VolumeMode = &block
}

func vFilesystem(_ *world, v *corev1.PersistentVolume) {
	filesystem := corev1.PersistentVolumeFilesystem
	v.Spec.VolumeMode = &filesystem
}

func vAttributes(name string) volumeEdit {
	return func(_ *world, v *corev1.PersistentVolume) {
		v.Spec.NFS = nil
		v.Spec.CSI = &corev1.CSIPersistentVolumeSource{Driver: "csi.example.com", VolumeHandle: v.Name}
		v.Spec.VolumeAttributesClassName = &name
	}
}

func vAnnotation(key, value string) volumeEdit {
	return func(_ *world, v *corev1.PersistentVolume) {
		if v.Annotations == nil {
			v.Annotations = map[string]string{}
		}
		v.Annotations[key] = value
	}
}

// vClassAnnotation names the class as volumes did before there was a field.
func vClassAnnotation(name string) volumeEdit {
	return func(w *world, v *corev1.PersistentVolume) {
		vAnnotation(corev1.BetaStorageClassAnnotation, w.prefix+"-"+name)(w, v)
	}
}

func vFinalizer(_ *world, v *corev1.PersistentVolume) {
	v.Finalizers = append(v.Finalizers, "bindery.test/hold")
}

// vRef reserves by name only.
func vRef(claim string) volumeEdit {
	return func(w *world, v *corev1.PersistentVolume) {
		v.Spec.ClaimRef = &corev1.ObjectReference{Kind: "PersistentVolumeClaim", APIVersion: "v1", Namespace: w.prefix, Name: claim}
	}
}

// vRefUID reserves with the UID of a claim that has been made.
func vRefUID(claim string) volumeEdit {
	return func(w *world, v *corev1.PersistentVolume) {
		vRef(claim)(w, v)
		v.Spec.ClaimRef.UID = w.uids["pvc/"+claim]
	}
}

// vRefForeign reserves for an earlier claim of the name.
func vRefForeign(claim string) volumeEdit {
	return func(w *world, v *corev1.PersistentVolume) {
		vRef(claim)(w, v)
		v.Spec.ClaimRef.UID = foreignUID
	}
}

// Edits of claims.

func cModes(short ...string) claimEdit {
	return func(_ *world, c *corev1.PersistentVolumeClaim) { c.Spec.AccessModes = accessModes(short...) }
}

func cClass(name string) claimEdit {
	return func(w *world, c *corev1.PersistentVolumeClaim) {
		class := w.prefix + "-" + name
		c.Spec.StorageClassName = &class
	}
}

func cNoClass(_ *world, c *corev1.PersistentVolumeClaim) { c.Spec.StorageClassName = nil }

func cVolume(name string) claimEdit {
	return func(w *world, c *corev1.PersistentVolumeClaim) { c.Spec.VolumeName = w.prefix + "-" + name }
}

func cBlock(_ *world, c *corev1.PersistentVolumeClaim) {
	block := corev1.PersistentVolumeBlock
	c.Spec.VolumeMode = &block
}

func cAttributes(name string) claimEdit {
	return func(_ *world, c *corev1.PersistentVolumeClaim) { c.Spec.VolumeAttributesClassName = &name }
}

func cLabel(key, value string) claimEdit {
	return func(_ *world, c *corev1.PersistentVolumeClaim) { c.Spec.Selector.MatchLabels[key] = value }
}

func cAnnotation(key, value string) claimEdit {
	return func(_ *world, c *corev1.PersistentVolumeClaim) {
		if c.Annotations == nil {
			c.Annotations = map[string]string{}
		}
		c.Annotations[key] = value
	}
}

// cBoundStatus gives the claim the status of a bound one.
func cBoundStatus(size string) claimEdit {
	return func(_ *world, c *corev1.PersistentVolumeClaim) {
		c.Status.Phase = corev1.ClaimBound
		c.Status.AccessModes = c.Spec.AccessModes
		c.Status.Capacity = corev1.ResourceList{corev1.ResourceStorage: resource.MustParse(size)}
	}
}

// cAnyLabel lets the claim take volumes of any label: the class keeps it in its
// world.
func cAnyLabel(_ *world, c *corev1.PersistentVolumeClaim) { c.Spec.Selector = nil }

func cExpression(key string, op metav1.LabelSelectorOperator, values ...string) claimEdit {
	return func(_ *world, c *corev1.PersistentVolumeClaim) {
		c.Spec.Selector.MatchExpressions = append(c.Spec.Selector.MatchExpressions,
			metav1.LabelSelectorRequirement{Key: key, Operator: op, Values: values})
	}
}

// cClassAnnotation names the class as claims did before there was a field.
func cClassAnnotation(name string) claimEdit {
	return func(w *world, c *corev1.PersistentVolumeClaim) {
		cNoClass(w, c)
		cAnnotation(corev1.BetaStorageClassAnnotation, w.prefix+"-"+name)(w, c)
	}
}

func cFinalizer(_ *world, c *corev1.PersistentVolumeClaim) {
	c.Finalizers = append(c.Finalizers, "bindery.test/hold")
}

// Other changes.

// awaitBound waits until the claim is Bound.
func awaitBound(name string) Op {
	return func(w *world) error {
		return wait.PollUntilContextTimeout(w.ctx, 50*time.Millisecond, restMost, true, func(ctx context.Context) (bool, error) {
			c, err := w.client.CoreV1().PersistentVolumeClaims(w.prefix).Get(ctx, name, metav1.GetOptions{})
			return err == nil && c.Status.Phase == corev1.ClaimBound, err
		})
	}
}

// class makes a StorageClass that provisions nothing.
func class(name string, mode storagev1.VolumeBindingMode) Op {
	return func(w *world) error {
		_, err := w.client.StorageV1().StorageClasses().Create(w.ctx, &storagev1.StorageClass{
			ObjectMeta: metav1.ObjectMeta{Name: w.prefix + "-" + name}, Provisioner: "kubernetes.io/no-provisioner", VolumeBindingMode: &mode,
		}, metav1.CreateOptions{})
		return err
	}
}

func deleteClaim(name string) Op {
	return func(w *world) error {
		return w.client.CoreV1().PersistentVolumeClaims(w.prefix).Delete(w.ctx, name, metav1.DeleteOptions{})
	}
}

func deleteVolume(name string) Op {
	return func(w *world) error {
		return w.client.CoreV1().PersistentVolumes().Delete(w.ctx, w.prefix+"-"+name, metav1.DeleteOptions{})
	}
}

// patchVolume applies a JSON merge patch to a volume.
func patchVolume(name string, patch map[string]any) Op {
	return func(w *world) error {
		raw, err := json.Marshal(patch)
		if err != nil {
			return err
		}
		_, err = w.client.CoreV1().PersistentVolumes().Patch(w.ctx, w.prefix+"-"+name, types.MergePatchType, raw, metav1.PatchOptions{})
		return err
	}
}

// prepare makes the scenario's namespace.
func (w *world) prepare(ctx context.Context) error {
	_, err := w.client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.prefix}}, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("namespace %s: %w", w.prefix, err)
	}
	return nil
}
