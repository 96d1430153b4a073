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
// and reuses its memory: leaves are most of what a commit computes. It is not
// safe for concurrent use.
type leafHasher struct {
	mac  hash.Hash
	in   [9]byte
	out  Salt
	buf  []byte // salt ‖ part
	leaf []byte
}

func newLeafHasher(secret [sha256.Size]byte) *leafHasher {
	return &leafHasher{mac: hmac.New(sha256.New, secret[:])}
}

func (l *leafHasher) salt(seq Seq, part PartNumber) Salt {
	binary.BigEndian.PutUint64(l.in[:8], uint64(seq))
	l.in[8] = byte(part)
	l.mac.Reset()
	l.mac.Write(l.in[:])
	l.mac.Sum(l.out[:0])
	return l.out
}

func (l *leafHasher) commitment(seq Seq, number PartNumber, p *part) Hash {
	if p.state != partInline {
		return p.commitment
	}
	salt := l.salt(seq, number)
	if len(p.bytes) > 1<<16 {
		return salt.Commit(p.bytes)
	}
	l.buf = append(append(l.buf[:0], salt[:]...), p.bytes...)
	return sha256.Sum256(l.buf)
}

// hash is the leaf hash of a record: from the commitments of what is withheld
// or aside, and the bytes of all else.
func (l *leafHasher) hash(seq Seq, envelope []byte, parts *[3]part) Hash {
	l.leaf = append(l.leaf[:0], 0) // RFC 6962: leaves are hashed behind a zero byte
	l.leaf = append(l.leaf, envelope...)
	for i := range parts {
		c := l.commitment(seq, PartNumber(i+1), &parts[i])
		l.leaf = append(l.leaf, c[:]...)
	}
	return sha256.Sum256(l.leaf)
}

// hashAll appends the leaf hashes of records.
func (l *leafHasher) hashAll(leaves []Hash, records []storedRecord) []Hash {
	for i := range records {
		r := &records[i]
		leaves = append(leaves, l.hash(r.Seq, r.envelope, &r.parts))
	}
	return leaves
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
