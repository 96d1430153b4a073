package eventlog

// packer turns numbered records into blocks that go on from the last one. It
// is owned by the committer.
type packer struct {
	logID  [16]byte
	leaf   *leafHasher
	number uint64 // of the last block
	chain  Hash   // of the last block

	// Reused from block to block.
	facts, objects []byte
	records        []storedRecord
	leaves         []Hash
}

// packed is an encoded block and the objects that go beside it.
type packed struct {
	header
	value []byte
	aside []asideObject
}

// asideObject is an object for the side bucket, packed.
type asideObject struct {
	seq   Seq
	value []byte
}

// pack encodes as many of the records as fit into one block and returns the
// rest. The packer goes on from the new block at once; if its commit fails,
// the log has failed and the packer is never used again.
func (p *packer) pack(records []Record) (packed, []Record) {
	n := min(len(records), MaxBlockRecords)
	for {
		out, used := p.encode(records[:n])
		n = used
		if size := len(out.value); size > MaxBlockBytes && n > 1 {
			// Cut where the ratio seen says that the bound is, and look again.
			n = max(1, min(n-1, n*MaxBlockBytes/size))
			continue
		}
		p.number, p.chain = out.number, out.chain
		return out, records[n:]
	}
}

// encode makes one block of the records, or of fewer if their plain bytes are
// over a frame's bound, and returns how many it took.
func (p *packer) encode(records []Record) (out packed, used int) {
	out.aside = p.plain(records)
	used = len(p.records)
	// Hashing takes as long as packing, and neither needs the other.
	hashed := make(chan []Hash)
	go func() { hashed <- p.leaf.hashAll(p.leaves[:0], p.records) }()
	h := header{
		version:    blockVersion,
		count:      uint32(used),
		number:     p.number + 1,
		first:      records[0].Seq,
		factsRaw:   uint32(len(p.facts)),
		objectsRaw: uint32(len(p.objects)),
		prev:       p.chain,
	}
	var facts, objects []byte
	h.factsCodec, facts = packFrame(p.facts)
	h.objectsCodec, objects = packFrame(p.objects)
	h.factsLen, h.objectsLen = uint32(len(facts)), uint32(len(objects))
	h.factsCRC, h.objectsCRC = checksum(facts), checksum(objects)
	p.leaves = <-hashed
	clear(p.records) // let go of facts and objects
	h.chain = chainHash(h.prev, p.logID, h.number, h.first, p.leaves)
	out.header = h
	out.value = h.append(make([]byte, 0, headerSize+len(facts)+len(objects)))
	out.value = append(out.value, facts...)
	out.value = append(out.value, objects...)
	return out, used
}

// plain fills the packer's plain frames and its records, whose envelopes and
// subjects lie in memory of their own.
func (p *packer) plain(records []Record) (aside []asideObject) {
	p.facts, p.objects, p.records = p.facts[:0], p.objects[:0], p.records[:0]
	objects := false
	names := make([]byte, 0, 128*len(records))
	take := func(from int) []byte { return names[from:len(names):len(names)] }
	for i := range records {
		r := storedRecord{Record: records[i]}
		start := len(names)
		names = appendEnvelope(names, &r.Record)
		r.envelope = take(start)
		start = len(names)
		names = appendSubject(names, r.Subject, r.Unknown.Subject)
		r.parts = [3]part{inlinePart(take(start)), inlinePart(r.Fact), inlinePart(r.Object)}
		if a, ok := p.setAside(&r); ok {
			aside = append(aside, a)
		}
		p.facts = r.appendFacts(p.facts)
		p.objects = r.appendObject(p.objects)
		p.records = append(p.records, r)
		objects = objects || r.parts[2].length > 0
		if len(p.facts) >= maxFrameRaw || len(p.objects) >= maxFrameRaw {
			break
		}
	}
	if !objects {
		p.objects = p.objects[:0] // a block without objects has no second frame
	}
	return aside
}

// setAside takes an object that is too big for a block out of its record and
// leaves commitment and length.
func (p *packer) setAside(r *storedRecord) (asideObject, bool) {
	object := r.parts[2].bytes
	if len(object) <= MaxInlineObject {
		return asideObject{}, false
	}
	value := appendAside(nil, r.Seq, object)
	if len(object) <= maxInlineRaw && len(value)-asideHeader <= MaxInlineObject {
		return asideObject{}, false
	}
	r.parts[2] = part{
		state:      partAside,
		length:     uint64(len(object)),
		commitment: p.leaf.commitment(r.Seq, PartObject, &r.parts[2]),
	}
	return asideObject{seq: r.Seq, value: value}, true
}
