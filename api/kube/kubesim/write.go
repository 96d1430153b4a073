package kubesim

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// optimisticLock is the API server's text for a version that is not current.
const optimisticLock = "the object has been modified; please apply your changes to the latest version and try again"

// Create stores a new object and returns it as stored.
func (s *Server) Create(k *Kind, namespace string, obj runtime.Object, manager string) (runtime.Object, error) {
	obj = obj.DeepCopyObject()
	m := accessor(obj)
	f := s.fault("create", k, namespace, m.GetName(), "")
	if f.Before != nil {
		return nil, f.Before
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := place(k, namespace, m); err != nil {
		return nil, err
	}
	if m.GetName() == "" && m.GetGenerateName() != "" {
		m.SetName(fmt.Sprintf("%s%05x", m.GetGenerateName(), s.version+1))
	}
	if m.GetResourceVersion() != "" {
		return nil, apierrors.NewBadRequest("resourceVersion should not be set on objects to be created")
	}
	name := key(k, m.GetNamespace(), m.GetName())
	if k.Namespaced {
		if _, ok := s.objects[Namespaces][types.NamespacedName{Name: name.Namespace}]; !ok {
			return nil, apierrors.NewNotFound(Namespaces.GroupResource(), name.Namespace)
		}
	}
	m.SetUID(s.opts.NewUID())
	m.SetCreationTimestamp(s.now())
	m.SetDeletionTimestamp(nil)
	m.SetDeletionGracePeriodSeconds(nil)
	m.SetManagedFields(nil)
	setDefaults(obj)
	s.prepareCreate(obj)
	if errs := validate(k, obj); len(errs) > 0 {
		return nil, apierrors.NewInvalid(k.GroupVersionKind().GroupKind(), m.GetName(), errs)
	}
	if _, there := s.objects[k][name]; there {
		return nil, apierrors.NewAlreadyExists(k.GroupResource(), name.Name)
	}
	s.manage(m, nil, manager, "")
	s.commit(k, name, nil, obj)
	return obj.DeepCopyObject(), f.After
}

// place settles the namespace of an object that came to a namespaced or a
// cluster-wide path. A namespace on a cluster-wide object is dropped.
func place(k *Kind, namespace string, m metav1.Object) error {
	if !k.Namespaced {
		m.SetNamespace("")
		return nil
	}
	if m.GetNamespace() == "" {
		m.SetNamespace(namespace)
	}
	if m.GetNamespace() != namespace {
		return apierrors.NewBadRequest("the namespace of the provided object does not match the namespace sent on the request")
	}
	return nil
}

// prepareCreate is what the server fills in for new volumes and claims (5.5.1).
func (s *Server) prepareCreate(obj runtime.Object) {
	switch o := obj.(type) {
	case *corev1.PersistentVolume:
		now := s.now()
		o.Status = corev1.PersistentVolumeStatus{Phase: corev1.VolumePending, LastPhaseTransitionTime: &now}
		if s.opts.Protect {
			o.Finalizers = withFinalizer(o.Finalizers, "kubernetes.io/pv-protection")
		}
	case *corev1.PersistentVolumeClaim:
		o.Status = corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimPending}
		if s.opts.Protect {
			o.Finalizers = withFinalizer(o.Finalizers, "kubernetes.io/pvc-protection")
		}
	case *corev1.Namespace:
		o.Status = corev1.NamespaceStatus{Phase: corev1.NamespaceActive}
	case *corev1.Pod:
		o.Status = corev1.PodStatus{Phase: corev1.PodPending}
	}
}

func withFinalizer(list []string, name string) []string {
	if slices.Contains(list, name) {
		return list
	}
	return append(list, name)
}

// Update replaces an object, or with a subresource its status.
func (s *Server) Update(k *Kind, subresource string, obj runtime.Object, manager string) (runtime.Object, error) {
	m := accessor(obj)
	f := s.fault("update", k, m.GetNamespace(), m.GetName(), subresource)
	if f.Before != nil {
		return nil, f.Before
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	old, ok := s.objects[k][key(k, m.GetNamespace(), m.GetName())]
	if !ok {
		return nil, apierrors.NewNotFound(k.GroupResource(), m.GetName())
	}
	if uid := m.GetUID(); uid != "" && uid != accessor(old).GetUID() {
		return nil, apierrors.NewConflict(k.GroupResource(), m.GetName(),
			//lint:ignore ST1005 these are the API server's words
			fmt.Errorf("Precondition failed: UID in precondition: %s, UID in object meta: %s", uid, accessor(old).GetUID()))
	}
	stored, err := s.replace(k, subresource, old, obj.DeepCopyObject(), manager)
	if err != nil {
		return nil, err
	}
	return stored, f.After
}

// Patch applies a JSON merge patch to an object, or to its status.
func (s *Server) Patch(k *Kind, namespace, name, subresource string, patchType types.PatchType, patch []byte, manager string) (runtime.Object, error) {
	f := s.fault("patch", k, namespace, name, subresource)
	if f.Before != nil {
		return nil, f.Before
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	old, ok := s.objects[k][key(k, namespace, name)]
	if !ok {
		return nil, apierrors.NewNotFound(k.GroupResource(), name)
	}
	obj, err := patched(k, old, patchType, patch)
	if err != nil {
		return nil, err
	}
	stored, err := s.replace(k, subresource, old, obj, manager)
	if err != nil {
		return nil, err
	}
	return stored, f.After
}

// patched is the object with the patch applied.
func patched(k *Kind, old runtime.Object, patchType types.PatchType, patch []byte) (runtime.Object, error) {
	before, err := json.Marshal(old)
	if err != nil {
		return nil, err
	}
	var after []byte
	switch patchType {
	case types.MergePatchType, types.StrategicMergePatchType:
		// A strategic patch differs in lists that merge by key, which none of
		// the fields that binding writes has.
		after, err = jsonpatch.MergePatch(before, patch)
	case types.JSONPatchType:
		var p jsonpatch.Patch
		if p, err = jsonpatch.DecodePatch(patch); err == nil {
			after, err = p.Apply(before)
		}
	default:
		return nil, apierrors.NewGenericServerResponse(415, "patch", k.GroupResource(), accessor(old).GetName(),
			"the body of the request was in an unknown format: "+string(patchType), 0, true)
	}
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	obj := k.make()
	if err := json.Unmarshal(after, obj); err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	return obj, nil
}

// replace puts a changed object in the place of the old one. The caller holds
// mu and gives obj away.
func (s *Server) replace(k *Kind, subresource string, old, obj runtime.Object, manager string) (runtime.Object, error) {
	was, m := accessor(old), accessor(obj)
	if v := m.GetResourceVersion(); v != "" && v != was.GetResourceVersion() {
		return nil, apierrors.NewConflict(k.GroupResource(), was.GetName(), fmt.Errorf("%s", optimisticLock))
	}
	var errs field.ErrorList
	if m.GetUID() != "" && m.GetUID() != was.GetUID() {
		errs = append(errs, field.Invalid(field.NewPath("metadata", "uid"), m.GetUID(), "field is immutable"))
	}
	if m.GetName() != was.GetName() {
		errs = append(errs, field.Invalid(field.NewPath("metadata", "name"), m.GetName(), "field is immutable"))
	}
	keepSystemFields(m, was)
	s.mergeStatus(subresource, old, obj)
	setDefaults(obj)
	if was.GetDeletionTimestamp() != nil {
		for _, f := range m.GetFinalizers() {
			if !slices.Contains(was.GetFinalizers(), f) {
				errs = append(errs, field.Forbidden(field.NewPath("metadata", "finalizers"),
					"no new finalizers can be added if the object is being deleted, found new finalizers "+fmt.Sprintf("%q", f)))
			}
		}
	}
	errs = append(errs, validate(k, obj)...)
	errs = append(errs, validateUpdate(obj, old)...)
	if len(errs) > 0 {
		return nil, apierrors.NewInvalid(k.GroupVersionKind().GroupKind(), was.GetName(), errs)
	}
	name := key(k, was.GetNamespace(), was.GetName())
	if m.GetDeletionTimestamp() != nil && len(m.GetFinalizers()) == 0 {
		s.commit(k, name, old, nil)
		return obj, nil
	}
	m.SetResourceVersion(was.GetResourceVersion())
	if sameObject(old, obj) {
		return old.DeepCopyObject(), nil
	}
	s.manage(m, was.GetManagedFields(), manager, subresource)
	s.commit(k, name, old, obj)
	return obj.DeepCopyObject(), nil
}

// keepSystemFields keeps what only the server sets.
func keepSystemFields(m, was metav1.Object) {
	m.SetUID(was.GetUID())
	m.SetName(was.GetName())
	m.SetNamespace(was.GetNamespace())
	m.SetCreationTimestamp(was.GetCreationTimestamp())
	m.SetDeletionTimestamp(was.GetDeletionTimestamp())
	m.SetDeletionGracePeriodSeconds(was.GetDeletionGracePeriodSeconds())
	m.SetManagedFields(was.GetManagedFields())
	m.SetGenerateName(was.GetGenerateName())
}

// sameObject compares two objects as JSON would: nil and empty are the same.
func sameObject(a, b runtime.Object) bool {
	if reflect.DeepEqual(a, b) {
		return true
	}
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && string(x) == string(y)
}

// mergeStatus takes the status or everything but the status from the new
// object (5.5.2), and keeps the phase's time (5.5.3).
func (s *Server) mergeStatus(subresource string, old, obj runtime.Object) {
	status := subresource == "status"
	switch o := obj.(type) {
	case *corev1.PersistentVolume:
		was := old.(*corev1.PersistentVolume)
		if !status {
			o.Status = was.Status
			return
		}
		o.Spec = was.Spec
		if o.Status.Phase != was.Status.Phase &&
			(o.Status.LastPhaseTransitionTime == nil || o.Status.LastPhaseTransitionTime.Equal(was.Status.LastPhaseTransitionTime)) {
			now := s.now()
			o.Status.LastPhaseTransitionTime = &now
		}
	case *corev1.PersistentVolumeClaim:
		was := old.(*corev1.PersistentVolumeClaim)
		if status {
			o.Spec = was.Spec
		} else {
			o.Status = was.Status
		}
	case *corev1.Pod:
		was := old.(*corev1.Pod)
		if status {
			o.Spec = was.Spec
		} else {
			o.Status = was.Status
		}
	case *corev1.Node:
		was := old.(*corev1.Node)
		if status {
			o.Spec = was.Spec
		} else {
			o.Status = was.Status
		}
	case *corev1.Namespace:
		was := old.(*corev1.Namespace)
		if status {
			o.Spec = was.Spec
		} else {
			o.Status = was.Status
		}
	}
}

// manage records who wrote, one entry per manager and subresource.
func (s *Server) manage(m metav1.Object, before []metav1.ManagedFieldsEntry, manager, subresource string) {
	if manager == "" {
		manager = "unknown"
	}
	now := s.now()
	entry := metav1.ManagedFieldsEntry{
		Manager: strings.SplitN(manager, "/", 2)[0], Operation: metav1.ManagedFieldsOperationUpdate,
		Subresource: subresource, Time: &now, FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1("{}"),
	}
	var list []metav1.ManagedFieldsEntry
	for _, e := range before {
		if e.Manager != entry.Manager || e.Subresource != subresource {
			list = append(list, e)
		}
	}
	m.SetManagedFields(append(list, entry))
}

// Delete removes an object, or marks it for its finalizers.
func (s *Server) Delete(k *Kind, namespace, name string, pre *metav1.Preconditions) (runtime.Object, error) {
	f := s.fault("delete", k, namespace, name, "")
	if f.Before != nil {
		return nil, f.Before
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	at := key(k, namespace, name)
	old, ok := s.objects[k][at]
	if !ok {
		return nil, apierrors.NewNotFound(k.GroupResource(), name)
	}
	was := accessor(old)
	if pre != nil && pre.UID != nil && *pre.UID != was.GetUID() {
		return nil, apierrors.NewConflict(k.GroupResource(), name,
			//lint:ignore ST1005 these are the API server's words
			fmt.Errorf("Precondition failed: UID in precondition: %s, UID in object meta: %s", *pre.UID, was.GetUID()))
	}
	if pre != nil && pre.ResourceVersion != nil && *pre.ResourceVersion != was.GetResourceVersion() {
		return nil, apierrors.NewConflict(k.GroupResource(), name,
			//lint:ignore ST1005 these are the API server's words
			fmt.Errorf("Precondition failed: ResourceVersion in precondition: %s, ResourceVersion in object meta: %s", *pre.ResourceVersion, was.GetResourceVersion()))
	}
	if len(was.GetFinalizers()) == 0 {
		s.commit(k, at, old, nil)
		return old.DeepCopyObject(), f.After
	}
	if was.GetDeletionTimestamp() != nil {
		return old.DeepCopyObject(), f.After
	}
	marked := old.DeepCopyObject()
	now := s.now()
	var none int64
	accessor(marked).SetDeletionTimestamp(&now)
	accessor(marked).SetDeletionGracePeriodSeconds(&none)
	s.commit(k, at, old, marked)
	return marked.DeepCopyObject(), f.After
}

// now is the time to the second, as metadata holds it.
func (s *Server) now() metav1.Time { return metav1.NewTime(s.opts.Now()).Rfc3339Copy() }

// asJSON is a value's JSON text, in which quantities are canonical.
func asJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // API types always encode
	}
	return string(b)
}
