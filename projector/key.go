package projector

import (
	"bindery/eventlog"
)

// ID names one decided subject: a claim or a volume, by name.
type ID struct {
	Resource  eventlog.Resource
	Namespace string
	Name      string
}

// ClaimID is the ID of a claim.
func ClaimID(namespace, name string) ID {
	return ID{eventlog.ResourceClaim, namespace, name}
}

// VolumeID is the ID of a volume.
func VolumeID(name string) ID { return ID{eventlog.ResourceVolume, "", name} }

// String is the form that people type: pvc/NAMESPACE/NAME or pv/NAME.
func (id ID) String() string {
	switch id.Resource {
	case eventlog.ResourceClaim:
		return "pvc/" + id.Namespace + "/" + id.Name
	case eventlog.ResourceVolume:
		return "pv/" + id.Name
	}
	return "unknown/" + id.Name
}

// Key is a wake edge: something that a decision read, whose change wakes it.
type Key string

// The keys. Names of objects cannot hold a slash, so keys are unambiguous.
const (
	// KeyReady changes when a resource's list completes or the mode changes.
	KeyReady Key = "ready"
	// KeyDefaultClass changes when any class becomes or ceases to be default.
	KeyDefaultClass Key = "default-class"
	// KeyBehind changes when a list closes a gap.
	KeyBehind Key = "behind"
)

// KeyOf is touched by every folded change of the object id itself: its facts,
// its live reads, its reservation, its back-off.
func KeyOf(id ID) Key { return Key(id.String()) }

// KeyClass is touched when the StorageClass of that name changes.
func KeyClass(name string) Key { return Key("class/" + name) }

// KeyPods is touched when a pod that uses the claim changes.
func KeyPods(namespace, claim string) Key { return Key("pods/" + namespace + "/" + claim) }

// KeyNode is touched when the node changes.
func KeyNode(name string) Key { return Key("node/" + name) }

// KeyTimer is touched when the subject's timer fires.
func KeyTimer(id ID) Key { return Key("timer/" + id.String()) }

// KeyFree is touched when a volume of that class, volume mode and attributes
// class enters the free index or changes inside it.
func KeyFree(class, mode, attributes string) Key {
	return Key("free/" + class + "/" + mode + "/" + attributes)
}

// KeyReserved is touched when a volume's claimRef begins or ceases to name the
// claim, or such a volume changes.
func KeyReserved(namespace, claim string) Key { return Key("reserved/" + namespace + "/" + claim) }

// KeyNaming is touched when a claim begins or ceases to name the volume in
// spec.volumeName, or such a claim changes.
func KeyNaming(volume string) Key { return Key("naming/" + volume) }
