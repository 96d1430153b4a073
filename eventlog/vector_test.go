package eventlog_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"bindery/eventlog"

	"github.com/google/go-cmp/cmp"
	"github.com/oklog/ulid/v2"
	"golang.org/x/mod/sumdb/tlog"
)

var update = flag.Bool("update", false, "rewrite the test vectors in testdata; their bytes are the format, so they only ever grow")

const vectorFile = "testdata/vectors.json"

// vectors is testdata/vectors.json: what any other implementation must come
// to. All bytes are hex.
type vectors struct {
	LogID   string       `json:"logID"`
	Secret  string       `json:"segmentSecret"`
	Number  uint64       `json:"blockNumber"`
	Prev    string       `json:"previousChain"`
	Records []vectorItem `json:"records"`
	Chain   string       `json:"chain"`
	Block   string       `json:"block"` // its frames are plain
}

type vectorItem struct {
	Name     string         `json:"name"`
	Seq      eventlog.Seq   `json:"seq"`
	Kind     eventlog.Kind  `json:"kind"`
	Version  uint8          `json:"version"`
	Time     time.Time      `json:"time"`
	Clock    time.Time      `json:"clock"`
	Cause    []eventlog.Seq `json:"cause"`
	Resource uint8          `json:"resource"`
	NS       string         `json:"namespace"`
	Object   string         `json:"objectName"`
	UID      string         `json:"uid"`
	Fact     string         `json:"fact"`
	Body     string         `json:"object"`

	Envelope    string   `json:"envelope"`
	Subject     string   `json:"subject"`
	Salts       []string `json:"salts"`       // of subject, fact, object
	Commitments []string `json:"commitments"` // of the same
	Leaf        string   `json:"leaf"`
	RecordID    string   `json:"recordID"`
}

// vectorRecords covers each field at, and off, its zero.
func vectorRecords() (names []string, records []eventlog.Record) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 678901234, time.UTC)
	add := func(name string, r eventlog.Record) {
		r.Seq = eventlog.Seq(298 + len(records)) // its varint grows
		if r.Version == 0 {
			r.Version = 1
		}
		if r.Time.IsZero() {
			r.Time, r.Clock = at, at
		}
		names, records = append(names, name), append(records, r)
	}
	add("least", eventlog.Record{Kind: eventlog.KindStarted})
	add("full", eventlog.Record{
		Kind: eventlog.KindObserved, Version: 2, Cause: []eventlog.Seq{297, 1, 298},
		Subject: eventlog.Subject{
			Resource: eventlog.ResourceClaim, Namespace: "shop", Name: "data-0",
			UID: eventlog.UID{0x6f, 0x0c, 0x1c, 0x6e, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 1},
		},
		Fact: noise(1, 40), Object: noise(2, 80),
	})
	add("clock behind", eventlog.Record{Kind: eventlog.KindDecided, Time: at, Clock: at.Add(-time.Hour), Fact: noise(3, 30)})
	add("time zero", eventlog.Record{Kind: eventlog.KindTimerFired, Time: time.Unix(0, 0).UTC(), Clock: time.Unix(0, 0).UTC()})
	add("kind of a newer version", eventlog.Record{
		Kind: 200, Version: 9, Fact: noise(4, 20),
		// Field 20, varint 7; field 21, bytes "new".
		Unknown: eventlog.Unknown{Envelope: []byte("\xa0\x01\x07\xaa\x01\x03new"), Subject: []byte("\xa0\x01\x07")},
	})
	return names, records
}

func vectorInputs() (logID ulid.ULID, secret [32]byte, prev eventlog.Hash) {
	logID = ulid.MustParseStrict("01KDYAK348VT11N2DDCP5SMFCF")
	return logID, [32]byte(noise(5, 32)), eventlog.Hash(noise(6, 32))
}

func makeVectors() vectors {
	logID, secret, prev := vectorInputs()
	names, records := vectorRecords()
	got := eventlog.Vector(records, logID, secret, 7, prev)
	v := vectors{
		LogID: hex.EncodeToString(logID[:]), Secret: hex.EncodeToString(secret[:]),
		Number: 7, Prev: hex.EncodeToString(prev[:]),
		Chain: hex.EncodeToString(got.Chain[:]), Block: hex.EncodeToString(got.Block),
	}
	for i, r := range records {
		item := vectorItem{
			Name: names[i], Seq: r.Seq, Kind: r.Kind, Version: r.Version, Time: r.Time, Clock: r.Clock,
			Cause: r.Cause, Resource: uint8(r.Subject.Resource), NS: r.Subject.Namespace,
			Object: r.Subject.Name, UID: hex.EncodeToString(r.Subject.UID[:]),
			Fact: hex.EncodeToString(r.Fact), Body: hex.EncodeToString(r.Object),
			Envelope: hex.EncodeToString([]byte(got.Envelopes[i])),
			Subject:  hex.EncodeToString([]byte(got.Subjects[i])),
			Leaf:     hex.EncodeToString(got.Leaves[i][:]),
			RecordID: eventlog.RecordID(logID, r.Seq, r.Time).String(),
		}
		for p := range 3 {
			item.Salts = append(item.Salts, hex.EncodeToString(got.Salts[i][p][:]))
			item.Commitments = append(item.Commitments, hex.EncodeToString(got.Commitments[i][p][:]))
		}
		v.Records = append(v.Records, item)
	}
	return v
}

func TestVectors(t *testing.T) {
	got := makeVectors()
	if *update {
		b, err := json.MarshalIndent(got, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Dir(vectorFile), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(vectorFile, append(b, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile(vectorFile)
	if err != nil {
		t.Fatal(err)
	}
	var want vectors
	if err := json.Unmarshal(b, &want); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("the format has changed (-want +got):\n%s", d)
	}
}

// TestVectorsByHand derives the hashes of the vectors from the words of the
// design alone, without the code that made them.
func TestVectorsByHand(t *testing.T) {
	v := makeVectors()
	unhex := func(s string) []byte {
		b, err := hex.DecodeString(s)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	be := func(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }
	sum := func(parts ...[]byte) []byte {
		h := sha256.Sum256(bytes.Join(parts, nil))
		return h[:]
	}
	var leaves [][]byte
	for _, r := range v.Records {
		leaf := unhex(r.Envelope)
		for p, part := range []string{r.Subject, r.Fact, r.Body} {
			mac := hmac.New(sha256.New, unhex(v.Secret))
			mac.Write(append(be(uint64(r.Seq)), byte(p+1)))
			salt := mac.Sum(nil)
			commitment := sum(salt, unhex(part))
			if r.Salts[p] != hex.EncodeToString(salt) || r.Commitments[p] != hex.EncodeToString(commitment) {
				t.Errorf("%s: part %d", r.Name, p+1)
			}
			leaf = append(leaf, commitment...)
		}
		hash := tlog.RecordHash(leaf)
		if r.Leaf != hex.EncodeToString(hash[:]) {
			t.Errorf("%s: leaf", r.Name)
		}
		leaves = append(leaves, hash[:])
		id := ulid.MustParseStrict(r.RecordID)
		if want := sum(unhex(v.LogID), be(uint64(r.Seq)))[:10]; !bytes.Equal(id.Entropy(), want) || id.Time() != uint64(r.Time.UnixMilli()) {
			t.Errorf("%s: record id", r.Name)
		}
	}
	count := binary.BigEndian.AppendUint32(nil, uint32(len(leaves)))
	chain := sum(unhex(v.Prev), unhex(v.LogID), be(v.Number), be(uint64(v.Records[0].Seq)), count, bytes.Join(leaves, nil))
	if v.Chain != hex.EncodeToString(chain) {
		t.Error("chain")
	}
}

// TestOldBlocks decodes blocks that earlier builds wrote. Files are added here
// when the packing changes, and never changed.
func TestOldBlocks(t *testing.T) {
	logID, secret, prev := vectorInputs()
	_, records := vectorRecords()
	name := "testdata/blocks/version1-zstd"
	if *update {
		if _, err := os.Stat(name); os.IsNotExist(err) {
			block := eventlog.Vector(compressible(records), logID, secret, 7, prev).Block
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, block, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	block, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	stored, computed, got, err := eventlog.ChainOfBlock(block, logID, secret)
	if err != nil || stored != computed {
		t.Fatalf("%v; chain %v, computed %v", err, stored, computed)
	}
	if d := cmp.Diff(compressible(records), got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

func compressible(records []eventlog.Record) []eventlog.Record {
	out := append([]eventlog.Record(nil), records...)
	for i := range out {
		out[i].Fact = bytes.Repeat([]byte("fact "), 30)
		out[i].Object = bytes.Repeat([]byte("object "), 100)
	}
	return out
}

// TestWithheldParts: with any set of parts replaced by their commitments, the
// leaves and the chain stay what they were.
func TestWithheldParts(t *testing.T) {
	logID, secret, _ := vectorInputs()
	_, records := vectorRecords()
	for i := range records {
		records[i].Unknown = eventlog.Unknown{}
	}
	whole := eventlog.Vector(records, logID, secret, 1, eventlog.Hash{}).Chain
	for set := range eventlog.Parts(8) {
		block, chain := eventlog.WithheldBlock(records, logID, secret, set)
		stored, computed, got, err := eventlog.ChainOfBlock(block, logID, secret)
		if err != nil {
			t.Fatal(err)
		}
		if chain != whole || stored != whole || computed != whole {
			t.Errorf("withheld %03b: chain changed", set)
		}
		for i, r := range got {
			want := records[i]
			want.Withheld = set
			if set.Has(eventlog.PartSubject) {
				want.Subject = eventlog.Subject{}
			}
			if set.Has(eventlog.PartFact) {
				want.Fact = nil
			}
			if set.Has(eventlog.PartObject) {
				want.Object = nil
			}
			if d := cmp.Diff(want, r); d != "" {
				t.Errorf("withheld %03b (-want +got):\n%s", set, d)
			}
		}
	}
}
