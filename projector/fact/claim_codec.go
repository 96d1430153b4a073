package fact

// Append appends the canonical encoding of the claim.
func (c Claim) Append(b []byte) []byte {
	b = putUint(b, 1, c.ResourceVersion)
	b = putString(b, 2, c.UID)
	b = putInt(b, 3, c.Created)
	b = putBool(b, 4, c.Deleting)
	b = putMap(b, 5, c.Requests)
	b = putStrings(b, 6, c.AccessModes)
	b = putString(b, 7, c.VolumeMode)
	b = putString(b, 8, c.Class)
	b = putBool(b, 9, c.HasClass)
	b = putString(b, 10, c.Attributes)
	b = putString(b, 11, c.VolumeName)
	if c.Selector != nil {
		b = putMessage(b, 12, c.Selector.append(nil))
	}
	b = putBool(b, 13, c.DataSource)
	b = putMap(b, 14, c.Annotations)
	b = putStrings(b, 15, c.Finalizers)
	b = putString(b, 16, c.Phase)
	b = putStrings(b, 17, c.StatusModes)
	b = putMap(b, 18, c.StatusCapacity)
	if c.CurrentAttributes != nil {
		b = putMessage(b, 19, []byte(*c.CurrentAttributes))
	}
	return b
}

// ParseClaim reads what Append wrote.
func ParseClaim(b []byte) (Claim, error) {
	var c Claim
	err := walk("claim", b, func(f field) error {
		switch f.num {
		case 1:
			c.ResourceVersion = f.number
		case 2:
			c.UID = f.text()
		case 3:
			c.Created = f.signed()
		case 4:
			c.Deleting = f.flag()
		case 5:
			return entry(&c.Requests, f.bytes)
		case 6:
			c.AccessModes = append(c.AccessModes, f.text())
		case 7:
			c.VolumeMode = f.text()
		case 8:
			c.Class = f.text()
		case 9:
			c.HasClass = f.flag()
		case 10:
			c.Attributes = f.text()
		case 11:
			c.VolumeName = f.text()
		case 12:
			s, err := parseSelector(f.bytes)
			c.Selector = &s
			return err
		case 13:
			c.DataSource = f.flag()
		case 14:
			return entry(&c.Annotations, f.bytes)
		case 15:
			c.Finalizers = append(c.Finalizers, f.text())
		case 16:
			c.Phase = f.text()
		case 17:
			c.StatusModes = append(c.StatusModes, f.text())
		case 18:
			return entry(&c.StatusCapacity, f.bytes)
		case 19:
			s := f.text()
			c.CurrentAttributes = &s
		}
		return nil
	})
	return c, err
}

func (s Selector) append(b []byte) []byte {
	b = putMap(b, 1, s.Labels)
	for _, r := range s.Expressions {
		e := putString(nil, 1, r.Key)
		e = putString(e, 2, r.Operator)
		e = putStrings(e, 3, r.Values)
		b = putMessage(b, 2, e)
	}
	return b
}

func parseSelector(b []byte) (Selector, error) {
	var s Selector
	err := walk("selector", b, func(f field) error {
		switch f.num {
		case 1:
			return entry(&s.Labels, f.bytes)
		case 2:
			var r Requirement
			err := walk("requirement", f.bytes, func(f field) error {
				switch f.num {
				case 1:
					r.Key = f.text()
				case 2:
					r.Operator = f.text()
				case 3:
					r.Values = append(r.Values, f.text())
				}
				return nil
			})
			s.Expressions = append(s.Expressions, r)
			return err
		}
		return nil
	})
	return s, err
}
