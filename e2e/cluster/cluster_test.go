package cluster

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

func TestMain(m *testing.M) {
	code := m.Run()
	if err := Leaks(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, "error:", err)
		code = 1
	}
	os.Exit(code)
}

// TestCluster makes the objects of a binding, refuses a user what it was not
// granted, and keeps everything while either process is killed.
func TestCluster(t *testing.T) {
	ctx := t.Context()
	c, err := Start(ctx, Options{Dir: t.TempDir(), Users: []string{"reader"}, Audit: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
	}()
	version, err := c.Client().Discovery().ServerVersion()
	if err != nil || version.GitVersion != Version {
		t.Errorf("version %v (%v), want %s", version, err, Version)
	}
	makeObjects(t, c.Client())

	rule := rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"persistentvolumes"}, Verbs: []string{"get"}}
	if err := c.Grant(ctx, "reader", rule); err != nil {
		t.Fatal(err)
	}
	path, err := c.KubeconfigFor("reader")
	if err != nil {
		t.Fatal(err)
	}
	config, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		t.Fatal(err)
	}
	reader := kubernetes.NewForConfigOrDie(config).CoreV1()
	if _, err := reader.PersistentVolumes().Get(ctx, "v", metav1.GetOptions{}); err != nil {
		t.Errorf("what was granted: %v", err)
	}
	if _, err := reader.PersistentVolumes().List(ctx, metav1.ListOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("another verb: %v, want Forbidden", err)
	}
	if _, err := reader.PersistentVolumeClaims("default").Get(ctx, "c", metav1.GetOptions{}); !apierrors.IsForbidden(err) {
		t.Errorf("another resource: %v, want Forbidden", err)
	}

	startAPIServer := func() error { return c.StartAPIServer(ctx) }
	ready := func() error { return c.WaitReady(ctx) }
	for i, step := range []func() error{c.KillEtcd, c.StartEtcd, ready, c.KillAPIServer, startAPIServer} {
		if err := step(); err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
	}
	if _, err := c.Client().CoreV1().PersistentVolumeClaims("default").Get(ctx, "c", metav1.GetOptions{}); err != nil {
		t.Errorf("after both were killed: %v", err)
	}
	if audit, err := os.ReadFile(c.AuditLog()); err != nil || len(audit) == 0 {
		t.Errorf("audit log of %d bytes (%v)", len(audit), err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if err := c.Wait(ended); err != nil {
		t.Errorf("wait while all run: %v", err)
	}
}

// TestStartFails gives the API server a flag that it does not know: the error
// tells at once, in its own words.
func TestStartFails(t *testing.T) {
	_, err := Start(t.Context(), Options{Dir: t.TempDir(), Flags: []string{"--no-such-flag"}})
	if err == nil {
		t.Fatal("it started")
	}
	if got := err.Error(); !strings.Contains(got, "kube-apiserver ended") || !strings.Contains(got, "no-such-flag") {
		t.Errorf("error is %q", got)
	}
}

func makeObjects(t *testing.T, client kubernetes.Interface) {
	t.Helper()
	ctx, class := t.Context(), "slow"
	size := corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}
	modes := []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}
	if _, err := client.StorageV1().StorageClasses().Create(ctx, &storagev1.StorageClass{
		ObjectMeta: metav1.ObjectMeta{Name: class}, Provisioner: "kubernetes.io/no-provisioner",
	}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	v, err := client.CoreV1().PersistentVolumes().Create(ctx, &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: "v"},
		Spec: corev1.PersistentVolumeSpec{
			Capacity: size, AccessModes: modes, StorageClassName: class,
			PersistentVolumeSource: corev1.PersistentVolumeSource{NFS: &corev1.NFSVolumeSource{Server: "nfs", Path: "/v"}},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := client.CoreV1().PersistentVolumeClaims("default").Create(ctx, &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: "c"},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: modes, StorageClassName: &class, Resources: corev1.VolumeResourceRequirements{Requests: size},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(v.Finalizers) != 1 || len(p.Finalizers) != 1 {
		t.Errorf("finalizers %v and %v, want the protection of each", v.Finalizers, p.Finalizers)
	}
}
