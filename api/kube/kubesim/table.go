package kubesim

import (
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/duration"
)

// columns are the ones that kubectl get shows, per kind.
var columns = map[*Kind][]string{
	Volumes:    {"Name", "Capacity", "Access Modes", "Reclaim Policy", "Status", "Claim", "StorageClass", "VolumeAttributesClass", "Reason", "Age"},
	Claims:     {"Name", "Status", "Volume", "Capacity", "Access Modes", "StorageClass", "VolumeAttributesClass", "Age"},
	Classes:    {"Name", "Provisioner", "ReclaimPolicy", "VolumeBindingMode", "AllowVolumeExpansion", "Age"},
	Pods:       {"Name", "Ready", "Status", "Restarts", "Age"},
	Nodes:      {"Name", "Status", "Roles", "Age", "Version"},
	Namespaces: {"Name", "Status", "Age"},
}

// tableOf is an object or list as the rows that kubectl prints.
func tableOf(k *Kind, obj runtime.Object) (*metav1.Table, error) {
	table := &metav1.Table{TypeMeta: metav1.TypeMeta{Kind: "Table", APIVersion: "meta.k8s.io/v1"}}
	names := columns[k]
	if names == nil {
		names = []string{"Name", "Age"}
	}
	for _, name := range names {
		format := ""
		if name == "Name" {
			format = "name"
		}
		table.ColumnDefinitions = append(table.ColumnDefinitions, metav1.TableColumnDefinition{Name: name, Type: "string", Format: format})
	}
	objs := []runtime.Object{obj}
	if meta.IsListType(obj) {
		list, err := meta.ListAccessor(obj)
		if err != nil {
			return nil, err
		}
		table.ResourceVersion = list.GetResourceVersion()
		if objs, err = meta.ExtractList(obj); err != nil {
			return nil, err
		}
	}
	for _, o := range objs {
		m := accessor(o)
		partial := &metav1.PartialObjectMetadata{
			TypeMeta: metav1.TypeMeta{Kind: "PartialObjectMetadata", APIVersion: "meta.k8s.io/v1"},
			ObjectMeta: metav1.ObjectMeta{
				Name: m.GetName(), Namespace: m.GetNamespace(), UID: m.GetUID(), ResourceVersion: m.GetResourceVersion(),
				CreationTimestamp: m.GetCreationTimestamp(), Labels: m.GetLabels(),
			},
		}
		cells := cellsOf(o)
		table.Rows = append(table.Rows, metav1.TableRow{Cells: cells, Object: runtime.RawExtension{Object: partial}})
	}
	return table, nil
}

func cellsOf(obj runtime.Object) []any {
	m := accessor(obj)
	age := duration.HumanDuration(time.Since(m.GetCreationTimestamp().Time))
	switch o := obj.(type) {
	case *corev1.PersistentVolume:
		claim := ""
		if ref := o.Spec.ClaimRef; ref != nil {
			claim = ref.Namespace + "/" + ref.Name
		}
		size := o.Spec.Capacity[corev1.ResourceStorage]
		return []any{o.Name, size.String(), shortModes(o.Spec.AccessModes), string(o.Spec.PersistentVolumeReclaimPolicy),
			phase(string(o.Status.Phase), m), claim, o.Spec.StorageClassName, orUnset(o.Spec.VolumeAttributesClassName), o.Status.Reason, age}
	case *corev1.PersistentVolumeClaim:
		size := ""
		if q, ok := o.Status.Capacity[corev1.ResourceStorage]; ok {
			size = q.String()
		}
		class := ""
		if o.Spec.StorageClassName != nil {
			class = *o.Spec.StorageClassName
		}
		return []any{o.Name, phase(string(o.Status.Phase), m), o.Spec.VolumeName, size, shortModes(o.Status.AccessModes), class,
			orUnset(o.Spec.VolumeAttributesClassName), age}
	case *storagev1.StorageClass:
		expand := "false"
		if o.AllowVolumeExpansion != nil && *o.AllowVolumeExpansion {
			expand = "true"
		}
		return []any{o.Name, o.Provisioner, string(*o.ReclaimPolicy), string(*o.VolumeBindingMode), expand, age}
	case *corev1.Pod:
		return []any{o.Name, "0/0", phase(string(o.Status.Phase), m), "0", age}
	case *corev1.Node:
		return []any{o.Name, "Unknown", "<none>", age, ""}
	case *corev1.Namespace:
		return []any{o.Name, phase(string(o.Status.Phase), m), age}
	}
	return []any{m.GetName(), age}
}

func phase(p string, m metav1.Object) string {
	if m.GetDeletionTimestamp() != nil {
		return "Terminating"
	}
	return p
}

func orUnset(s *string) string {
	if s == nil || *s == "" {
		return "<unset>"
	}
	return *s
}

// shortModes are access modes as kubectl abbreviates them.
func shortModes(modes []corev1.PersistentVolumeAccessMode) string {
	var short []string
	for _, mode := range modes {
		switch mode {
		case corev1.ReadWriteOnce:
			short = append(short, "RWO")
		case corev1.ReadOnlyMany:
			short = append(short, "ROX")
		case corev1.ReadWriteMany:
			short = append(short, "RWX")
		case corev1.ReadWriteOncePod:
			short = append(short, "RWOP")
		}
	}
	return strings.Join(short, ",")
}
