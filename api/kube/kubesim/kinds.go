package kubesim

import (
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Kind is one kind of object that the server keeps.
type Kind struct {
	schema.GroupVersionResource
	Kind       string
	Namespaced bool
	Status     bool // has a status subresource
	ShortNames []string

	make func() runtime.Object
	list func() runtime.Object
}

// GroupVersionKind is the kind with its group and version.
func (k *Kind) GroupVersionKind() schema.GroupVersionKind {
	return k.GroupVersion().WithKind(k.Kind)
}

// GroupResource is the resource as errors name it.
func (k *Kind) GroupResource() schema.GroupResource {
	return k.GroupVersionResource.GroupResource()
}

func gvr(group, version, resource string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: group, Version: version, Resource: resource}
}

// The kinds that the server keeps.
var (
	Volumes = &Kind{
		GroupVersionResource: gvr("", "v1", "persistentvolumes"), Kind: "PersistentVolume", Status: true, ShortNames: []string{"pv"},
		make: func() runtime.Object { return &corev1.PersistentVolume{} }, list: func() runtime.Object { return &corev1.PersistentVolumeList{} },
	}
	Claims = &Kind{
		GroupVersionResource: gvr("", "v1", "persistentvolumeclaims"), Kind: "PersistentVolumeClaim", Namespaced: true, Status: true, ShortNames: []string{"pvc"},
		make: func() runtime.Object { return &corev1.PersistentVolumeClaim{} }, list: func() runtime.Object { return &corev1.PersistentVolumeClaimList{} },
	}
	Pods = &Kind{
		GroupVersionResource: gvr("", "v1", "pods"), Kind: "Pod", Namespaced: true, Status: true, ShortNames: []string{"po"},
		make: func() runtime.Object { return &corev1.Pod{} }, list: func() runtime.Object { return &corev1.PodList{} },
	}
	Nodes = &Kind{
		GroupVersionResource: gvr("", "v1", "nodes"), Kind: "Node", Status: true, ShortNames: []string{"no"},
		make: func() runtime.Object { return &corev1.Node{} }, list: func() runtime.Object { return &corev1.NodeList{} },
	}
	Namespaces = &Kind{
		GroupVersionResource: gvr("", "v1", "namespaces"), Kind: "Namespace", Status: true, ShortNames: []string{"ns"},
		make: func() runtime.Object { return &corev1.Namespace{} }, list: func() runtime.Object { return &corev1.NamespaceList{} },
	}
	CoreEvents = &Kind{
		GroupVersionResource: gvr("", "v1", "events"), Kind: "Event", Namespaced: true, ShortNames: []string{"ev"},
		make: func() runtime.Object { return &corev1.Event{} }, list: func() runtime.Object { return &corev1.EventList{} },
	}
	Events = &Kind{
		GroupVersionResource: gvr("events.k8s.io", "v1", "events"), Kind: "Event", Namespaced: true,
		make: func() runtime.Object { return &eventsv1.Event{} }, list: func() runtime.Object { return &eventsv1.EventList{} },
	}
	Classes = &Kind{
		GroupVersionResource: gvr("storage.k8s.io", "v1", "storageclasses"), Kind: "StorageClass", ShortNames: []string{"sc"},
		make: func() runtime.Object { return &storagev1.StorageClass{} }, list: func() runtime.Object { return &storagev1.StorageClassList{} },
	}
	Leases = &Kind{
		GroupVersionResource: gvr("coordination.k8s.io", "v1", "leases"), Kind: "Lease", Namespaced: true,
		make: func() runtime.Object { return &coordinationv1.Lease{} }, list: func() runtime.Object { return &coordinationv1.LeaseList{} },
	}
)

// kinds are all of them, in discovery order.
var kinds = []*Kind{Volumes, Claims, Pods, Nodes, Namespaces, CoreEvents, Events, Classes, Leases}

// kindFor finds a kind by its resource, nil when the server has none.
func kindFor(r schema.GroupVersionResource) *Kind {
	for _, k := range kinds {
		if k.GroupVersionResource == r {
			return k
		}
	}
	return nil
}
