package fact

import (
	"fmt"
	"slices"

	"bindery/eventlog"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// ObservedDraft makes the record of an object as a source showed it: its
// subject, the observation with the fact, and the trimmed object. A source
// that saw the object go takes DeletedDraft.
func ObservedDraft(obj runtime.Object, source Source, verb Verb) (eventlog.Draft, error) {
	cut, err := cutFact(obj)
	if err != nil {
		return eventlog.Draft{}, err
	}
	seen := Observation{
		ResourceVersion: ParseVersion(cut.meta.ResourceVersion),
		Source:          source,
		Verb:            verb,
		Managers:        Managers(cut.meta),
		Body:            cut.body,
	}
	object, err := cut.object()
	if err != nil {
		return eventlog.Draft{}, fmt.Errorf("encode %s: %w", cut.subject.Name, err)
	}
	return eventlog.Draft{
		Kind:    eventlog.KindObserved,
		Subject: cut.subject,
		Fact:    seen.Append(nil),
		Object:  object,
	}, nil
}

// DeletedDraft makes the record of a watch event that says an object is gone;
// obj is its last state, whose resourceVersion is that of the deletion.
func DeletedDraft(obj runtime.Object) (eventlog.Draft, error) {
	d, err := ObservedDraft(obj, SourceWatch, VerbDeleted)
	d.Kind = eventlog.KindDeleted
	return d, err
}

// MissingDraft makes the record of a UID that a list lacked; version is the
// list's.
func MissingDraft(subject eventlog.Subject, version uint64) eventlog.Draft {
	seen := Observation{ResourceVersion: version, Source: SourceList}
	return eventlog.Draft{Kind: eventlog.KindMissing, Subject: subject, Fact: seen.Append(nil)}
}

// cutting is what is taken from an object.
type cutting struct {
	subject eventlog.Subject
	meta    *metav1.ObjectMeta
	body    []byte
	object  func() ([]byte, error)
}

// cutFact takes the fact and the trimmed object from an API object. The
// original is not changed.
func cutFact(obj runtime.Object) (cutting, error) {
	var c cutting
	var resource eventlog.Resource
	switch o := obj.(type) {
	case *corev1.PersistentVolume:
		resource, c.meta, c.body = eventlog.ResourceVolume, &o.ObjectMeta, FromVolume(o).Append(nil)
		c.object = func() ([]byte, error) {
			trimmed := *o
			trimmed.ObjectMeta = trimMeta(o.ObjectMeta)
			return trimmed.Marshal()
		}
	case *corev1.PersistentVolumeClaim:
		resource, c.meta, c.body = eventlog.ResourceClaim, &o.ObjectMeta, FromClaim(o).Append(nil)
		c.object = func() ([]byte, error) {
			trimmed := *o
			trimmed.ObjectMeta = trimMeta(o.ObjectMeta)
			return trimmed.Marshal()
		}
	case *storagev1.StorageClass:
		resource, c.meta, c.body = eventlog.ResourceClass, &o.ObjectMeta, FromClass(o).Append(nil)
		c.object = func() ([]byte, error) {
			trimmed := *o
			trimmed.ObjectMeta = trimMeta(o.ObjectMeta)
			return trimmed.Marshal()
		}
	case *corev1.Pod:
		resource, c.meta, c.body = eventlog.ResourcePod, &o.ObjectMeta, FromPod(o).Append(nil)
		c.object = func() ([]byte, error) { return trimPod(o).Marshal() }
	case *corev1.Node:
		resource, c.meta, c.body = eventlog.ResourceNode, &o.ObjectMeta, FromNode(o).Append(nil)
		c.object = func() ([]byte, error) { return trimNode(o).Marshal() }
	default:
		return c, fmt.Errorf("no fact is cut from %T", obj)
	}
	c.subject = eventlog.Subject{
		Resource: resource, Namespace: c.meta.Namespace, Name: c.meta.Name, UID: ParseUID(string(c.meta.UID)),
	}
	return c, nil
}

// trimMeta drops what is large and is never read: managed fields (kept in
// short form in the observation) and the last-applied annotation.
func trimMeta(meta metav1.ObjectMeta) metav1.ObjectMeta {
	meta.ManagedFields = nil
	if _, there := meta.Annotations[lastApplied]; there {
		rest := make(map[string]string, len(meta.Annotations))
		for key, value := range meta.Annotations {
			if key != lastApplied {
				rest[key] = value
			}
		}
		meta.Annotations = rest
	}
	return meta
}

// identity is metadata cut to what tells an object apart.
func identity(meta metav1.ObjectMeta) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name: meta.Name, Namespace: meta.Namespace, UID: meta.UID, ResourceVersion: meta.ResourceVersion,
		CreationTimestamp: meta.CreationTimestamp, DeletionTimestamp: meta.DeletionTimestamp,
		OwnerReferences: meta.OwnerReferences,
	}
}

// trimPod keeps the claims a pod uses, its node and whether it is over.
func trimPod(pod *corev1.Pod) *corev1.Pod {
	trimmed := &corev1.Pod{ObjectMeta: identity(pod.ObjectMeta)}
	trimmed.Spec.NodeName = pod.Spec.NodeName
	for _, v := range pod.Spec.Volumes {
		if v.PersistentVolumeClaim != nil || v.Ephemeral != nil {
			trimmed.Spec.Volumes = append(trimmed.Spec.Volumes, v)
		}
	}
	trimmed.Status.Phase = pod.Status.Phase
	if pod.DeletionTimestamp != nil {
		trimmed.Status.ContainerStatuses = pod.Status.ContainerStatuses
	}
	return trimmed
}

// trimNode keeps a node's labels.
func trimNode(node *corev1.Node) *corev1.Node {
	trimmed := &corev1.Node{ObjectMeta: identity(node.ObjectMeta)}
	trimmed.Labels = node.Labels
	return trimmed
}

// Managers is the short form of an object's managed fields.
func Managers(meta *metav1.ObjectMeta) []Manager {
	var out []Manager
	for _, m := range meta.ManagedFields {
		short := Manager{Name: m.Manager, Operation: string(m.Operation), Subresource: m.Subresource}
		if m.Time != nil {
			short.Time = m.Time.Unix()
		}
		if !slices.Contains(out, short) {
			out = append(out, short)
		}
	}
	return out
}
