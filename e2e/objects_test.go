package e2e

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"
)

// volume is a static NFS volume of a class that only its claim has.
func volume(name, class string) *corev1.PersistentVolume {
	v := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: name}}
	v.Spec.Capacity = corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}
	v.Spec.AccessModes = []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}
	v.Spec.StorageClassName = class
	v.Spec.NFS = &corev1.NFSVolumeSource{Server: "nfs", Path: "/" + name}
	return v
}

func claim(name, class string) *corev1.PersistentVolumeClaim {
	c := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: metav1.NamespaceDefault}}
	c.Spec.Resources.Requests = corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}
	c.Spec.AccessModes = []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}
	c.Spec.StorageClassName = &class
	return c
}

func createVolume(t *testing.T, client kubernetes.Interface, v *corev1.PersistentVolume) {
	t.Helper()
	if _, err := client.CoreV1().PersistentVolumes().Create(t.Context(), v, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

func createClaim(t *testing.T, client kubernetes.Interface, c *corev1.PersistentVolumeClaim) {
	t.Helper()
	if _, err := client.CoreV1().PersistentVolumeClaims(c.Namespace).Create(t.Context(), c, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// waitBound waits until the claim is Bound and returns it.
func waitBound(ctx context.Context, client kubernetes.Interface, name string) (*corev1.PersistentVolumeClaim, error) {
	one := metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector("metadata.name", name).String()}
	claims := client.CoreV1().PersistentVolumeClaims(metav1.NamespaceDefault)
	for {
		w, err := claims.Watch(ctx, one) // begins with what there is
		if err != nil {
			return nil, err
		}
		for event := range w.ResultChan() {
			if c, ok := event.Object.(*corev1.PersistentVolumeClaim); ok && c.Status.Phase == corev1.ClaimBound {
				w.Stop()
				return c, nil
			}
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
}

// patience bounds what should be a matter of milliseconds.
const patience = 60 * time.Second
