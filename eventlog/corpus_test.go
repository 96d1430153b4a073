package eventlog_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bindery/eventlog"
)

// TestCorpus keeps a seed corpus of the two decoders in testdata, in the form
// that go test -fuzz reads; -update adds to it what is missing.
func TestCorpus(t *testing.T) {
	logID, secret, prev := vectorInputs()
	names, records := vectorRecords()
	seeds := make(map[string]string)
	v := eventlog.Vector(records, logID, secret, 7, prev)
	for i, name := range names {
		seeds["FuzzDecodeRecord/"+strings.ReplaceAll(name, " ", "-")] = fmt.Sprintf("[]byte(%q)\n[]byte(%q)\n", v.Envelopes[i], v.Subjects[i])
	}
	withheld, _ := eventlog.WithheldBlock(records, logID, secret, 7)
	zstd, err := os.ReadFile("testdata/blocks/version1-zstd")
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string][]byte{"plain": v.Block, "zstd": zstd, "withheld": withheld, "cut": v.Block[:200]} {
		seeds["FuzzDecodeBlock/"+name] = fmt.Sprintf("[]byte(%q)\n", block)
	}
	for name, seed := range seeds {
		path := filepath.Join("testdata/fuzz", name)
		if _, err := os.Stat(path); err == nil {
			continue
		}
		if !*update {
			t.Errorf("%s is missing", path)
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("go test fuzz v1\n"+seed), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
