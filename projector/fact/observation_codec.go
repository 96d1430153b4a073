package fact

// Append appends the canonical encoding of the observation.
func (o Observation) Append(b []byte) []byte {
	b = putUint(b, 1, o.ResourceVersion)
	b = putUint(b, 2, uint64(o.Source))
	b = putUint(b, 3, uint64(o.Verb))
	for _, m := range o.Managers {
		e := putString(nil, 1, m.Name)
		e = putString(e, 2, m.Operation)
		e = putString(e, 3, m.Subresource)
		b = putMessage(b, 4, putInt(e, 4, m.Time))
	}
	b = putString(b, 5, o.FoundUID)
	b = putUint(b, 6, o.Ask)
	return putBytes(b, 7, o.Body)
}

// ParseObservation reads what Append wrote. Body is a part of b, not a copy.
func ParseObservation(b []byte) (Observation, error) {
	var o Observation
	err := walk("observation", b, func(f field) error {
		switch f.num {
		case 1:
			o.ResourceVersion = f.number
		case 2:
			o.Source = Source(f.number)
		case 3:
			o.Verb = Verb(f.number)
		case 4:
			var m Manager
			err := walk("manager", f.bytes, func(f field) error {
				switch f.num {
				case 1:
					m.Name = f.text()
				case 2:
					m.Operation = f.text()
				case 3:
					m.Subresource = f.text()
				case 4:
					m.Time = f.signed()
				}
				return nil
			})
			o.Managers = append(o.Managers, m)
			return err
		case 5:
			o.FoundUID = f.text()
		case 6:
			o.Ask = f.number
		case 7:
			o.Body = f.bytes
		}
		return nil
	})
	return o, err
}

// Append appends the canonical encoding of the list.
func (l List) Append(b []byte) []byte {
	b = putString(b, 1, l.Asked)
	b = putUint(b, 2, l.Version)
	b = putUint(b, 3, l.Items)
	b = putString(b, 4, l.Error)
	return putInt(b, 5, int64(l.Code))
}

// ParseList reads what Append wrote.
func ParseList(b []byte) (List, error) {
	var l List
	err := walk("list", b, func(f field) error {
		switch f.num {
		case 1:
			l.Asked = f.text()
		case 2:
			l.Version = f.number
		case 3:
			l.Items = f.number
		case 4:
			l.Error = f.text()
		case 5:
			l.Code = int32(f.signed())
		}
		return nil
	})
	return l, err
}

// Append appends the canonical encoding of the gap.
func (g Gap) Append(b []byte) []byte {
	return putString(putUint(putUint(b, 1, g.From), 2, g.To), 3, g.Cause)
}

// ParseGap reads what Append wrote.
func ParseGap(b []byte) (Gap, error) {
	var g Gap
	err := walk("gap", b, func(f field) error {
		switch f.num {
		case 1:
			g.From = f.number
		case 2:
			g.To = f.number
		case 3:
			g.Cause = f.text()
		}
		return nil
	})
	return g, err
}

// Append appends the canonical encoding of the watch record.
func (w Watch) Append(b []byte) []byte {
	return putString(putString(putUint(b, 1, w.Version), 2, w.Cause), 3, w.Error)
}

// ParseWatch reads what Append wrote.
func ParseWatch(b []byte) (Watch, error) {
	var w Watch
	err := walk("watch", b, func(f field) error {
		switch f.num {
		case 1:
			w.Version = f.number
		case 2:
			w.Cause = f.text()
		case 3:
			w.Error = f.text()
		}
		return nil
	})
	return w, err
}

// Append appends the canonical encoding of the start.
func (s Start) Append(b []byte) []byte {
	b = putString(putString(putString(b, 1, s.Version), 2, s.RuleSet), 3, s.Mode)
	return putMap(b, 4, s.Options)
}

// ParseStart reads what Append wrote.
func ParseStart(b []byte) (Start, error) {
	var s Start
	err := walk("start", b, func(f field) error {
		switch f.num {
		case 1:
			s.Version = f.text()
		case 2:
			s.RuleSet = f.text()
		case 3:
			s.Mode = f.text()
		case 4:
			return entry(&s.Options, f.bytes)
		}
		return nil
	})
	return s, err
}

// Append appends the canonical encoding of the epoch.
func (e Epoch) Append(b []byte) []byte {
	b = putString(putUint(b, 1, e.Number), 2, e.Evidence)
	return putUint(putUint(b, 3, e.Was), 4, e.Is)
}

// ParseEpoch reads what Append wrote.
func ParseEpoch(b []byte) (Epoch, error) {
	var e Epoch
	err := walk("epoch", b, func(f field) error {
		switch f.num {
		case 1:
			e.Number = f.number
		case 2:
			e.Evidence = f.text()
		case 3:
			e.Was = f.number
		case 4:
			e.Is = f.number
		}
		return nil
	})
	return e, err
}

// Append appends the canonical encoding of the lease record.
func (l Lead) Append(b []byte) []byte { return putUint(b, 1, l.Term) }

// ParseLead reads what Append wrote.
func ParseLead(b []byte) (Lead, error) {
	var l Lead
	err := walk("lead", b, func(f field) error {
		if f.num == 1 {
			l.Term = f.number
		}
		return nil
	})
	return l, err
}
