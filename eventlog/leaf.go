package eventlog

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"hash"

	"golang.org/x/mod/sumdb/tlog"
)

// Hash is a SHA-256: of a leaf, a commitment or a chain.
type Hash = tlog.Hash

// PartNumber names one of the three parts of a record that a commitment can
// stand for. The numbers are part of the format.
type PartNumber uint8

// The parts of a record.
const (
	PartUnknown PartNumber = iota
	PartSubject
	PartFact
	PartObject
)

// String is the part's name.
func (p PartNumber) String() string {
	switch p {
	case PartSubject:
		return "subject"
	case PartFact:
		return "fact"
	case PartObject:
		return "object"
	}
	return "unknown part"
}

// Salt is what hides a short part from guessing: HMAC-SHA256 under the
// segment's secret of seq (8 bytes, big-endian) and part number (1 byte).
type Salt [sha256.Size]byte

// Commit is C(p) of design.md section 2: SHA-256(salt ‖ part). Who holds the
// part and its salt can check it; who holds neither learns nothing.
func (s Salt) Commit(part []byte) Hash {
	h := sha256.New()
	h.Write(s[:])
	h.Write(part)
	return Hash(h.Sum(nil))
}

// LeafHash is the RFC 6962 leaf hash of a record, from its envelope as stored
// and the commitments of its three parts. The commitments have a fixed length
// and stand last, so no two records share these bytes.
func LeafHash(envelope []byte, subject, fact, object Hash) Hash {
	b := make([]byte, 0, len(envelope)+3*len(subject))
	b = append(b, envelope...)
	b = append(b, subject[:]...)
	b = append(b, fact[:]...)
	b = append(b, object[:]...)
	return tlog.RecordHash(b)
}

// leafHasher makes salts, commitments and leaves under one segment's secret,
// and reuses its hash states. It is not safe for concurrent use.
type leafHasher struct {
	mac hash.Hash
	sum hash.Hash
	buf []byte
}

func newLeafHasher(secret [sha256.Size]byte) *leafHasher {
	return &leafHasher{mac: hmac.New(sha256.New, secret[:]), sum: sha256.New()}
}

func (l *leafHasher) salt(seq Seq, part PartNumber) (s Salt) {
	var in [9]byte
	binary.BigEndian.PutUint64(in[:8], uint64(seq))
	in[8] = byte(part)
	l.mac.Reset()
	l.mac.Write(in[:])
	l.mac.Sum(s[:0])
	return s
}

func (l *leafHasher) commitment(seq Seq, number PartNumber, p *part) (h Hash) {
	if p.state != partInline {
		return p.commitment
	}
	s := l.salt(seq, number)
	l.sum.Reset()
	l.sum.Write(s[:])
	l.sum.Write(p.bytes)
	l.sum.Sum(h[:0])
	return h
}

// leaf is the leaf hash of a record: from the commitments of what is withheld
// and the bytes of all else.
func (l *leafHasher) leaf(r *storedRecord) (h Hash) {
	l.buf = append(l.buf[:0], 0) // RFC 6962: leaves are hashed behind a zero byte
	l.buf = append(l.buf, r.envelope...)
	for i := range r.parts {
		c := l.commitment(r.Seq, PartNumber(i+1), &r.parts[i])
		l.buf = append(l.buf, c[:]...)
	}
	return sha256.Sum256(l.buf)
}

// chainHash is chain(n) = SHA-256(chain(n-1) ‖ log id ‖ n ‖ first seq ‖ count
// ‖ leaves). chain(0) is all zero. Codec, packing and CRC stand outside it, so
// that sealing may repack a block without changing what it proves.
func chainHash(prev Hash, logID [16]byte, number uint64, first Seq, leaves []Hash) (out Hash) {
	h := sha256.New()
	b := make([]byte, 0, 2*sha256.Size)
	b = append(b, prev[:]...)
	b = append(b, logID[:]...)
	h.Write(b)
	b = binary.BigEndian.AppendUint64(b[:0], number)
	b = binary.BigEndian.AppendUint64(b, uint64(first))
	b = binary.BigEndian.AppendUint32(b, uint32(len(leaves)))
	h.Write(b)
	for i := range leaves {
		h.Write(leaves[i][:])
	}
	h.Sum(out[:0])
	return out
}
