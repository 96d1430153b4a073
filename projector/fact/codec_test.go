package fact

import (
	"errors"
	"strings"
	"testing"

	"bindery/eventlog"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// codec is one type's encoder and decoder, as functions of bytes.
type codec struct {
	name  string
	again func([]byte) ([]byte, error) // decode, encode
}

func of[T interface{ Append([]byte) []byte }](name string, parse func([]byte) (T, error)) codec {
	return codec{name, func(b []byte) ([]byte, error) {
		v, err := parse(b)
		if err != nil {
			return nil, err
		}
		return v.Append(nil), nil
	}}
}

var codecs = []codec{
	of("volume", ParseVolume), of("claim", ParseClaim), of("class", ParseClass), of("pod", ParsePod), of("node", ParseNode),
	of("observation", ParseObservation), of("list", ParseList), of("gap", ParseGap), of("watch", ParseWatch),
	of("start", ParseStart), of("epoch", ParseEpoch), of("lead", ParseLead), of("decision", ParseDecision),
	of("plan", ParsePlan), of("result", ParseResult), of("timer", ParseTimer),
}

var (
	text  = rapid.SampledFrom([]string{"", "a", "ns/name", "äöü", "\x00\x1b[2J"})
	texts = rapid.SliceOfN(text, 0, 3)
	pairs = rapid.MapOfN(rapid.SampledFrom([]string{"a", "b", "c"}), text, 1, 3)
)

func maybePairs(t *rapid.T, label string) map[string]string {
	if rapid.Bool().Draw(t, label) {
		return pairs.Draw(t, label)
	}
	return nil
}

func some(t *rapid.T, label string) []string {
	list := texts.Draw(t, label)
	if len(list) == 0 {
		return nil
	}
	return list
}

func drawVolume(t *rapid.T) Volume {
	v := Volume{
		ResourceVersion: rapid.Uint64().Draw(t, "rv"), UID: text.Draw(t, "uid"), Created: rapid.Int64().Draw(t, "created"),
		Deleting: rapid.Bool().Draw(t, "deleting"), Phase: text.Draw(t, "phase"), Capacity: maybePairs(t, "capacity"),
		AccessModes: some(t, "modes"), VolumeMode: text.Draw(t, "mode"), Class: text.Draw(t, "class"), Attributes: text.Draw(t, "vac"),
		ReclaimPolicy: text.Draw(t, "policy"), Labels: maybePairs(t, "labels"), Annotations: maybePairs(t, "annotations"),
		Finalizers: some(t, "finalizers"), Source: text.Draw(t, "source"), Driver: text.Draw(t, "driver"), Handle: text.Draw(t, "handle"),
		Affinity: rapid.Bool().Draw(t, "affinity"),
	}
	if rapid.Bool().Draw(t, "ref") {
		v.ClaimRef = &ClaimRef{Namespace: text.Draw(t, "ns"), Name: text.Draw(t, "name"), UID: text.Draw(t, "ref uid")}
	}
	return v
}

func drawClaim(t *rapid.T) Claim {
	c := Claim{
		ResourceVersion: rapid.Uint64().Draw(t, "rv"), UID: text.Draw(t, "uid"), Requests: maybePairs(t, "requests"),
		AccessModes: some(t, "modes"), Class: text.Draw(t, "class"), HasClass: rapid.Bool().Draw(t, "has class"),
		VolumeName: text.Draw(t, "volume"), Annotations: maybePairs(t, "annotations"), Phase: text.Draw(t, "phase"),
		StatusCapacity: maybePairs(t, "capacity"), StatusModes: some(t, "status modes"),
	}
	if rapid.Bool().Draw(t, "selects") {
		c.Selector = &Selector{Labels: maybePairs(t, "selector")}
		if rapid.Bool().Draw(t, "expression") {
			c.Selector.Expressions = []Requirement{{Key: "k", Operator: "In", Values: some(t, "values")}}
		}
	}
	if rapid.Bool().Draw(t, "current") {
		current := text.Draw(t, "current vac")
		c.CurrentAttributes = &current
	}
	return c
}

// What is encoded is decoded to the same, and encodes to the same bytes.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		volume := drawVolume(t)
		gotVolume, err := ParseVolume(volume.Append(nil))
		if diff := cmp.Diff(volume, gotVolume); err != nil || diff != "" {
			t.Fatalf("volume: %v\n%s", err, diff)
		}
		claim := drawClaim(t)
		gotClaim, err := ParseClaim(claim.Append(nil))
		if diff := cmp.Diff(claim, gotClaim); err != nil || diff != "" {
			t.Fatalf("claim: %v\n%s", err, diff)
		}
		for range 3 {
			if string(volume.Append(nil)) != string(gotVolume.Append(nil)) {
				t.Fatal("the same volume encodes differently")
			}
		}
	})
}

func TestRoundTripOfRecordedForms(t *testing.T) {
	subject := eventlog.Subject{Resource: eventlog.ResourceClaim, Namespace: "ns", Name: "c", UID: eventlog.UID{1, 2}}
	decision := Decision{
		Outcome: OutcomeAct, Rule: "r", Detail: "d", Winner: Ref{"v", "u"}, RunnerUp: Ref{Name: "w"}, WaitsFor: []string{"a", "b"},
		Reads: []eventlog.Subject{subject}, Basis: 7, RuleSet: "x",
	}
	if got, err := ParseDecision(decision.Append(nil)); err != nil || !cmp.Equal(decision, got) {
		t.Errorf("decision: %v\n%s", err, cmp.Diff(decision, got))
	}
	plan := Plan{Decision: 9, Steps: []Step{
		{Subject: subject, Verb: "patch", ResourceVersion: 4, After: -1, Patch: []byte(`{}`), Purpose: "p"},
		{Subject: subject, Verb: "patch", Subresource: "status", After: 0},
	}}
	if got, err := ParsePlan(plan.Append(nil)); err != nil || !cmp.Equal(plan, got) {
		t.Errorf("plan: %v\n%s", err, cmp.Diff(plan, got))
	}
	result := Result{Plan: 1, Step: 2, Kind: ResultConflict, ResourceVersion: 3, Code: 409, Error: "e", Final: true}
	if got, err := ParseResult(result.Append(nil)); err != nil || got != result {
		t.Errorf("result: %v %+v", err, got)
	}
	seen := Observation{
		ResourceVersion: 1, Source: SourceWatch, Verb: VerbModified, Managers: []Manager{{"m", "Update", "status", -5}},
		FoundUID: "u", Ask: 3, Body: []byte("body"),
	}
	if got, err := ParseObservation(seen.Append(nil)); err != nil || !cmp.Equal(seen, got) {
		t.Errorf("observation: %v\n%s", err, cmp.Diff(seen, got))
	}
}

// Fields of a newer version are skipped, damage is an error that says so.
func TestDecoders(t *testing.T) {
	newer := putString(Volume{Phase: "Bound"}.Append(nil), 99, "new")
	if v, err := ParseVolume(newer); err != nil || v.Phase != "Bound" {
		t.Errorf("with a newer field: %+v %v", v, err)
	}
	for _, c := range codecs {
		if _, err := c.again([]byte{0xff}); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: %v, want ErrMalformed", c.name, err)
		}
		if _, err := c.again([]byte(strings.Repeat("x", maxBytes+1))); !errors.Is(err, ErrTooLarge) {
			t.Errorf("%s: %v, want ErrTooLarge", c.name, err)
		}
	}
}

// FuzzParse: no bytes make a decoder panic, and what it accepts has one
// encoding.
func FuzzParse(f *testing.F) {
	f.Add(uint8(0), Volume{Phase: "Bound", Capacity: map[string]string{"storage": "1Gi"}, ClaimRef: &ClaimRef{Name: "c"}}.Append(nil))
	f.Add(uint8(1), Claim{VolumeName: "v", Selector: &Selector{Labels: map[string]string{"a": "b"}}}.Append(nil))
	f.Add(uint8(12), Decision{Rule: "r", Reads: []eventlog.Subject{{Name: "n", UID: eventlog.UID{1}}}}.Append(nil))
	f.Add(uint8(13), Plan{Steps: []Step{{Patch: []byte("{}"), After: -1}}}.Append(nil))
	f.Fuzz(func(t *testing.T, which uint8, b []byte) {
		c := codecs[int(which)%len(codecs)]
		once, err := c.again(b)
		if err != nil {
			return
		}
		twice, err := c.again(once)
		if err != nil || string(once) != string(twice) {
			t.Fatalf("%s: %x, then %x (%v)", c.name, once, twice, err)
		}
	})
}
