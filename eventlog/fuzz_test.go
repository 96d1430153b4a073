package eventlog_test

import (
	"bytes"
	"testing"

	"bindery/eventlog"
)

// FuzzDecodeBlock: no bytes crash the decoder or make it take much memory, and
// what it accepts it would write the same.
func FuzzDecodeBlock(f *testing.F) {
	logID, secret, prev := vectorInputs()
	_, records := vectorRecords()
	for _, rs := range [][]eventlog.Record{records, records[:1], compressible(records)} {
		block := eventlog.Vector(rs, logID, secret, 7, prev).Block
		f.Add(block)
		f.Add(block[:len(block)/2])
	}
	withheld, _ := eventlog.WithheldBlock(records, logID, secret, 7)
	f.Add(withheld)
	f.Fuzz(func(t *testing.T, raw []byte) {
		for range 2 {
			got, same, err := eventlog.DecodeBlockRecords(raw)
			if err == nil && !same {
				t.Errorf("decoded %d records that encode differently", len(got))
			}
			raw = bytes.Clone(raw)
			eventlog.ResealBlock(raw)
		}
	})
}

// FuzzDecodeRecord is the same for one record's envelope and subject.
func FuzzDecodeRecord(f *testing.F) {
	logID, secret, prev := vectorInputs()
	_, records := vectorRecords()
	v := eventlog.Vector(records, logID, secret, 7, prev)
	for i := range records {
		f.Add([]byte(v.Envelopes[i]), []byte(v.Subjects[i]))
	}
	f.Fuzz(func(t *testing.T, envelope, subject []byte) {
		_, e, s, err := eventlog.DecodeRecord(envelope, subject)
		if err == nil && (!bytes.Equal(e, envelope) || !bytes.Equal(s, subject)) {
			t.Errorf("envelope %x encodes as %x, subject %x as %x", envelope, e, subject, s)
		}
	})
}

// FuzzDecodeRest meets the other decoders: large objects and the manifest.
func FuzzDecodeRest(f *testing.F) {
	f.Add([]byte("bindery log\n{\"version\": 1}\ncrc32c 00000000\n"), uint64(1), uint64(10))
	f.Add(append([]byte{1, 1}, make([]byte, 40)...), uint64(0), uint64(0))
	f.Fuzz(func(t *testing.T, b []byte, seq, length uint64) {
		if object, err := eventlog.DecodeAside(b, eventlog.Seq(seq), length); err == nil && uint64(len(object)) != length {
			t.Errorf("%d bytes, asked for %d", len(object), length)
		}
		if eventlog.DecodeManifest(b) == nil && !bytes.HasPrefix(b, []byte("bindery log\n")) {
			t.Error("a manifest without its first line")
		}
	})
}
