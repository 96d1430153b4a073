package fact

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The annotation keys that binding reads (upstream-behaviour.md 0.1).
const (
	AnnBindCompleted     = "pv.kubernetes.io/bind-completed"
	AnnBoundByController = "pv.kubernetes.io/bound-by-controller"
	AnnProvisionedBy     = "pv.kubernetes.io/provisioned-by"
	AnnMigratedTo        = "pv.kubernetes.io/migrated-to"
	AnnProvisioner       = "volume.kubernetes.io/storage-provisioner"
	AnnBetaProvisioner   = "volume.beta.kubernetes.io/storage-provisioner"
	AnnSelectedNode      = "volume.kubernetes.io/selected-node"
	AnnBetaClass         = "volume.beta.kubernetes.io/storage-class"
	AnnPreResizeCapacity = "volume.alpha.kubernetes.io/pre-resize-capacity"
	AnnDefaultClass      = "storageclass.kubernetes.io/is-default-class"
	AnnBetaDefaultClass  = "storageclass.beta.kubernetes.io/is-default-class"
)

var bindingAnnotations = []string{
	AnnBindCompleted, AnnBoundByController, AnnProvisionedBy, AnnMigratedTo, AnnProvisioner,
	AnnBetaProvisioner, AnnSelectedNode, AnnBetaClass, AnnPreResizeCapacity,
}

// FromVolume cuts the fact of a volume.
func FromVolume(pv *corev1.PersistentVolume) Volume {
	v := Volume{
		ResourceVersion: ParseVersion(pv.ResourceVersion),
		UID:             string(pv.UID),
		Created:         unix(pv.CreationTimestamp),
		Deleting:        pv.DeletionTimestamp != nil,
		Phase:           string(pv.Status.Phase),
		Capacity:        quantities(pv.Spec.Capacity),
		AccessModes:     modes(pv.Spec.AccessModes),
		Class:           pv.Spec.StorageClassName,
		ReclaimPolicy:   string(pv.Spec.PersistentVolumeReclaimPolicy),
		Labels:          nonEmpty(pv.Labels),
		Annotations:     kept(pv.Annotations),
		Finalizers:      slices.Clone(pv.Finalizers),
		Affinity:        pv.Spec.NodeAffinity != nil,
	}
	if pv.Spec.VolumeMode != nil {
		v.VolumeMode = string(*pv.Spec.VolumeMode)
	}
	if class, ok := pv.Annotations[AnnBetaClass]; ok {
		v.Class = class
	}
	if pv.Spec.VolumeAttributesClassName != nil {
		v.Attributes = *pv.Spec.VolumeAttributesClassName
	}
	if ref := pv.Spec.ClaimRef; ref != nil {
		v.ClaimRef = &ClaimRef{
			Kind: ref.Kind, APIVersion: ref.APIVersion, Namespace: ref.Namespace, Name: ref.Name,
			UID: string(ref.UID), ResourceVersion: ref.ResourceVersion,
		}
	}
	v.Source, v.Driver, v.Handle = backing(&pv.Spec.PersistentVolumeSource)
	return v
}

// FromClaim cuts the fact of a claim.
func FromClaim(pvc *corev1.PersistentVolumeClaim) Claim {
	c := Claim{
		ResourceVersion:   ParseVersion(pvc.ResourceVersion),
		UID:               string(pvc.UID),
		Created:           unix(pvc.CreationTimestamp),
		Deleting:          pvc.DeletionTimestamp != nil,
		Requests:          quantities(pvc.Spec.Resources.Requests),
		AccessModes:       modes(pvc.Spec.AccessModes),
		VolumeName:        pvc.Spec.VolumeName,
		DataSource:        pvc.Spec.DataSource != nil,
		Annotations:       kept(pvc.Annotations),
		Finalizers:        slices.Clone(pvc.Finalizers),
		Phase:             string(pvc.Status.Phase),
		StatusModes:       modes(pvc.Status.AccessModes),
		StatusCapacity:    quantities(pvc.Status.Capacity),
		CurrentAttributes: pvc.Status.CurrentVolumeAttributesClassName,
	}
	if pvc.Spec.VolumeMode != nil {
		c.VolumeMode = string(*pvc.Spec.VolumeMode)
	}
	// The legacy annotation overrides the spec even when it is empty (4.4).
	if class, ok := pvc.Annotations[AnnBetaClass]; ok {
		c.Class, c.HasClass = class, true
	} else if pvc.Spec.StorageClassName != nil {
		c.Class, c.HasClass = *pvc.Spec.StorageClassName, true
	}
	if pvc.Spec.VolumeAttributesClassName != nil {
		c.Attributes = *pvc.Spec.VolumeAttributesClassName
	}
	if s := pvc.Spec.Selector; s != nil {
		c.Selector = fromSelector(s)
	}
	return c
}

func fromSelector(s *metav1.LabelSelector) *Selector {
	selector := &Selector{Labels: nonEmpty(s.MatchLabels)}
	for _, e := range s.MatchExpressions {
		selector.Expressions = append(selector.Expressions, Requirement{
			Key: e.Key, Operator: string(e.Operator), Values: slices.Clone(e.Values),
		})
	}
	return selector
}

// FromClass cuts the fact of a StorageClass.
func FromClass(sc *storagev1.StorageClass) Class {
	c := Class{
		ResourceVersion: ParseVersion(sc.ResourceVersion),
		UID:             string(sc.UID),
		Created:         unix(sc.CreationTimestamp),
		Provisioner:     sc.Provisioner,
		Default:         sc.Annotations[AnnDefaultClass] == "true" || sc.Annotations[AnnBetaDefaultClass] == "true",
		MountOptions:    len(sc.MountOptions) > 0,
		Topologies:      len(sc.AllowedTopologies) > 0,
	}
	if sc.VolumeBindingMode != nil {
		c.BindingMode = string(*sc.VolumeBindingMode)
	}
	if sc.ReclaimPolicy != nil {
		c.ReclaimPolicy = string(*sc.ReclaimPolicy)
	}
	return c
}

// FromPod cuts the fact of a pod: the claims it uses, generic ephemeral ones
// under their derived names (1.1.2), its node, and whether it is over.
func FromPod(pod *corev1.Pod) Pod {
	p := Pod{
		ResourceVersion: ParseVersion(pod.ResourceVersion),
		UID:             string(pod.UID),
		Node:            pod.Spec.NodeName,
		Terminated:      terminated(pod),
	}
	for _, v := range pod.Spec.Volumes {
		switch {
		case v.PersistentVolumeClaim != nil:
			p.Claims = append(p.Claims, v.PersistentVolumeClaim.ClaimName)
		case v.Ephemeral != nil:
			p.Claims = append(p.Claims, pod.Name+"-"+v.Name)
		}
	}
	slices.Sort(p.Claims)
	p.Claims = slices.Compact(p.Claims)
	return p
}

// terminated: phase Failed or Succeeded, or on its way out with every
// container waiting or terminated (6.4 R3).
func terminated(pod *corev1.Pod) bool {
	if pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded {
		return true
	}
	if pod.DeletionTimestamp == nil {
		return false
	}
	for _, s := range pod.Status.ContainerStatuses {
		if s.State.Terminated == nil && s.State.Waiting == nil {
			return false
		}
	}
	return true
}

// FromNode cuts the fact of a node.
func FromNode(node *corev1.Node) Node {
	return Node{
		ResourceVersion: ParseVersion(node.ResourceVersion),
		UID:             string(node.UID),
		Labels:          nonEmpty(node.Labels),
	}
}

// backing names the storage behind a volume: its kind, driver and handle.
func backing(s *corev1.PersistentVolumeSource) (source, driver, handle string) {
	switch {
	case s.CSI != nil:
		return "csi", s.CSI.Driver, s.CSI.VolumeHandle
	case s.NFS != nil:
		return "nfs", "", s.NFS.Server + ":" + s.NFS.Path
	case s.HostPath != nil:
		return "hostPath", "", s.HostPath.Path
	case s.Local != nil:
		return "local", "", s.Local.Path
	case s.ISCSI != nil:
		return "iscsi", "", s.ISCSI.TargetPortal + "/" + s.ISCSI.IQN
	case s.FC != nil:
		return "fc", "", strings.Join(s.FC.TargetWWNs, ",")
	case s.GCEPersistentDisk != nil:
		return "gcePersistentDisk", "", s.GCEPersistentDisk.PDName
	case s.AWSElasticBlockStore != nil:
		return "awsElasticBlockStore", "", s.AWSElasticBlockStore.VolumeID
	case s.AzureDisk != nil:
		return "azureDisk", "", s.AzureDisk.DataDiskURI
	case s.AzureFile != nil:
		return "azureFile", "", s.AzureFile.ShareName
	case s.Cinder != nil:
		return "cinder", "", s.Cinder.VolumeID
	case s.VsphereVolume != nil:
		return "vsphereVolume", "", s.VsphereVolume.VolumePath
	case s.PortworxVolume != nil:
		return "portworxVolume", "", s.PortworxVolume.VolumeID
	case s.FlexVolume != nil:
		return "flexVolume", s.FlexVolume.Driver, ""
	case s.RBD != nil:
		return "rbd", "", s.RBD.RBDPool + "/" + s.RBD.RBDImage
	case s.CephFS != nil:
		return "cephfs", "", strings.Join(s.CephFS.Monitors, ",") + s.CephFS.Path
	}
	return "other", "", ""
}

// quantities writes each quantity in its canonical form.
func quantities(list corev1.ResourceList) map[string]string {
	if len(list) == 0 {
		return nil
	}
	out := make(map[string]string, len(list))
	for key, q := range list {
		out[string(key)] = q.String()
	}
	return out
}

// Quantity reads a quantity; what is none counts as zero.
func Quantity(s string) resource.Quantity {
	q, err := resource.ParseQuantity(s)
	if err != nil {
		return resource.Quantity{}
	}
	return q
}

func modes(list []corev1.PersistentVolumeAccessMode) []string {
	var out []string
	for _, m := range list {
		out = append(out, string(m))
	}
	return out
}

func kept(annotations map[string]string) map[string]string {
	var out map[string]string
	for _, key := range bindingAnnotations {
		if value, ok := annotations[key]; ok {
			if out == nil {
				out = map[string]string{}
			}
			out[key] = value
		}
	}
	return out
}

func nonEmpty(m map[string]string) map[string]string {
	if len(m) == 0 {
		return nil
	}
	return m
}

func unix(t metav1.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}
