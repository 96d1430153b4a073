package eventlog

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// partState tells what stands in a block for a part. The numbers are part of
// the format.
type partState uint8

const (
	partInline   partState = 0 // its bytes
	partWithheld partState = 1 // commitment and length: redacted, erased or aged out
	partAside    partState = 2 // commitment and length: the bytes are in the side bucket
)

// part is a subject, a fact or an object as a block holds it: bytes, or a
// commitment and the length of what it stands for.
//
//	varint (length << 2 | state) | inline: length bytes
//	                             | else:   32 bytes of commitment
type part struct {
	state      partState
	bytes      []byte
	length     uint64
	commitment Hash
}

func inlinePart(b []byte) part {
	return part{bytes: b, length: uint64(len(b))}
}

func appendPart(b []byte, p *part) []byte {
	b = protowire.AppendVarint(b, p.length<<2|uint64(p.state))
	if p.state == partInline {
		return append(b, p.bytes...)
	}
	return append(b, p.commitment[:]...)
}

func (w *wire) part(limit int, what string) (p part) {
	head := w.uvarint()
	p.length, p.state = head>>2, partState(head&3)
	switch p.state {
	case partInline:
		p.bytes = w.bytes(p.length, limit, what)
	case partWithheld, partAside:
		copy(p.commitment[:], w.bytes(uint64(len(p.commitment)), len(p.commitment), what))
		if p.length > uint64(MaxObject) {
			w.fail(fmt.Errorf("%s of %d bytes is over %d", what, p.length, MaxObject))
		}
	default:
		w.fail(fmt.Errorf("%s in unknown state %d", what, p.state))
	}
	return p
}
