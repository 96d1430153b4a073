package fact

// Append appends the canonical encoding of the class.
func (c Class) Append(b []byte) []byte {
	b = putUint(b, 1, c.ResourceVersion)
	b = putString(b, 2, c.UID)
	b = putInt(b, 3, c.Created)
	b = putString(b, 4, c.Provisioner)
	b = putString(b, 5, c.BindingMode)
	b = putString(b, 6, c.ReclaimPolicy)
	b = putBool(b, 7, c.Default)
	b = putBool(b, 8, c.MountOptions)
	return putBool(b, 9, c.Topologies)
}

// ParseClass reads what Append wrote.
func ParseClass(b []byte) (Class, error) {
	var c Class
	err := walk("class", b, func(f field) error {
		switch f.num {
		case 1:
			c.ResourceVersion = f.number
		case 2:
			c.UID = f.text()
		case 3:
			c.Created = f.signed()
		case 4:
			c.Provisioner = f.text()
		case 5:
			c.BindingMode = f.text()
		case 6:
			c.ReclaimPolicy = f.text()
		case 7:
			c.Default = f.flag()
		case 8:
			c.MountOptions = f.flag()
		case 9:
			c.Topologies = f.flag()
		}
		return nil
	})
	return c, err
}

// Append appends the canonical encoding of the pod.
func (p Pod) Append(b []byte) []byte {
	b = putUint(b, 1, p.ResourceVersion)
	b = putString(b, 2, p.UID)
	b = putStrings(b, 3, p.Claims)
	b = putString(b, 4, p.Node)
	return putBool(b, 5, p.Terminated)
}

// ParsePod reads what Append wrote.
func ParsePod(b []byte) (Pod, error) {
	var p Pod
	err := walk("pod", b, func(f field) error {
		switch f.num {
		case 1:
			p.ResourceVersion = f.number
		case 2:
			p.UID = f.text()
		case 3:
			p.Claims = append(p.Claims, f.text())
		case 4:
			p.Node = f.text()
		case 5:
			p.Terminated = f.flag()
		}
		return nil
	})
	return p, err
}

// Append appends the canonical encoding of the node.
func (n Node) Append(b []byte) []byte {
	b = putUint(b, 1, n.ResourceVersion)
	b = putString(b, 2, n.UID)
	return putMap(b, 3, n.Labels)
}

// ParseNode reads what Append wrote.
func ParseNode(b []byte) (Node, error) {
	var n Node
	err := walk("node", b, func(f field) error {
		switch f.num {
		case 1:
			n.ResourceVersion = f.number
		case 2:
			n.UID = f.text()
		case 3:
			return entry(&n.Labels, f.bytes)
		}
		return nil
	})
	return n, err
}
