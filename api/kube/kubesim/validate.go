package kubesim

import (
	"reflect"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// setDefaults fills in what the API server defaults (5.5.8).
func setDefaults(obj runtime.Object) {
	filesystem := corev1.PersistentVolumeFilesystem
	switch o := obj.(type) {
	case *corev1.PersistentVolume:
		if o.Spec.PersistentVolumeReclaimPolicy == "" {
			o.Spec.PersistentVolumeReclaimPolicy = corev1.PersistentVolumeReclaimRetain
		}
		if o.Spec.VolumeMode == nil {
			o.Spec.VolumeMode = &filesystem
		}
		if o.Status.Phase == "" {
			o.Status.Phase = corev1.VolumePending
		}
		if o.Spec.HostPath != nil && o.Spec.HostPath.Type == nil {
			unset := corev1.HostPathUnset
			o.Spec.HostPath.Type = &unset
		}
	case *corev1.PersistentVolumeClaim:
		if o.Spec.VolumeMode == nil {
			o.Spec.VolumeMode = &filesystem
		}
		if o.Status.Phase == "" {
			o.Status.Phase = corev1.ClaimPending
		}
	case *storagev1.StorageClass:
		if o.ReclaimPolicy == nil {
			policy := corev1.PersistentVolumeReclaimDelete
			o.ReclaimPolicy = &policy
		}
		if o.VolumeBindingMode == nil {
			mode := storagev1.VolumeBindingImmediate
			o.VolumeBindingMode = &mode
		}
	case *corev1.Pod:
		if o.Spec.RestartPolicy == "" {
			o.Spec.RestartPolicy = corev1.RestartPolicyAlways
		}
	}
}

// validate finds the commonest mistakes in an object.
func validate(k *Kind, obj runtime.Object) field.ErrorList {
	var errs field.ErrorList
	m := accessor(obj)
	if m.GetName() == "" {
		errs = append(errs, field.Required(field.NewPath("metadata", "name"), "name or generateName is required"))
	} else if bad := validation.IsDNS1123Subdomain(m.GetName()); len(bad) > 0 && k != CoreEvents && k != Events {
		errs = append(errs, field.Invalid(field.NewPath("metadata", "name"), m.GetName(), strings.Join(bad, ",")))
	}
	spec := field.NewPath("spec")
	switch o := obj.(type) {
	case *corev1.PersistentVolume:
		if len(o.Spec.AccessModes) == 0 {
			errs = append(errs, field.Required(spec.Child("accessModes"), ""))
		}
		errs = append(errs, validModes(spec, o.Spec.AccessModes)...)
		if len(o.Spec.Capacity) == 0 {
			errs = append(errs, field.Required(spec.Child("capacity"), ""))
		}
		if reflect.ValueOf(o.Spec.PersistentVolumeSource).IsZero() {
			errs = append(errs, field.Required(spec, "must specify a volume type"))
		}
	case *corev1.PersistentVolumeClaim:
		if len(o.Spec.AccessModes) == 0 {
			errs = append(errs, field.Required(spec.Child("accessModes"), "at least 1 access mode is required"))
		}
		errs = append(errs, validModes(spec, o.Spec.AccessModes)...)
		if size, ok := o.Spec.Resources.Requests[corev1.ResourceStorage]; !ok {
			errs = append(errs, field.Required(spec.Child("resources").Key("storage"), ""))
		} else if size.Sign() <= 0 {
			errs = append(errs, field.Invalid(spec.Child("resources").Key("storage"), size.String(), "must be greater than zero"))
		}
	case *storagev1.StorageClass:
		if o.Provisioner == "" {
			errs = append(errs, field.Required(field.NewPath("provisioner"), o.Provisioner))
		}
	}
	return errs
}

// validModes: only known modes, and ReadWriteOncePod alone.
func validModes(spec *field.Path, modes []corev1.PersistentVolumeAccessMode) field.ErrorList {
	var errs field.ErrorList
	alone, others := false, false
	for _, mode := range modes {
		switch mode {
		case corev1.ReadWriteOncePod:
			alone = true
		case corev1.ReadWriteOnce, corev1.ReadOnlyMany, corev1.ReadWriteMany:
			others = true
		default:
			errs = append(errs, field.NotSupported(spec.Child("accessModes"), mode, []corev1.PersistentVolumeAccessMode{
				corev1.ReadOnlyMany, corev1.ReadWriteMany, corev1.ReadWriteOnce, corev1.ReadWriteOncePod,
			}))
		}
	}
	if alone && others {
		errs = append(errs, field.Forbidden(spec.Child("accessModes"), "may not use ReadWriteOncePod with other access modes"))
	}
	return errs
}

// validateUpdate refuses changes of what is immutable (5.5.4, 5.5.5).
func validateUpdate(obj, old runtime.Object) field.ErrorList {
	var errs field.ErrorList
	spec := field.NewPath("spec")
	switch o := obj.(type) {
	case *corev1.PersistentVolume:
		was := old.(*corev1.PersistentVolume)
		if !sameValue(o.Spec.PersistentVolumeSource, was.Spec.PersistentVolumeSource) {
			errs = append(errs, field.Forbidden(spec.Child("persistentvolumesource"), "spec.persistentvolumesource is immutable after creation"))
		}
		if !sameValue(o.Spec.VolumeMode, was.Spec.VolumeMode) {
			errs = append(errs, field.Invalid(spec.Child("volumeMode"), o.Spec.VolumeMode, "field is immutable"))
		}
	case *corev1.PersistentVolumeClaim:
		was := old.(*corev1.PersistentVolumeClaim)
		a, b := o.Spec.DeepCopy(), was.Spec.DeepCopy()
		if was.Spec.VolumeName == "" {
			a.VolumeName = ""
		}
		if was.Spec.StorageClassName == nil && was.Annotations[corev1.BetaStorageClassAnnotation] == "" {
			a.StorageClassName = nil
		}
		if was.Status.Phase == corev1.ClaimBound {
			a.Resources.Requests, b.Resources.Requests = nil, nil
			a.VolumeAttributesClassName, b.VolumeAttributesClassName = nil, nil
		}
		if !sameValue(a, b) {
			errs = append(errs, field.Forbidden(spec, "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims"))
		}
	}
	return errs
}

func sameValue(a, b any) bool { return asJSON(a) == asJSON(b) }
