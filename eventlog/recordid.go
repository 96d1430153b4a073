package eventlog

import (
	"crypto/sha256"
	"encoding/binary"
	"time"

	"github.com/oklog/ulid/v2"
)

// RecordID is the ULID that names a record outside its log: the milliseconds
// of its recorded time, then 80 bits of SHA-256(log id ‖ seq). It is derived,
// never stored; it is a name and orders nothing.
func RecordID(log ulid.ULID, seq Seq, recorded time.Time) ulid.ULID {
	sum := sha256.Sum256(binary.BigEndian.AppendUint64(log[:], uint64(seq)))
	var id ulid.ULID
	// Both calls fail only on what cannot be: nanos bounds the time to 2262,
	// and the entropy is ten bytes.
	_ = id.SetTime(nanos(recorded) / uint64(time.Millisecond))
	_ = id.SetEntropy(sum[:10])
	return id
}

// RecordID is the ULID of one of the log's records.
func (i Identity) RecordID(r Record) ulid.ULID {
	log, _ := ulid.ParseStrict(i.ID) // made by this package
	return RecordID(log, r.Seq, r.Time)
}
