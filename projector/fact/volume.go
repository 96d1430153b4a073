package fact

// Ref names one object, by UID first.
type Ref struct {
	Name string
	UID  string
}

// ClaimRef is spec.claimRef of a volume, as written; every part may be empty.
type ClaimRef struct {
	Kind            string
	APIVersion      string
	Namespace       string
	Name            string
	UID             string
	ResourceVersion string
}

// Volume is the fact of a PersistentVolume.
type Volume struct {
	ResourceVersion uint64
	UID             string            // as the API server wrote it
	Created         int64             // unix seconds
	Deleting        bool              // deletionTimestamp is set
	Phase           string            // status.phase, "" when unset
	Capacity        map[string]string // spec.capacity, quantities as written in canonical form
	AccessModes     []string          // spec.accessModes in their order
	VolumeMode      string            // "" means unset, which is Filesystem
	Class           string            // resolved: legacy annotation first, then the spec field (4.4)
	Attributes      string            // spec.volumeAttributesClassName, "" when unset
	ReclaimPolicy   string
	ClaimRef        *ClaimRef
	Labels          map[string]string
	Annotations     map[string]string // only keys that binding reads (upstream-behaviour.md 0.1)
	Finalizers      []string
	Source          string // kind of backend: nfs, csi, hostPath, local, ...
	Driver          string // CSI driver, when Source is csi
	Handle          string // what identifies the backing storage, for findings across clusters
	Affinity        bool   // spec.nodeAffinity is set
}
