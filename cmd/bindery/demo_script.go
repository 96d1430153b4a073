package main

import (
	"context"
	"fmt"
	"time"

	"bindery/projector"
	"bindery/projector/fact"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// script is the demo's day in a cluster: what a person does with kubectl, and
// what is waited for before the next thing is done. It waits for facts, never
// for time; the pauses are there for the reader.
type script struct {
	client kubernetes.Interface
	await  func(ctx context.Context, holds func(*projector.View) bool) error
	say    func(who, format string, args ...any)
	pause  time.Duration
}

const demoNamespace = "default"

// play plays the day.
func (s *script) play(ctx context.Context) error {
	for _, scene := range []func(context.Context) error{s.binds, s.waits, s.blocked, s.laterBound} {
		if err := scene(ctx); err != nil {
			return err
		}
	}
	return nil
}

// binds: a volume and a claim that fit each other.
func (s *script) binds(ctx context.Context) error {
	s.say("story", "A volume of 10Gi, and a claim of 8Gi in the same class.")
	if err := s.volume(ctx, "disk-1", "10Gi", "manual", corev1.ReadWriteOnce); err != nil {
		return err
	}
	if err := s.claim(ctx, "data-web-0", "8Gi", "manual", nil); err != nil {
		return err
	}
	return s.bound(ctx, "data-web-0")
}

// waits: a class whose claims wait for their first pod.
func (s *script) waits(ctx context.Context) error {
	if err := s.rest(ctx); err != nil {
		return err
	}
	s.say("story", "A class whose claims wait for their first pod, and a claim without a pod. This is healthy.")
	mode := storagev1.VolumeBindingWaitForFirstConsumer
	class := &storagev1.StorageClass{
		ObjectMeta: metav1.ObjectMeta{Name: "local-disks"}, Provisioner: "kubernetes.io/no-provisioner", VolumeBindingMode: &mode,
	}
	s.say("you", "create class/local-disks: WaitForFirstConsumer, no provisioner")
	if _, err := s.client.StorageV1().StorageClasses().Create(ctx, class, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("create class/local-disks: %w", err)
	}
	if err := s.claim(ctx, "cache-web-0", "5Gi", "local-disks", nil); err != nil {
		return err
	}
	return s.await(ctx, decidedAs("cache-web-0", fact.OutcomeWaiting))
}

// blocked: the pair that people ask about, and that does not fit.
func (s *script) blocked(ctx context.Context) error {
	if err := s.rest(ctx); err != nil {
		return err
	}
	s.say("story", "The pair that people ask about: the only volume misses on class, access mode and size.")
	if err := s.volume(ctx, "nfs-pv", "500Mi", "", corev1.ReadWriteMany); err != nil {
		return err
	}
	if err := s.claim(ctx, "mysql-pv-claim", "20Gi", "rook-ceph-block", map[string]string{"app": "wordpress"}); err != nil {
		return err
	}
	return s.await(ctx, decidedAs("mysql-pv-claim", fact.OutcomeBlocked))
}

// laterBound: a volume that fits ends the wait at once.
func (s *script) laterBound(ctx context.Context) error {
	if err := s.rest(ctx); err != nil {
		return err
	}
	s.say("story", "A little later somebody makes a volume that fits. Nothing polls: its creation wakes the claim.")
	if err := s.volume(ctx, "mysql-disk", "20Gi", "rook-ceph-block", corev1.ReadWriteOnce); err != nil {
		return err
	}
	return s.bound(ctx, "mysql-pv-claim")
}

// bound waits until the claim is bound.
func (s *script) bound(ctx context.Context, name string) error {
	return s.await(ctx, func(v *projector.View) bool {
		c := v.Claim(demoNamespace, name)
		return c != nil && c.Phase == phaseBound
	})
}

// decidedAs is the condition that the claim was judged so.
func decidedAs(name string, outcome fact.Outcome) func(*projector.View) bool {
	return func(v *projector.View) bool {
		d := v.Decision(projector.ClaimID(demoNamespace, name))
		return d != nil && d.Outcome == outcome
	}
}

// rest gives the reader time.
func (s *script) rest(ctx context.Context) error {
	if s.pause <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(s.pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// volume creates a volume.
func (s *script) volume(ctx context.Context, name, size, class string, mode corev1.PersistentVolumeAccessMode) error {
	volume := &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.PersistentVolumeSpec{
			Capacity:         corev1.ResourceList{corev1.ResourceStorage: resource.MustParse(size)},
			AccessModes:      []corev1.PersistentVolumeAccessMode{mode},
			StorageClassName: class,
			PersistentVolumeSource: corev1.PersistentVolumeSource{
				NFS: &corev1.NFSVolumeSource{Server: "nfs.example.com", Path: "/exports/" + name},
			},
		},
	}
	s.say("you", "create pv/%s: %s, %s, class %s", name, size, mode, orNone(class))
	if _, err := s.client.CoreV1().PersistentVolumes().Create(ctx, volume, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("create pv/%s: %w", name, err)
	}
	return nil
}

// claim creates a claim.
func (s *script) claim(ctx context.Context, name, size, class string, labels map[string]string) error {
	claim := &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: demoNamespace, Labels: labels},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes:      []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			StorageClassName: &class,
			Resources: corev1.VolumeResourceRequirements{
				Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse(size)},
			},
		},
	}
	s.say("you", "create pvc/%s: %s, ReadWriteOnce, class %s", name, size, class)
	if _, err := s.client.CoreV1().PersistentVolumeClaims(demoNamespace).Create(ctx, claim, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("create pvc/%s: %w", name, err)
	}
	return nil
}
