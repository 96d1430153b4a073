package kube

import (
	"context"

	"bindery/eventlog"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
)

// kind is one watched resource: how it is listed and watched.
type kind struct {
	resource eventlog.Resource
	group    string
	plural   string
	object   runtime.Object
	list     func(context.Context, metav1.ListOptions) (runtime.Object, error)
	watch    func(context.Context, metav1.ListOptions) (watch.Interface, error)
	cut      bool // recorded only when the cut fact differs
}

// lister is the part of a typed client that lists and watches.
type lister[L runtime.Object] interface {
	List(context.Context, metav1.ListOptions) (L, error)
	Watch(context.Context, metav1.ListOptions) (watch.Interface, error)
}

func kindOf[L runtime.Object](r eventlog.Resource, group, plural string, object runtime.Object, client lister[L]) kind {
	return kind{
		resource: r, group: group, plural: plural, object: object, watch: client.Watch,
		list: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) { return client.List(ctx, o) },
	}
}

// kinds are the watched resources.
func kinds(client kubernetes.Interface) []kind {
	core := client.CoreV1()
	list := []kind{
		kindOf(eventlog.ResourceVolume, "", "persistentvolumes", &corev1.PersistentVolume{}, core.PersistentVolumes()),
		kindOf(eventlog.ResourceClaim, "", "persistentvolumeclaims", &corev1.PersistentVolumeClaim{}, core.PersistentVolumeClaims("")),
		kindOf(eventlog.ResourceClass, "storage.k8s.io", "storageclasses", &storagev1.StorageClass{}, client.StorageV1().StorageClasses()),
		kindOf(eventlog.ResourcePod, "", "pods", &corev1.Pod{}, core.Pods("")),
		kindOf(eventlog.ResourceNode, "", "nodes", &corev1.Node{}, core.Nodes()),
	}
	for i := range list {
		list[i].cut = list[i].resource == eventlog.ResourcePod || list[i].resource == eventlog.ResourceNode
	}
	return list
}
