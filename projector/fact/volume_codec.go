package fact

// Append appends the canonical encoding of the volume.
func (v Volume) Append(b []byte) []byte {
	b = putUint(b, 1, v.ResourceVersion)
	b = putString(b, 2, v.UID)
	b = putInt(b, 3, v.Created)
	b = putBool(b, 4, v.Deleting)
	b = putString(b, 5, v.Phase)
	b = putMap(b, 6, v.Capacity)
	b = putStrings(b, 7, v.AccessModes)
	b = putString(b, 8, v.VolumeMode)
	b = putString(b, 9, v.Class)
	b = putString(b, 10, v.Attributes)
	b = putString(b, 11, v.ReclaimPolicy)
	if v.ClaimRef != nil {
		b = putMessage(b, 12, v.ClaimRef.append(nil))
	}
	b = putMap(b, 13, v.Labels)
	b = putMap(b, 14, v.Annotations)
	b = putStrings(b, 15, v.Finalizers)
	b = putString(b, 16, v.Source)
	b = putString(b, 17, v.Driver)
	b = putString(b, 18, v.Handle)
	return putBool(b, 19, v.Affinity)
}

// ParseVolume reads what Append wrote.
func ParseVolume(b []byte) (Volume, error) {
	var v Volume
	err := walk("volume", b, func(f field) error {
		switch f.num {
		case 1:
			v.ResourceVersion = f.number
		case 2:
			v.UID = f.text()
		case 3:
			v.Created = f.signed()
		case 4:
			v.Deleting = f.flag()
		case 5:
			v.Phase = f.text()
		case 6:
			return entry(&v.Capacity, f.bytes)
		case 7:
			v.AccessModes = append(v.AccessModes, f.text())
		case 8:
			v.VolumeMode = f.text()
		case 9:
			v.Class = f.text()
		case 10:
			v.Attributes = f.text()
		case 11:
			v.ReclaimPolicy = f.text()
		case 12:
			ref, err := parseClaimRef(f.bytes)
			v.ClaimRef = &ref
			return err
		case 13:
			return entry(&v.Labels, f.bytes)
		case 14:
			return entry(&v.Annotations, f.bytes)
		case 15:
			v.Finalizers = append(v.Finalizers, f.text())
		case 16:
			v.Source = f.text()
		case 17:
			v.Driver = f.text()
		case 18:
			v.Handle = f.text()
		case 19:
			v.Affinity = f.flag()
		}
		return nil
	})
	return v, err
}

func (r ClaimRef) append(b []byte) []byte {
	b = putString(b, 1, r.Kind)
	b = putString(b, 2, r.APIVersion)
	b = putString(b, 3, r.Namespace)
	b = putString(b, 4, r.Name)
	b = putString(b, 5, r.UID)
	return putString(b, 6, r.ResourceVersion)
}

func parseClaimRef(b []byte) (ClaimRef, error) {
	var r ClaimRef
	err := walk("claimRef", b, func(f field) error {
		switch f.num {
		case 1:
			r.Kind = f.text()
		case 2:
			r.APIVersion = f.text()
		case 3:
			r.Namespace = f.text()
		case 4:
			r.Name = f.text()
		case 5:
			r.UID = f.text()
		case 6:
			r.ResourceVersion = f.text()
		}
		return nil
	})
	return r, err
}
