package eventlog

import (
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// Fields of a subject. It is a part of its own, apart from the envelope, so
// that names can be redacted without touching the leaf.
const (
	subjectResource  protowire.Number = 1 // varint
	subjectNamespace protowire.Number = 2 // bytes
	subjectName      protowire.Number = 3 // bytes
	subjectUID       protowire.Number = 4 // 16 bytes
	subjectLast                       = subjectUID
)

func appendSubject(b []byte, s Subject, unknown []byte) []byte {
	b = appendVarint(b, subjectResource, uint64(s.Resource))
	b = appendBytes(b, subjectNamespace, s.Namespace)
	b = appendBytes(b, subjectName, s.Name)
	if s.UID != (UID{}) {
		b = appendBytes(b, subjectUID, string(s.UID[:]))
	}
	return append(b, unknown...)
}

func decodeSubject(b []byte) (s Subject, unknown []byte, err error) {
	w := wire{rest: b}
	unknown = w.fields(subjectLast, func(num protowire.Number, typ protowire.Type) {
		if num == subjectResource {
			v := w.varintField(typ)
			if v == 0 || v > math.MaxUint8 {
				w.fail(fmt.Errorf("resource %d out of range", v))
			}
			s.Resource = Resource(v)
			return
		}
		v := w.bytesField(typ, MaxName, "name")
		if len(v) == 0 {
			w.fail(fmt.Errorf("field %d is empty but present", num))
		}
		switch num {
		case subjectNamespace:
			s.Namespace = string(v)
		case subjectName:
			s.Name = string(v)
		case subjectUID:
			if copy(s.UID[:], v) != len(v) || len(v) != len(s.UID) || s.UID == (UID{}) {
				w.fail(fmt.Errorf("uid of %d bytes", len(v)))
			}
		}
	})
	if err := w.done(); err != nil {
		return Subject{}, nil, fmt.Errorf("subject: %w", err)
	}
	return s, unknown, nil
}
