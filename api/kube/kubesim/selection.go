package kubesim

import (
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
)

// Selection limits a list or watch; the zero value admits everything.
type Selection struct {
	Namespace string
	Labels    labels.Selector
	Fields    fields.Selector // metadata.name and metadata.namespace only
}

func (sel Selection) admits(obj runtime.Object) bool {
	m := accessor(obj)
	if sel.Namespace != "" && m.GetNamespace() != sel.Namespace {
		return false
	}
	if sel.Labels != nil && !sel.Labels.Matches(labels.Set(m.GetLabels())) {
		return false
	}
	if sel.Fields == nil {
		return true
	}
	return sel.Fields.Matches(fields.Set{"metadata.name": m.GetName(), "metadata.namespace": m.GetNamespace()})
}
