// Exercised reads the output of `go test -json`, shows it in short, and counts
// what the passed tests exercised.
//
// It prints one line per package, the whole output of every failed test, and
// at the end two lines:
//
//	N passed, N failed, N skipped
//	exercised: rules N, faults N, protections N
//
// It exits 1 when a test failed, when a test was skipped beyond what the
// config allows, or when a count is below the suite's floor.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
)

func main() {
	configPath := flag.String("config", ".ci/exercised", "the file that says what counts, and the floors")
	suite := flag.String("suite", "test", "the suite whose floors hold")
	verbose := flag.Bool("v", false, "name everything that was counted")
	flag.Parse()
	file, err := os.Open(*configPath)
	if err != nil {
		fatal(err)
	}
	conf, err := parseConfig(file)
	_ = file.Close() // read only
	if err != nil {
		fatal(fmt.Errorf("%s: %w", *configPath, err))
	}
	t := newTally(conf, os.Stdout)
	if err := t.read(os.Stdin); err != nil {
		fatal(err)
	}
	if !t.report(*suite, *verbose) {
		os.Exit(1)
	}
}

func fatal(err error) {
	fmt.Fprintln(os.Stderr, "error: exercised:", err)
	os.Exit(1)
}

// event is one line of `go test -json`.
type event struct {
	Action  string
	Package string
	Test    string
	Output  string
	Elapsed float64
}

// tally is what has been read so far.
type tally struct {
	conf    config
	out     io.Writer
	pending map[string][]string // output of tests that have not ended
	found   map[string]map[string]bool
	passed  int
	failed  int
	skipped []string
	broken  bool // a package did not build or ended badly
}

func newTally(conf config, out io.Writer) *tally {
	found := map[string]map[string]bool{}
	for _, kind := range kinds {
		found[kind] = map[string]bool{}
	}
	return &tally{conf: conf, out: out, pending: map[string][]string{}, found: found}
}

// read takes the events up to the end of the input.
func (t *tally) read(r io.Reader) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 16<<20) // a test's line may carry a whole transcript
	for lines.Scan() {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) != nil || e.Action == "" {
			fmt.Fprintln(t.out, lines.Text())
			continue
		}
		t.take(e)
	}
	return lines.Err()
}

// take counts one event.
func (t *tally) take(e event) {
	key := e.Package + "\x00" + e.Test
	switch e.Action {
	case "output":
		t.pending[key] = append(t.pending[key], e.Output)
	case "build-output":
		fmt.Fprint(t.out, e.Output)
	case "build-fail":
		t.broken = true
	case "pass", "skip", "fail":
		output := t.pending[key]
		delete(t.pending, key)
		if e.Test == "" {
			t.endPackage(e, output)
			return
		}
		switch e.Action {
		case "pass":
			t.passed++
			t.count(e)
		case "skip":
			t.skipped = append(t.skipped, e.Package+" "+e.Test)
			fmt.Fprint(t.out, strings.Join(output, ""))
		case "fail":
			t.failed++
			fmt.Fprint(t.out, strings.Join(output, ""))
		}
	}
}

// endPackage shows a package's line. Of a failed one the tests that never
// ended are shown too: a panic or a time-out is told there.
func (t *tally) endPackage(e event, output []string) {
	if e.Action == "fail" {
		t.broken = true
		for _, key := range slices.Sorted(maps.Keys(t.pending)) {
			if strings.HasPrefix(key, e.Package+"\x00") {
				fmt.Fprint(t.out, strings.Join(t.pending[key], ""))
				delete(t.pending, key)
			}
		}
		fmt.Fprint(t.out, strings.Join(output, ""))
	}
	word := map[string]string{"pass": "ok", "fail": "FAIL", "skip": "none"}[e.Action]
	fmt.Fprintf(t.out, "%-4s %s %.1fs\n", word, e.Package, e.Elapsed)
}

// count puts a passed test down for each pattern that it matches.
func (t *tally) count(e event) {
	for _, p := range t.conf.patterns {
		if p.match(e.Package, e.Test) {
			t.found[p.kind][p.name(e.Package, e.Test)] = true
		}
	}
}

// report prints the closing lines and says whether all is well.
func (t *tally) report(suite string, verbose bool) bool {
	good := t.failed == 0 && !t.broken && t.passed > 0
	if verbose {
		for _, kind := range kinds {
			for _, name := range slices.Sorted(maps.Keys(t.found[kind])) {
				fmt.Fprintln(t.out, kind, name)
			}
		}
	}
	if len(t.skipped) > t.conf.skips {
		fmt.Fprintf(t.out, "error: %d tests were skipped, at most %d may be: %s\n",
			len(t.skipped), t.conf.skips, strings.Join(t.skipped, ", "))
		good = false
	}
	floor, there := t.conf.floors[suite]
	if !there {
		fmt.Fprintf(t.out, "error: no floor for suite %s\n", suite)
		good = false
	}
	for i, kind := range kinds {
		if n := len(t.found[kind]); n < floor[i] {
			fmt.Fprintf(t.out, "error: %d %ss were exercised, the floor is %d\n", n, kind, floor[i])
			good = false
		}
	}
	fmt.Fprintf(t.out, "%d passed, %d failed, %d skipped\n", t.passed, t.failed, len(t.skipped))
	fmt.Fprintf(t.out, "exercised: rules %d, faults %d, protections %d\n",
		len(t.found["rule"]), len(t.found["fault"]), len(t.found["protection"]))
	return good
}
