package eventlog

// packer turns numbered records into blocks that go on from the last one. It
// is owned by the committer.
type packer struct {
	logID  [16]byte
	leaf   *leafHasher
	number uint64 // of the last block
	chain  Hash   // of the last block

	facts, objects []byte // reused
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
	p.facts, p.objects, p.leaves = p.facts[:0], p.objects[:0], p.leaves[:0]
	objects := false
	var envelope, subject []byte
	for i := range records {
		r := storedRecord{Record: records[i]}
		envelope = appendEnvelope(envelope[:0], &r.Record)
		subject = appendSubject(subject[:0], r.Subject, r.Unknown.Subject)
		r.envelope = envelope
		r.parts = [3]part{inlinePart(subject), inlinePart(r.Fact), inlinePart(r.Object)}
		if aside, ok := p.setAside(&r); ok {
			out.aside = append(out.aside, aside)
		}
		p.leaves = append(p.leaves, p.leaf.leaf(&r))
		p.facts = r.appendFacts(p.facts)
		p.objects = r.appendObject(p.objects)
		objects = objects || r.parts[2].length > 0
		used++
		if len(p.facts) >= maxFrameRaw || len(p.objects) >= maxFrameRaw {
			break
		}
	}
	if !objects {
		p.objects = p.objects[:0] // a block without objects has no second frame
	}
	h := header{
		version:    blockVersion,
		count:      uint32(used),
		number:     p.number + 1,
		first:      records[0].Seq,
		factsRaw:   uint32(len(p.facts)),
		objectsRaw: uint32(len(p.objects)),
		prev:       p.chain,
	}
	h.chain = chainHash(h.prev, p.logID, h.number, h.first, p.leaves)
	var facts, packedObjects []byte
	h.factsCodec, facts = packFrame(p.facts)
	h.objectsCodec, packedObjects = packFrame(p.objects)
	h.factsLen, h.objectsLen = uint32(len(facts)), uint32(len(packedObjects))
	h.factsCRC = checksum(facts)
	h.objectsCRC = checksum(packedObjects)
	out.header = h
	out.value = make([]byte, 0, headerSize+len(facts)+len(packedObjects))
	out.value = h.append(out.value)
	out.value = append(out.value, facts...)
	out.value = append(out.value, packedObjects...)
	return out, used
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
