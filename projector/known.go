package projector

import (
	"bindery/eventlog"
	"bindery/projector/fact"
)

// Known is an object that the log knows of, for the intake to compare a list
// with.
type Known struct {
	Subject eventlog.Subject
	Version uint64 // 0 when it is from an epoch that has ended
	Body    []byte // the cut fact of pods and nodes, resourceVersion left out
}

// Known are the objects of a resource that the log knows of, in key order.
func (v *View) Known(resource eventlog.Resource) []Known {
	var out []Known
	add := func(namespace, name, uid string, version, epoch uint64, body []byte) {
		if epoch < v.state.epoch {
			version = 0
		}
		out = append(out, Known{
			Subject: eventlog.Subject{Resource: resource, Namespace: namespace, Name: name, UID: fact.ParseUID(uid)},
			Version: version, Body: body,
		})
	}
	switch resource {
	case eventlog.ResourceVolume:
		for o := range values(v.state.volumes) {
			add("", o.Name, o.UID, o.ResourceVersion, o.epoch, nil)
		}
	case eventlog.ResourceClaim:
		for o := range values(v.state.claims) {
			add(o.ID.Namespace, o.ID.Name, o.UID, o.ResourceVersion, o.epoch, nil)
		}
	case eventlog.ResourceClass:
		for o := range values(v.state.classes) {
			add("", o.Name, o.UID, o.ResourceVersion, o.epoch, nil)
		}
	case eventlog.ResourcePod:
		for o := range values(v.state.pods) {
			cut := o.Pod
			cut.ResourceVersion = 0
			add(o.Namespace, o.Name, o.UID, o.ResourceVersion, o.epoch, cut.Append(nil))
		}
	case eventlog.ResourceNode:
		for o := range values(v.state.nodes) {
			cut := o.Node
			cut.ResourceVersion = 0
			add("", o.Name, o.UID, o.ResourceVersion, o.epoch, cut.Append(nil))
		}
	}
	return out
}

// LastVersion is the highest version that the log holds of a resource, in the
// running epoch.
func (v *View) LastVersion(resource eventlog.Resource) uint64 {
	if !inRange(resource) {
		return 0
	}
	return v.state.versions[resource]
}
