package eventlog

import (
	"fmt"
	"math"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// Fields of an envelope, in the order they are written. A field whose value is
// zero is left out. New fields get higher numbers; they are kept by programs
// that do not know them.
const (
	envelopeSeq     protowire.Number = 1 // varint
	envelopeKind    protowire.Number = 2 // varint
	envelopeVersion protowire.Number = 3 // varint, left out when 1
	envelopeTime    protowire.Number = 4 // varint, nanoseconds since 1970
	envelopeAhead   protowire.Number = 5 // varint, nanoseconds by which time is ahead of the clock
	envelopeCause   protowire.Number = 6 // bytes: varints, each seq minus the cause, in given order
	envelopeLast                     = envelopeCause
)

// appendEnvelope encodes all of a record that names nobody: the part of it
// that stands openly in its leaf.
func appendEnvelope(b []byte, r *Record) []byte {
	b = appendVarint(b, envelopeSeq, uint64(r.Seq))
	b = appendVarint(b, envelopeKind, uint64(r.Kind))
	if r.Version != 1 {
		b = appendVarint(b, envelopeVersion, uint64(r.Version))
	}
	recorded := nanos(r.Time)
	b = appendVarint(b, envelopeTime, recorded)
	b = appendVarint(b, envelopeAhead, recorded-nanos(r.Clock))
	if len(r.Cause) > 0 {
		n := 0
		for _, c := range r.Cause {
			n += protowire.SizeVarint(uint64(r.Seq - c))
		}
		b = protowire.AppendTag(b, envelopeCause, protowire.BytesType)
		b = protowire.AppendVarint(b, uint64(n))
		for _, c := range r.Cause {
			b = protowire.AppendVarint(b, uint64(r.Seq-c))
		}
	}
	return append(b, r.Unknown.Envelope...)
}

// decodeEnvelope is the reverse of appendEnvelope. It accepts nothing that
// appendEnvelope would write differently.
func decodeEnvelope(b []byte, r *Record) error {
	w := wire{rest: b}
	var recorded, ahead uint64
	r.Version = 1
	r.Unknown.Envelope = w.fields(envelopeLast, func(num protowire.Number, typ protowire.Type) {
		if num == envelopeCause {
			r.Cause = decodeCause(&w, r.Seq, w.bytesField(typ, maxEnvelope, "cause"))
			return
		}
		v := w.varintField(typ)
		if v == 0 {
			w.fail(fmt.Errorf("field %d is zero but present", num))
		}
		switch num {
		case envelopeSeq:
			r.Seq = Seq(v)
		case envelopeKind:
			r.Kind = Kind(v)
			if v > math.MaxUint8 {
				w.fail(fmt.Errorf("kind %d is over 255", v))
			}
		case envelopeVersion:
			r.Version = uint8(v)
			if v > math.MaxUint8 || v == 1 {
				w.fail(fmt.Errorf("version %d out of range", v))
			}
		case envelopeTime:
			recorded = v
		case envelopeAhead:
			ahead = v
		}
	})
	if err := w.done(); err != nil {
		return fmt.Errorf("envelope: %w", err)
	}
	if r.Seq == 0 {
		return fmt.Errorf("envelope: no seq")
	}
	if recorded > math.MaxInt64 || ahead > recorded {
		return fmt.Errorf("envelope: time out of range")
	}
	r.Time = fromNanos(recorded)
	r.Clock = fromNanos(recorded - ahead)
	return nil
}

func decodeCause(w *wire, seq Seq, b []byte) []Seq {
	if w.err != nil {
		return nil
	}
	if len(b) == 0 {
		w.fail(fmt.Errorf("cause is empty but present"))
		return nil
	}
	in := wire{rest: b}
	var cause []Seq
	for len(in.rest) > 0 {
		back := in.uvarint()
		if in.err != nil || back == 0 || back >= uint64(seq) || len(cause) == MaxCauses {
			w.fail(fmt.Errorf("cause out of range"))
			return nil
		}
		cause = append(cause, seq-Seq(back))
	}
	return cause
}

// nanos is a time as the format holds it: nanoseconds since 1970, clamped to
// what 63 bits hold. A clock outside 1970 to 2262 is wrong anyway.
func nanos(t time.Time) uint64 {
	switch {
	case t.Unix() < 0:
		return 0
	case t.Unix() > math.MaxInt64/int64(time.Second)-1:
		return (math.MaxInt64/uint64(time.Second) - 1) * uint64(time.Second)
	}
	return uint64(t.UnixNano())
}

func fromNanos(n uint64) time.Time { return time.Unix(0, int64(n)).UTC() }

func appendVarint(b []byte, num protowire.Number, v uint64) []byte {
	if v == 0 {
		return b
	}
	b = protowire.AppendTag(b, num, protowire.VarintType)
	return protowire.AppendVarint(b, v)
}

func appendBytes(b []byte, num protowire.Number, v string) []byte {
	if v == "" {
		return b
	}
	b = protowire.AppendTag(b, num, protowire.BytesType)
	return protowire.AppendString(b, v)
}
