package e2e

import (
	"testing"
	"time"
	"context"

	"bindery/api/kube"
	"bindery/binder/executor"
	"bindery/eventlog"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestScratchBind(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	log := eventlog.NewMemory(eventlog.Options{})
	client, err := kube.NewClient(shared.Config("admin"))
	if err != nil {
		t.Fatal(err)
	}
	ex, err := executor.New(executor.Options{Log: log, API: client, Mode: "bind"})
	if err != nil {
		t.Fatal(err)
	}
	src := kube.NewSource(kube.SourceOptions{Client: client, Sink: ex, View: ex.View, OnError: func(r string, err error) { t.Log(r, err) }})
	rctx, stop := context.WithCancel(ctx)
	done := make(chan error, 2)
	go func() { done <- ex.Run(rctx) }()
	go func() { done <- src.Run(rctx) }()
	empty := ""
	pv := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "v1"}}
	pv.Spec.Capacity = corev1.ResourceList{"storage": resource.MustParse("1Gi")}
	pv.Spec.AccessModes = []corev1.PersistentVolumeAccessMode{"ReadWriteOnce"}
	pv.Spec.NFS = &corev1.NFSVolumeSource{Server: "s", Path: "/p"}
	if _, err := client.CoreV1().PersistentVolumes().Create(ctx, pv, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	pvc := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: "c1", Namespace: "default"}}
	pvc.Spec.StorageClassName = &empty
	pvc.Spec.AccessModes = pv.Spec.AccessModes
	pvc.Spec.Resources.Requests = pv.Spec.Capacity
	if _, err := client.CoreV1().PersistentVolumeClaims("default").Create(ctx, pvc, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	w, err := client.CoreV1().PersistentVolumeClaims("default").Watch(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for ev := range w.ResultChan() {
		c := ev.Object.(*corev1.PersistentVolumeClaim)
		t.Log(time.Since(start), c.Status.Phase, c.Spec.VolumeName)
		if c.Status.Phase == "Bound" {
			break
		}
	}
	w.Stop()
	stop()
	t.Log(<-done, <-done)
	for r, err := range log.Records(1, 0) {
		t.Log(r.Seq, r.Kind, r.Subject.Name, len(r.Fact), err)
	}
}
