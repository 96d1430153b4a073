package fact

// Class is the fact of a StorageClass.
type Class struct {
	ResourceVersion uint64
	UID             string
	Created         int64
	Provisioner     string
	BindingMode     string // "" when nil, which is an error for a claim (2.3)
	ReclaimPolicy   string
	Default         bool // either default annotation equals "true"
	MountOptions    bool
	Topologies      bool
}

// Pod is the fact of a Pod, cut to what binding reads.
type Pod struct {
	ResourceVersion uint64
	UID             string
	Claims          []string // claim names in the pod's namespace, sorted, generic ephemeral ones included
	Node            string   // spec.nodeName
	Terminated      bool     // Failed or Succeeded, or deleting with every container done
}

// Node is the fact of a Node, cut to what binding reads.
type Node struct {
	ResourceVersion uint64
	UID             string
	Labels          map[string]string
}
