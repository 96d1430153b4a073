package eventlog

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func checksum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

// Reasons inside a CorruptError about a block.
var (
	errHeaderCRC  = errors.New("header checksum is wrong")
	errFrameCRC   = errors.New("frame checksum is wrong")
	errHeader     = errors.New("header contradicts itself")
	errBlockSize  = errors.New("block is not as long as its header says")
	errBlockPlace = errors.New("block stands in another's place")
	errNumbering  = errors.New("record has another number than its place")
	errChain      = errors.New("chain hash is not that of the records")
)

// header is the fixed part of a block. See format.go for its layout.
type header struct {
	version                uint8
	factsCodec             frameCodec
	objectsCodec           frameCodec
	count                  uint32
	number                 uint64
	first                  Seq
	factsRaw, factsLen     uint32
	objectsRaw, objectsLen uint32
	factsCRC, objectsCRC   uint32
	prev, chain            Hash
}

func (h *header) last() Seq { return h.first + Seq(h.count) - 1 }

func (h *header) append(b []byte) []byte {
	start := len(b)
	b = append(b, h.version, byte(h.factsCodec)|byte(h.objectsCodec)<<4)
	b = binary.BigEndian.AppendUint16(b, headerSize)
	b = binary.BigEndian.AppendUint32(b, h.count)
	b = binary.BigEndian.AppendUint64(b, h.number)
	b = binary.BigEndian.AppendUint64(b, uint64(h.first))
	for _, v := range [...]uint32{h.factsRaw, h.factsLen, h.objectsRaw, h.objectsLen, h.factsCRC, h.objectsCRC} {
		b = binary.BigEndian.AppendUint32(b, v)
	}
	b = append(b, h.prev[:]...)
	b = append(b, h.chain[:]...)
	return binary.BigEndian.AppendUint32(b, checksum(b[start:]))
}

// decodeHeader checks the header's CRC before it believes anything else, and
// that the block is as long as the header says. An UnsupportedVersionError
// comes without a path; all other errors mean damage.
func decodeHeader(b []byte) (h header, err error) {
	if len(b) < 8 {
		return header{}, errTruncated
	}
	size := int(binary.BigEndian.Uint16(b[2:]))
	if size < 8 || size > len(b) {
		return header{}, errTruncated
	}
	if checksum(b[:size-4]) != binary.BigEndian.Uint32(b[size-4:]) {
		return header{}, errHeaderCRC
	}
	if b[0] != blockVersion {
		return header{}, &UnsupportedVersionError{
			What: "block", Version: int(b[0]), Oldest: oldestBlockVersion, Newest: blockVersion,
		}
	}
	if size != headerSize {
		return header{}, errHeader
	}
	h.version = b[0]
	h.factsCodec, h.objectsCodec = frameCodec(b[1]&15), frameCodec(b[1]>>4)
	h.count = binary.BigEndian.Uint32(b[4:])
	h.number = binary.BigEndian.Uint64(b[8:])
	h.first = Seq(binary.BigEndian.Uint64(b[16:]))
	for i, v := range [...]*uint32{&h.factsRaw, &h.factsLen, &h.objectsRaw, &h.objectsLen, &h.factsCRC, &h.objectsCRC} {
		*v = binary.BigEndian.Uint32(b[24+4*i:])
	}
	copy(h.prev[:], b[48:])
	copy(h.chain[:], b[80:])
	if h.count == 0 || h.count > MaxBlockRecords || h.number == 0 || h.first == 0 || h.last() < h.first {
		return header{}, errHeader
	}
	if int64(len(b)) != headerSize+int64(h.factsLen)+int64(h.objectsLen) {
		return header{}, errBlockSize
	}
	return h, nil
}

// storedRecord is a record with the bytes that its leaf is made of.
type storedRecord struct {
	Record
	envelope []byte
	parts    [3]part // subject, fact, object
}

// block is a decoded block.
type block struct {
	header
	records []storedRecord
}

// appendFacts and appendObject put a record into the two frames.
func (r *storedRecord) appendFacts(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(len(r.envelope)))
	b = append(b, r.envelope...)
	b = appendPart(b, &r.parts[0])
	return appendPart(b, &r.parts[1])
}

func (r *storedRecord) appendObject(b []byte) []byte { return appendPart(b, &r.parts[2]) }

// decodeFacts reads one record out of the facts frame.
func (r *storedRecord) decodeFacts(w *wire) error {
	r.envelope = w.prefixed(maxEnvelope, "envelope")
	r.parts[0] = w.part(maxSubject, "subject")
	r.parts[1] = w.part(MaxFact, "fact")
	if w.err != nil {
		return w.err
	}
	if err := decodeEnvelope(r.envelope, &r.Record); err != nil {
		return err
	}
	switch p := &r.parts[0]; p.state {
	case partInline:
		var err error
		if r.Subject, r.Unknown.Subject, err = decodeSubject(p.bytes); err != nil {
			return err
		}
	case partWithheld:
		r.Withheld = r.Withheld.with(PartSubject)
	default:
		return errors.New("subject in the side bucket")
	}
	switch p := &r.parts[1]; p.state {
	case partInline:
		r.Fact = some(p.bytes)
	case partWithheld:
		r.Withheld = r.Withheld.with(PartFact)
	default:
		return errors.New("fact in the side bucket")
	}
	return nil
}

// decodeObject reads one record's object out of the objects frame. An object
// in the side bucket is left for the segment to fetch.
func (r *storedRecord) decodeObject(w *wire) {
	r.parts[2] = w.part(maxInlineRaw, "object")
	switch r.parts[2].state {
	case partInline:
		r.Object = some(r.parts[2].bytes)
	case partWithheld:
		r.Withheld = r.Withheld.with(PartObject)
	}
}

// some makes an absent part read back as nil, as a draft without it has it.
func some(b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	return b
}

// decodeBlock checks and decodes a whole block. The CRC of both frames is
// checked in any case; the objects are unpacked only when they are wanted.
// Records share the memory of the unpacked frames.
func decodeBlock(raw []byte, objects bool) (*block, error) {
	h, err := decodeHeader(raw)
	if err != nil {
		return nil, err
	}
	factsFrame := raw[headerSize : headerSize+h.factsLen]
	objectsFrame := raw[headerSize+h.factsLen:]
	if checksum(factsFrame) != h.factsCRC || checksum(objectsFrame) != h.objectsCRC {
		return nil, errFrameCRC
	}
	b := &block{header: h, records: make([]storedRecord, h.count)}
	facts, err := unpackFrame(h.factsCodec, factsFrame, h.factsRaw, maxFrameDecoded)
	if err != nil {
		return nil, fmt.Errorf("facts: %w", err)
	}
	w := wire{rest: facts}
	for i := range b.records {
		r := &b.records[i]
		if err := r.decodeFacts(&w); err != nil {
			return nil, fmt.Errorf("facts: %w", err)
		}
		if r.Seq != h.first+Seq(i) {
			return nil, errNumbering
		}
	}
	if err := w.done(); err != nil {
		return nil, fmt.Errorf("facts: %w", err)
	}
	if !objects || h.objectsRaw == 0 {
		return b, nil
	}
	if w.rest, err = unpackFrame(h.objectsCodec, objectsFrame, h.objectsRaw, maxFrameDecoded); err != nil {
		return nil, fmt.Errorf("objects: %w", err)
	}
	for i := range b.records {
		b.records[i].decodeObject(&w)
	}
	if err := w.done(); err != nil {
		return nil, fmt.Errorf("objects: %w", err)
	}
	return b, nil
}
