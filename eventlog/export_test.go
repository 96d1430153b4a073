package eventlog

import "crypto/sha256"

// TestVector is everything the format fixes about a run of records.
type TestVector struct {
	Envelopes, Subjects []string
	Salts, Commitments  [][3][sha256.Size]byte
	Leaves              []Hash
	Chain               Hash
	Block               []byte
	Aside               map[Seq][]byte
}

// Vector packs records into one block, under a given log id, secret, block
// number and previous chain hash.
func Vector(records []Record, logID [16]byte, secret [sha256.Size]byte, number uint64, prev Hash) TestVector {
	v := TestVector{Aside: make(map[Seq][]byte)}
	leaf := newLeafHasher(secret)
	for i := range records {
		r := &records[i]
		envelope := appendEnvelope(nil, r)
		subject := appendSubject(nil, r.Subject, r.Unknown.Subject)
		v.Envelopes = append(v.Envelopes, string(envelope))
		v.Subjects = append(v.Subjects, string(subject))
		var salts, commitments [3][sha256.Size]byte
		for i, p := range [][]byte{subject, r.Fact, r.Object} {
			s := leaf.salt(r.Seq, PartNumber(i+1))
			salts[i], commitments[i] = s, s.Commit(p)
		}
		v.Salts = append(v.Salts, salts)
		v.Commitments = append(v.Commitments, commitments)
		v.Leaves = append(v.Leaves, LeafHash(envelope, commitments[0], commitments[1], commitments[2]))
	}
	p := packer{logID: logID, leaf: leaf, number: number - 1, chain: prev}
	b, rest := p.pack(records)
	if len(rest) > 0 {
		panic("more than a block")
	}
	v.Chain, v.Block = b.chain, b.value
	for _, a := range b.aside {
		v.Aside[a.seq] = a.value
	}
	return v
}

// DecodeBlockRecords decodes a block and encodes it again. Same reports that
// the plain frames came out as they went in.
func DecodeBlockRecords(raw []byte) (records []Record, same bool, err error) {
	b, err := decodeBlock(raw, true)
	if err != nil {
		return nil, false, err
	}
	facts, objects := []byte{}, []byte{}
	for i := range b.records {
		r := &b.records[i]
		records = append(records, r.Record)
		facts = r.appendFacts(facts)
		objects = r.appendObject(objects)
	}
	plain := func(codec frameCodec, packed []byte, raw uint32) []byte {
		out, err := unpackFrame(codec, packed, raw, maxFrameDecoded)
		if err != nil {
			panic(err)
		}
		return out
	}
	same = string(facts) == string(plain(b.factsCodec, raw[headerSize:headerSize+b.factsLen], b.factsRaw))
	if b.objectsRaw > 0 {
		same = same && string(objects) == string(plain(b.objectsCodec, raw[headerSize+b.factsLen:], b.objectsRaw))
	}
	return records, same, nil
}

// DecodeRecord decodes one record's envelope and subject and encodes them
// again.
func DecodeRecord(envelope, subject []byte) (r Record, e, s []byte, err error) {
	if err := decodeEnvelope(envelope, &r); err != nil {
		return Record{}, nil, nil, err
	}
	if r.Subject, r.Unknown.Subject, err = decodeSubject(subject); err != nil {
		return Record{}, nil, nil, err
	}
	return r, appendEnvelope(nil, &r), appendSubject(nil, r.Subject, r.Unknown.Subject), nil
}

// ResealBlock makes the checksums of a block right that a fuzzer changed, so
// that what lies behind them is met too.
func ResealBlock(raw []byte) {
	if len(raw) < headerSize {
		return
	}
	raw[2], raw[3] = 0, headerSize
	h := header{}
	fix := func(at int, v uint32) {
		raw[at], raw[at+1], raw[at+2], raw[at+3] = byte(v>>24), byte(v>>16), byte(v>>8), byte(v)
	}
	get := func(at int) uint32 {
		return uint32(raw[at])<<24 | uint32(raw[at+1])<<16 | uint32(raw[at+2])<<8 | uint32(raw[at+3])
	}
	h.factsLen = min(get(28), uint32(len(raw)-headerSize))
	h.objectsLen = uint32(len(raw)) - headerSize - h.factsLen
	fix(28, h.factsLen)
	fix(36, h.objectsLen)
	fix(40, checksum(raw[headerSize:headerSize+h.factsLen]))
	fix(44, checksum(raw[headerSize+h.factsLen:]))
	fix(headerSize-4, checksum(raw[:headerSize-4]))
}

// DecodeAside and DecodeManifest and DecodeSegmentMeta are for fuzzing.
func DecodeAside(b []byte, seq Seq, length uint64) ([]byte, error) {
	return decodeAside(b, seq, length)
}

// DecodeManifest decodes a manifest.
func DecodeManifest(b []byte) error {
	_, err := decodeManifest("manifest", b)
	return err
}

// WithheldBlock packs records with some parts withheld, as redaction will.
func WithheldBlock(records []Record, logID [16]byte, secret [sha256.Size]byte, withhold Parts) (block []byte, chain Hash) {
	leaf := newLeafHasher(secret)
	b := packedWithheld(records, leaf, withhold)
	h := header{
		version: blockVersion, count: uint32(len(records)), number: 1, first: records[0].Seq,
		factsRaw: uint32(len(b.facts)), factsLen: uint32(len(b.facts)), factsCRC: checksum(b.facts),
		objectsRaw: uint32(len(b.objects)), objectsLen: uint32(len(b.objects)), objectsCRC: checksum(b.objects),
	}
	h.chain = chainHash(Hash{}, logID, 1, h.first, b.leaves)
	return append(append(h.append(nil), b.facts...), b.objects...), h.chain
}

func packedWithheld(records []Record, leaf *leafHasher, withhold Parts) (out struct {
	facts, objects []byte
	leaves         []Hash
}) {
	for i := range records {
		r := storedRecord{Record: records[i]}
		r.envelope = appendEnvelope(nil, &r.Record)
		r.parts = [3]part{inlinePart(appendSubject(nil, r.Subject, nil)), inlinePart(r.Fact), inlinePart(r.Object)}
		for n := PartSubject; n <= PartObject; n++ {
			if p := &r.parts[n-1]; withhold.Has(n) {
				*p = part{state: partWithheld, length: p.length, commitment: leaf.commitment(r.Seq, n, p)}
			}
		}
		out.facts = r.appendFacts(out.facts)
		out.objects = r.appendObject(out.objects)
		out.leaves = append(out.leaves, leaf.hash(r.Seq, r.envelope, &r.parts))
	}
	return out
}

// ChainOfBlock recomputes a block's chain hash from its bytes.
func ChainOfBlock(raw []byte, logID [16]byte, secret [sha256.Size]byte) (stored, computed Hash, records []Record, err error) {
	b, err := decodeBlock(raw, true)
	if err != nil {
		return stored, computed, nil, err
	}
	for i := range b.records {
		records = append(records, b.records[i].Record)
	}
	return b.chain, chainHash(b.prev, logID, b.number, b.first, newLeafHasher(secret).hashAll(nil, b.records)), records, nil
}
