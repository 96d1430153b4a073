package projector

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"bindery/eventlog"
	"bindery/projector/fact"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"
)

// answers are what the read methods of a view say, by the key that each notes.
func answers(v *View) map[Key]string {
	out := map[Key]string{}
	say := func(read func(v *View) string) {
		fresh := v.Fresh()
		text := read(fresh)
		for _, key := range fresh.Reads() {
			out[key] += text + "\n"
		}
	}
	say(func(v *View) string { return fmt.Sprint(v.Ready()) })
	say(func(v *View) string { return fmt.Sprintf("%p", v.DefaultClass()) })
	say(func(v *View) string { return fmt.Sprintf("%p", v.Class("gold")) })
	for n := range 6 {
		name := fmt.Sprintf("v%d", n)
		say(func(v *View) string { return fmt.Sprintf("%p", v.Volume(name)) })
		say(func(v *View) string { return fmt.Sprintf("%p", v.Busy(VolumeID(name))) })
		say(func(v *View) string { return fmt.Sprintf("%v", v.Naming(name)) })
	}
	for n := range 4 {
		name := fmt.Sprintf("c%d", n)
		say(func(v *View) string { return fmt.Sprintf("%p", v.Claim("ns", name)) })
		say(func(v *View) string { return fmt.Sprintf("%v", v.Reserved("ns", name)) })
		say(func(v *View) string { return fmt.Sprintf("%v", v.Pods("ns", name)) })
		say(func(v *View) string { return fmt.Sprintf("%v", v.Backoff(ClaimID("ns", name))) })
	}
	return out
}

// free is what each group of the index offers.
func free(v *View) map[Key][]string {
	out := map[Key][]string{}
	for _, class := range []string{"", "gold"} {
		need := Need{Class: class, Mode: "Filesystem"}
		for volume := range v.Search(need) {
			key := KeyFree(class, "Filesystem", "")
			out[key] = append(out[key], fmt.Sprintf("%s %p", volume.Name, volume))
		}
	}
	return out
}

// Every answer of a view that a record changes has its key among the keys that
// the record touched: nobody who rests on it is left asleep. An index that only
// loses a volume makes nobody's wait end, so its key may stay untouched.
func TestTouchedCoversWhatChanged(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r, s := &recorder{}, New()
		for range rapid.IntRange(1, 40).Draw(rt, "records") {
			before, index := answers(s.View()), free(s.View())
			record := drawRecord(rt, r)
			touched := apply(t, s, record)
			after, indexAfter := answers(s.View()), free(s.View())
			for key, answer := range after {
				// A step of a plan changes who holds what in nothing but its count.
				progress := record.Kind == eventlog.KindResulted && strings.HasPrefix(string(key), "p")
				if answer != before[key] && !slices.Contains(touched, key) && !progress {
					rt.Fatalf("%v changed %s, touched %v\nbefore %s\nafter  %s", record.Kind, key, touched, before[key], answer)
				}
			}
			for key, offered := range indexAfter {
				for _, volume := range offered {
					if !slices.Contains(index[key], volume) && !slices.Contains(touched, key) {
						rt.Fatalf("%v brought %s into %s, touched %v", record.Kind, volume, key, touched)
					}
				}
			}
		}
	})
}

// A view stays as it is while the state goes on, and the state is the same
// whether it was folded with views in between or from zero.
func TestViewsStayAndRebuildsAgree(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r, s := &recorder{}, New()
		type shot struct {
			view *View
			dump string
		}
		var shots []shot
		for range rapid.IntRange(1, 40).Draw(rt, "records") {
			apply(t, s, drawRecord(rt, r))
			shots = append(shots, shot{s.View(), s.Dump()})
		}
		rebuilt := New()
		for i, record := range r.records {
			apply(t, rebuilt, record)
			if got := shots[i].view.state.Dump(); got != shots[i].dump {
				rt.Fatalf("the view of seq %d changed:\n%s", record.Seq, cmp.Diff(shots[i].dump, got))
			}
		}
		if diff := cmp.Diff(s.Dump(), rebuilt.Dump()); diff != "" {
			rt.Fatalf("rebuilt from zero differs:\n%s", diff)
		}
	})
}

// Search gives what a filter and a sort would give.
func TestSearchAgreesWithSort(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r, s := &recorder{}, New()
		apply(t, s, r.add(eventlog.Draft{Kind: eventlog.KindStarted, Fact: fact.Start{Mode: "bind"}.Append(nil)}))
		for range rapid.IntRange(0, 30).Draw(rt, "volumes") {
			apply(t, s, r.observe(drawVolume(rt, r)))
		}
		need := Need{
			Class: rapid.SampledFrom([]string{"", "gold"}).Draw(rt, "class"), Mode: "Filesystem",
			AccessModes: rapid.SampledFrom([][]string{nil, {"ReadWriteOnce"}, {"ReadWriteOnce", "ReadOnlyMany"}, {"Strange"}}).Draw(rt, "modes"),
			Request:     resource.MustParse(fmt.Sprintf("%dGi", rapid.IntRange(0, 4).Draw(rt, "request"))),
		}
		var want []*Volume
		for v := range s.View().Volumes() {
			free := v.ClaimRef == nil && !v.Deleting && (v.Phase == "Available" || v.Phase == "Pending" || v.Phase == "")
			fits := v.Class == need.Class && v.Storage.Cmp(need.Request) >= 0
			for _, mode := range need.AccessModes {
				fits = fits && slices.Contains(v.AccessModes, mode)
			}
			if free && fits {
				want = append(want, v)
			}
		}
		slices.SortFunc(want, func(a, b *Volume) int {
			if c := len(a.AccessModes) - len(b.AccessModes); c != 0 {
				return c
			}
			if c := a.Storage.Cmp(b.Storage); c != 0 {
				return c
			}
			return strings.Compare(a.Name, b.Name)
		})
		got := slices.Collect(s.View().Search(need))
		if !slices.Equal(got, want) {
			rt.Fatalf("got %v, want %v", names(got), names(want))
		}
	})
}

func names(volumes []*Volume) []string {
	var out []string
	for _, v := range volumes {
		out = append(out, v.Name)
	}
	return out
}

func volumeAt(version string, uid int) *corev1.PersistentVolume {
	v := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "v", UID: uidOf("pv", uid), ResourceVersion: version}}
	v.Spec.Capacity = corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}
	return v
}

// The order of facts (design.md section 2).
func TestOrderOfFacts(t *testing.T) {
	subject := eventlog.Subject{Resource: eventlog.ResourceVolume, Name: "v", UID: fact.ParseUID(string(uidOf("pv", 1)))}
	deleted := eventlog.Draft{Kind: eventlog.KindDeleted, Subject: subject, Fact: fact.Observation{ResourceVersion: 9}.Append(nil)}
	epoch := eventlog.Draft{Kind: eventlog.KindEpochStarted, Subject: eventlog.Subject{Resource: eventlog.ResourceVolume}, Fact: fact.Epoch{Number: 1}.Append(nil)}
	tests := []struct {
		name string
		play func(r *recorder)
		want string // version and uid of what is known, "" for nothing
	}{
		{"a higher version replaces", func(r *recorder) { r.observe(volumeAt("5", 1)); r.observe(volumeAt("10", 1)) }, "10 1"},
		{"a lower one does not", func(r *recorder) { r.observe(volumeAt("10", 1)); r.observe(volumeAt("9", 1)) }, "10 1"},
		{"versions are numbers, not text", func(r *recorder) { r.observe(volumeAt("9", 1)); r.observe(volumeAt("10", 1)) }, "10 1"},
		{"another UID of the name replaces", func(r *recorder) { r.observe(volumeAt("5", 1)); r.observe(volumeAt("8", 2)) }, "8 2"},
		{"an older UID of the name does not", func(r *recorder) { r.observe(volumeAt("8", 2)); r.observe(volumeAt("5", 1)) }, "8 2"},
		{"what is gone stays gone", func(r *recorder) { r.observe(volumeAt("5", 1)); r.add(deleted); r.observe(volumeAt("12", 1)) }, ""},
		{"a deletion of another UID is none", func(r *recorder) { r.observe(volumeAt("8", 2)); r.add(deleted) }, "8 2"},
		{"a new epoch orders anew", func(r *recorder) { r.observe(volumeAt("10", 1)); r.add(epoch); r.observe(volumeAt("3", 1)) }, "3 1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r, s := &recorder{}, New()
			test.play(r)
			apply(t, s, r.records...)
			got := ""
			if v := s.View().Volume("v"); v != nil {
				got = fmt.Sprintf("%d %s", v.ResourceVersion, strings.TrimLeft(v.UID[len(v.UID)-12:], "0"))
			}
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// Unknown kinds are counted; a newer record that decisions rest on ends the
// fold, and leaves the state as it was.
func TestNewerRecords(t *testing.T) {
	r, s := &recorder{}, New()
	apply(t, s, r.add(eventlog.Draft{Kind: 200}), r.observe(volumeAt("5", 1)))
	if s.View().Unknown() != 1 {
		t.Errorf("%d unknown records, want 1", s.View().Unknown())
	}
	newer := r.observe(volumeAt("6", 1))
	newer.Version = factVersion + 1
	if _, err := s.Apply(newer); !errors.Is(err, ErrNewer) || !s.Blind() {
		t.Errorf("a newer record: %v, blind %v", err, s.Blind())
	}
	if s.AsOf() != 2 {
		t.Errorf("folded up to %d, want 2", s.AsOf())
	}
	if _, err := s.Apply(r.observe(volumeAt("7", 1))); !errors.Is(err, ErrNewer) {
		t.Errorf("went on: %v", err)
	}
}
