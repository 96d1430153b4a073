package eventlog

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// errTruncated and its like are the reasons inside a CorruptError.
var (
	errTruncated = errors.New("ends too early")
	errTrailing  = errors.New("bytes left over")
	errVarint    = errors.New("number not in its shortest form")
	errOrder     = errors.New("fields out of order")
)

// wire reads encoded bytes front to back. The first error sticks, so that a
// decoder is a list of reads with one check at the end.
type wire struct {
	rest []byte
	err  error
}

func (w *wire) fail(err error) {
	if w.err == nil {
		w.err = err
	}
	w.rest = nil
}

// uvarint reads a varint and refuses a longer form than needed: one value has
// one encoding, so what is decoded and encoded again is the same bytes.
func (w *wire) uvarint() uint64 {
	v, n := protowire.ConsumeVarint(w.rest)
	if n < 0 {
		w.fail(errTruncated)
		return 0
	}
	if n != protowire.SizeVarint(v) {
		w.fail(errVarint)
		return 0
	}
	w.rest = w.rest[n:]
	return v
}

// bytes reads n bytes without copying them, and refuses more than limit.
func (w *wire) bytes(n uint64, limit int, what string) []byte {
	if w.err != nil {
		return nil
	}
	if n > uint64(limit) {
		w.fail(fmt.Errorf("%s of %d bytes is over %d", what, n, limit))
		return nil
	}
	if n > uint64(len(w.rest)) {
		w.fail(errTruncated)
		return nil
	}
	b := w.rest[:n:n]
	w.rest = w.rest[n:]
	return b
}

// prefixed reads a length and that many bytes.
func (w *wire) prefixed(limit int, what string) []byte {
	return w.bytes(w.uvarint(), limit, what)
}

// done reports the first error, or that bytes are left over.
func (w *wire) done() error {
	if w.err == nil && len(w.rest) > 0 {
		w.err = errTrailing
	}
	return w.err
}

// fields walks a run of protobuf fields. Known fields (those up to last) must
// come in rising order, each at most once, and are handed to read; what comes
// after them is checked to be well formed and returned as it stands.
func (w *wire) fields(last protowire.Number, read func(protowire.Number, protowire.Type)) (unknown []byte) {
	var before protowire.Number
	for w.err == nil && len(w.rest) > 0 {
		num, typ, n := protowire.ConsumeTag(w.rest)
		if n < 0 {
			w.fail(errTruncated)
			return nil
		}
		if n != protowire.SizeTag(num) {
			w.fail(errVarint)
			return nil
		}
		if num > last {
			return w.unknown(last)
		}
		if num <= before {
			w.fail(errOrder)
			return nil
		}
		before = num
		w.rest = w.rest[n:]
		read(num, typ)
	}
	return nil
}

// unknown takes all that is left as fields of a newer version. Groups are
// refused: they nest, and nothing here may nest.
func (w *wire) unknown(last protowire.Number) []byte {
	all := w.rest
	for len(w.rest) > 0 {
		num, typ, n := protowire.ConsumeTag(w.rest)
		if n < 0 || num <= last || typ == protowire.StartGroupType || typ == protowire.EndGroupType {
			w.fail(errOrder)
			return nil
		}
		m := protowire.ConsumeFieldValue(num, typ, w.rest[n:])
		if m < 0 {
			w.fail(errTruncated)
			return nil
		}
		w.rest = w.rest[n+m:]
	}
	return all[:len(all):len(all)]
}

// varintField reads a varint field's value.
func (w *wire) varintField(typ protowire.Type) uint64 {
	if typ != protowire.VarintType {
		w.fail(errOrder)
		return 0
	}
	return w.uvarint()
}

// bytesField reads a length-delimited field's value.
func (w *wire) bytesField(typ protowire.Type, limit int, what string) []byte {
	if typ != protowire.BytesType {
		w.fail(errOrder)
		return nil
	}
	return w.prefixed(limit, what)
}
