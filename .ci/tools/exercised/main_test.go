package main

import (
	"strings"
	"testing"
)

const conf = `
rule       a TestRules/*   # by id
fault      a TestFaults/*/*
protection b TestLock
floor test 2 1 1
floor none 9 0 0
skips 1
`

const good = `
{"Action":"pass","Package":"a","Test":"TestRules/c1"}
{"Action":"pass","Package":"a","Test":"TestRules/c2"}
{"Action":"pass","Package":"a","Test":"TestRules"}
{"Action":"pass","Package":"a","Test":"TestFaults/write-1/cut"}
{"Action":"pass","Package":"a","Test":"TestFaults/write-2/cut"}
{"Action":"pass","Package":"b","Test":"TestLock"}
{"Action":"skip","Package":"b","Test":"TestOther"}
{"Action":"pass","Package":"b","Elapsed":1.5}
`

func TestReport(t *testing.T) {
	for _, c := range []struct {
		name, suite, input string
		good               bool
		want               string
	}{
		{"all well", "test", good, true, "exercised: rules 2, faults 1, protections 1\n"},
		{"below the floor", "none", good, false, "error: 2 rules were exercised, the floor is 9\n"},
		{"unknown suite", "other", good, false, "error: no floor for suite other\n"},
		{"nothing ran", "test", "", false, "0 passed, 0 failed, 0 skipped\n"},
		{"a failed test is shown", "test", good +
			`{"Action":"output","Package":"b","Test":"TestBad","Output":"got 1\n"}` + "\n" +
			`{"Action":"fail","Package":"b","Test":"TestBad"}` + "\n", false, "got 1\n"},
		{"a failed test does not count", "test",
			strings.Replace(good, `{"Action":"pass","Package":"a","Test":"TestRules/c1"}`, "", 1),
			false, "exercised: rules 1, faults 1, protections 1\n"},
		{"a panic in a test that never ended is shown", "test", good +
			`{"Action":"output","Package":"b","Test":"TestBad","Output":"panic: x\n"}` + "\n" +
			`{"Action":"fail","Package":"b"}` + "\n", false, "panic: x\n"},
		{"a build that failed", "test", good +
			`{"Action":"build-output","Output":"x.go:1:1: no\n"}` + "\n" + `{"Action":"build-fail"}` + "\n", false, "x.go:1:1: no\n"},
		{"too many skips", "test", good + `{"Action":"skip","Package":"b","Test":"TestMore"}` + "\n", false,
			"error: 2 tests were skipped, at most 1 may be: b TestOther, b TestMore\n"},
		{"other lines pass through", "test", good + "go: something\n", true, "go: something\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			parsed, err := parseConfig(strings.NewReader(conf))
			if err != nil {
				t.Fatal(err)
			}
			var out strings.Builder
			tally := newTally(parsed, &out)
			if err := tally.read(strings.NewReader(c.input)); err != nil {
				t.Fatal(err)
			}
			if got := tally.report(c.suite, false); got != c.good {
				t.Errorf("report: got %v, want %v\n%s", got, c.good, out.String())
			}
			if !strings.Contains(out.String(), c.want) {
				t.Errorf("output: got\n%s\nwant it to contain\n%s", out.String(), c.want)
			}
		})
	}
}

func TestConfigRefuses(t *testing.T) {
	for _, line := range []string{"rule a", "thing a b", "floor test 1 2", "floor test 1 2 x", "skips many"} {
		if _, err := parseConfig(strings.NewReader(line)); err == nil {
			t.Errorf("line %q: got no error", line)
		}
	}
}
