package logtest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"testing"
	"time"

	"bindery/eventlog"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// Open opens the log that is kept under a directory: an empty one at first,
// later perhaps one that was closed. A store without files may use the
// directory as a name.
type Open func(t testing.TB, dir string, o eventlog.Options) (eventlog.Log, error)

// Run runs the conformance suite.
func Run(t *testing.T, open Open) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, Open)
	}{
		{"a new log is empty", testEmpty},
		{"records come back as they were numbered", testRoundTrip},
		{"a reader resumes at each cut", testCuts},
		{"reopening after each write changes nothing", testReopen},
		{"recorded time never goes back", testClock},
		{"submitters run side by side", testConcurrent},
		{"waiting", testWait},
		{"a reader may append", testAppendWhileReading},
		{"drafts over a limit are refused", testLimits},
		{"a refused draft takes no number", testRefusal},
		{"large records", testLarge},
		{"closing", testClose},
		{"the cluster is set once", testCluster},
		{"a random walk agrees with a model", testModel},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, open) })
	}
}

// mustOpen opens a log and sees to it that it is sound and closed in the end.
func mustOpen(t testing.TB, open Open, dir string, o eventlog.Options) eventlog.Log {
	t.Helper()
	l, err := open(t, dir, o)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() {
		verify(t, l)
		if err := l.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return l
}

type verifier interface {
	Verify(context.Context, func(eventlog.Progress)) (*eventlog.Report, error)
}

func verify(t testing.TB, l eventlog.Log) {
	t.Helper()
	v, ok := l.(verifier)
	if !ok {
		return
	}
	r, err := v.Verify(context.Background(), nil)
	switch {
	case errors.Is(err, eventlog.ErrClosed):
	case err != nil:
		t.Errorf("verify: %v", err)
	case !r.OK():
		t.Errorf("verify: %v", r.Err())
	case r.Records != uint64(r.Head):
		t.Errorf("verify: %d records of %d", r.Records, r.Head)
	}
}

func mustAppend(t testing.TB, l eventlog.Log, drafts ...eventlog.Draft) []eventlog.Record {
	t.Helper()
	records, err := l.Append(context.Background(), drafts...)
	if err != nil {
		t.Fatalf("append: %v", err)
	}
	return records
}

func collect(t testing.TB, l eventlog.Log, first, last eventlog.Seq) []eventlog.Record {
	t.Helper()
	var out []eventlog.Record
	for r, err := range l.Records(first, last) {
		if err != nil {
			t.Fatalf("records %d to %d: %v", first, last, err)
		}
		out = append(out, r)
	}
	return out
}

func same(t testing.TB, what string, got, want []eventlog.Record) {
	t.Helper()
	if reflect.DeepEqual(got, want) {
		return // cmp takes minutes over large objects
	}
	if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
		t.Fatalf("%s (-want +got):\n%s", what, d)
	}
}

// draft makes a draft that differs with n in every field.
func draft(n int) eventlog.Draft {
	return eventlog.Draft{
		Kind:    eventlog.Kind(1 + n%24),
		Version: uint8(1 + n%3),
		Subject: eventlog.Subject{
			Resource:  eventlog.Resource(1 + n%5),
			Namespace: []string{"", "default", "shop"}[n%3],
			Name:      fmt.Sprintf("object-%d", n),
			UID:       eventlog.UID{byte(n), byte(n >> 8), 15: 7},
		},
		Fact:   []byte(fmt.Sprintf("fact %d", n)),
		Object: []byte(fmt.Sprintf("object %d of many that look alike", n)),
	}
}

func testEmpty(t *testing.T, open Open) {
	l := mustOpen(t, open, t.TempDir(), eventlog.Options{ClusterName: "c"})
	if l.Head() != 0 || l.Durable() != 0 {
		t.Errorf("head %d, durable %d", l.Head(), l.Durable())
	}
	if id := l.Identity(); len(id.ID) != 26 || id.ClusterName != "c" {
		t.Errorf("identity %+v", id)
	}
	same(t, "records", collect(t, l, 0, 0), nil)
	for _, seq := range []eventlog.Seq{0, 1} {
		if _, err := l.Read(seq); !errors.Is(err, eventlog.ErrNotFound) {
			t.Errorf("read %d: %v", seq, err)
		}
	}
	if records, err := l.Append(context.Background()); err != nil || len(records) != 0 {
		t.Errorf("append of nothing: %v, %v", records, err)
	}
	if err := l.Wait(context.Background(), 0); err != nil {
		t.Errorf("wait for nothing: %v", err)
	}
	if err := l.Err(); err != nil {
		t.Error(err)
	}
}

func testRoundTrip(t *testing.T, open Open) {
	l := mustOpen(t, open, t.TempDir(), eventlog.Options{})
	drafts := []eventlog.Draft{
		{Kind: eventlog.KindStarted},
		draft(1),
		{Kind: eventlog.Kind(200), Version: 255, Fact: []byte("from the future")},
		{Kind: eventlog.KindDecided, Cause: []eventlog.Seq{2, 1, 3}, Object: []byte{0}},
		{Kind: eventlog.KindNoted, Subject: eventlog.Subject{Name: "no other field"}},
	}
	records := mustAppend(t, l, drafts...)
	for i, r := range records {
		d := drafts[i]
		want := eventlog.Record{
			Seq: eventlog.Seq(i + 1), Kind: d.Kind, Version: max(d.Version, 1),
			Time: r.Time, Clock: r.Clock,
			Cause: d.Cause, Subject: d.Subject, Fact: d.Fact, Object: d.Object,
		}
		same(t, "returned", []eventlog.Record{r}, []eventlog.Record{want})
		if r.Time.Location() != time.UTC || r.Clock.Location() != time.UTC {
			t.Errorf("seq %d is not in UTC", r.Seq)
		}
	}
	want := append([]eventlog.Record(nil), records...)
	clear(records) // the caller's own
	same(t, "stored", collect(t, l, 0, 0), want)
	for _, w := range want {
		r, err := l.Read(w.Seq)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "read", []eventlog.Record{r}, []eventlog.Record{w})
	}
}

// fill appends batches of 1, 2, 3 and so on records.
func fill(t testing.TB, l eventlog.Log, batches int) (records []eventlog.Record) {
	t.Helper()
	for i := range batches {
		var drafts []eventlog.Draft
		for range i + 1 {
			drafts = append(drafts, draft(len(records)+len(drafts)))
		}
		records = append(records, mustAppend(t, l, drafts...)...)
	}
	return records
}

func testCuts(t *testing.T, open Open) {
	dir := t.TempDir()
	l := mustOpen(t, open, dir, eventlog.Options{})
	all := fill(t, l, 7)
	head := eventlog.Seq(len(all))
	for first := eventlog.Seq(0); first <= head+2; first++ {
		for last := eventlog.Seq(0); last <= head+2; last++ {
			from, to := max(first, 1), last
			if last == 0 || last > head {
				to = head
			}
			var want []eventlog.Record
			if from <= to {
				want = all[from-1 : to]
			}
			same(t, fmt.Sprintf("records %d to %d", first, last), collect(t, l, first, last), want)
		}
	}
	// A reader that stops early gets no more.
	for stop := range all {
		n := 0
		for range l.Records(1, 0) {
			if n++; n > stop {
				break
			}
		}
		if n != stop+1 {
			t.Fatalf("stopped after %d, got %d", stop+1, n)
		}
	}
}

func testReopen(t *testing.T, open Open) {
	dir := t.TempDir()
	var all []eventlog.Record
	var id eventlog.Identity
	for i := range 6 {
		l, err := open(t, dir, eventlog.Options{ClusterName: "c", ClusterUID: "u"})
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			id = l.Identity()
		}
		if l.Identity() != id {
			t.Errorf("identity %+v, was %+v", l.Identity(), id)
		}
		if head := eventlog.Seq(len(all)); l.Head() != head || l.Durable() != head {
			t.Fatalf("head %d, durable %d, want %d", l.Head(), l.Durable(), head)
		}
		same(t, "reopened", collect(t, l, 0, 0), all)
		for range i {
			all = append(all, mustAppend(t, l, draft(len(all)))...)
		}
		verify(t, l)
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func testClock(t *testing.T, open Open) {
	base := time.Date(2026, 1, 2, 3, 4, 5, 678901234, time.UTC)
	clock := []time.Duration{0, time.Second, -time.Hour, time.Second / 2, 2 * time.Second, -time.Minute}
	now := base
	o := eventlog.Options{Now: func() time.Time { return now }}
	dir := t.TempDir()
	last := time.Time{}
	for _, d := range clock {
		l, err := open(t, dir, o)
		if err != nil {
			t.Fatal(err)
		}
		now = base.Add(d)
		r := mustAppend(t, l, draft(1))[0]
		want := now
		if want.Before(last) {
			want = last
		}
		if !r.Time.Equal(want) || !r.Clock.Equal(now) {
			t.Errorf("clock at %v: recorded %v, clock %v", now, r.Time, r.Clock)
		}
		last = r.Time
		back, err := l.Read(r.Seq)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "read", []eventlog.Record{back}, []eventlog.Record{r})
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func testConcurrent(t *testing.T, open Open) {
	const submitters, calls = 8, 20
	l := mustOpen(t, open, t.TempDir(), eventlog.Options{})
	var mu sync.Mutex
	bySeq := make(map[eventlog.Seq]eventlog.Record)
	var wg sync.WaitGroup
	for s := range submitters {
		wg.Go(func() {
			var last eventlog.Seq
			for c := range calls {
				drafts := make([]eventlog.Draft, 1+(s+c)%4)
				for i := range drafts {
					drafts[i] = draft(s*1000 + c*10 + i)
				}
				submit := l.Submit
				if c%5 == 4 {
					submit = l.Append
				}
				records, err := submit(context.Background(), drafts...)
				if err != nil {
					t.Errorf("submit: %v", err)
					return
				}
				mu.Lock()
				for i, r := range records {
					if r.Seq <= last || i > 0 && r.Seq != last+1 {
						t.Errorf("seq %d after %d in one call", r.Seq, last)
					}
					last = r.Seq
					bySeq[r.Seq] = r
				}
				mu.Unlock()
			}
			if err := l.Wait(context.Background(), last); err != nil {
				t.Errorf("wait: %v", err)
			}
			if l.Durable() < last {
				t.Errorf("waited for %d, durable is %d", last, l.Durable())
			}
		})
	}
	wg.Wait()
	all := collect(t, l, 0, 0)
	if len(all) != len(bySeq) || l.Head() != eventlog.Seq(len(all)) {
		t.Fatalf("%d records stored, %d returned, head %d", len(all), len(bySeq), l.Head())
	}
	for i, r := range all {
		if r.Seq != eventlog.Seq(i+1) {
			t.Fatalf("seq %d stands at %d", r.Seq, i+1)
		}
		same(t, "stored", []eventlog.Record{r}, []eventlog.Record{bySeq[r.Seq]})
	}
}

func testWait(t *testing.T, open Open) {
	l := mustOpen(t, open, t.TempDir(), eventlog.Options{})
	ctx, cancel := context.WithCancel(context.Background())
	early := make(chan error, 1)
	go func() { early <- l.Wait(context.Background(), 3) }() // before it exists
	canceled := make(chan error, 1)
	go func() { canceled <- l.Wait(ctx, 4) }()

	mustAppend(t, l, draft(1), draft(2), draft(3))
	if err := <-early; err != nil {
		t.Errorf("wait for a later record: %v", err)
	}
	for seq := eventlog.Seq(0); seq <= 3; seq++ {
		if err := l.Wait(ctx, seq); err != nil {
			t.Errorf("wait for durable %d: %v", seq, err)
		}
	}
	cancel()
	if err := <-canceled; !errors.Is(err, context.Canceled) {
		t.Errorf("canceled wait: %v", err)
	}
	if _, err := l.Submit(ctx, draft(4)); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled submit: %v", err)
	}
	if l.Head() != 3 {
		t.Errorf("a canceled submit was numbered: head %d", l.Head())
	}
	// Many waiters, told in any order.
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			if err := l.Wait(context.Background(), eventlog.Seq(4+i%10)); err != nil {
				t.Errorf("wait: %v", err)
			}
		})
	}
	for i := range 10 {
		if _, err := l.Submit(context.Background(), draft(i)); err != nil {
			t.Fatal(err)
		}
	}
	wg.Wait()
}

func testAppendWhileReading(t *testing.T, open Open) {
	l := mustOpen(t, open, t.TempDir(), eventlog.Options{})
	fill(t, l, 3)
	n := 0
	for r, err := range l.Records(0, 0) {
		if err != nil {
			t.Fatal(err)
		}
		n++
		mustAppend(t, l, eventlog.Draft{Kind: eventlog.KindNoted, Cause: []eventlog.Seq{r.Seq}})
	}
	if n != 6 || l.Durable() != 12 {
		t.Errorf("read %d, durable %d; want the 6 at the time of the call, 12", n, l.Durable())
	}
}

func testLimits(t *testing.T, open Open) {
	l := mustOpen(t, open, t.TempDir(), eventlog.Options{})
	long := string(make([]byte, eventlog.MaxName+1))
	for _, test := range []struct {
		name  string
		draft eventlog.Draft
	}{
		{"fact", eventlog.Draft{Kind: 1, Fact: make([]byte, eventlog.MaxFact+1)}},
		{"object", eventlog.Draft{Kind: 1, Object: make([]byte, eventlog.MaxObject+1)}},
		{"name", eventlog.Draft{Kind: 1, Subject: eventlog.Subject{Name: long}}},
		{"namespace", eventlog.Draft{Kind: 1, Subject: eventlog.Subject{Namespace: long}}},
		{"cause list", eventlog.Draft{Kind: 1, Cause: make([]eventlog.Seq, eventlog.MaxCauses+1)}},
	} {
		_, err := l.Submit(context.Background(), draft(0), test.draft)
		var limit *eventlog.LimitError
		if !errors.As(err, &limit) || limit.What != test.name || limit.Size != limit.Limit+1 {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	if l.Head() != 0 {
		t.Errorf("head %d", l.Head())
	}
}

func testRefusal(t *testing.T, open Open) {
	l := mustOpen(t, open, t.TempDir(), eventlog.Options{})
	mustAppend(t, l, draft(1))
	for _, bad := range []eventlog.Draft{
		{},
		{Kind: 1, Cause: []eventlog.Seq{0}},
		{Kind: 1, Cause: []eventlog.Seq{3}}, // itself
		{Kind: 1, Cause: []eventlog.Seq{9}},
	} {
		if _, err := l.Submit(context.Background(), draft(2), bad); err == nil {
			t.Errorf("%+v was taken", bad)
		}
	}
	records := mustAppend(t, l, draft(2), eventlog.Draft{Kind: 1, Cause: []eventlog.Seq{1, 2}})
	if records[0].Seq != 2 {
		t.Errorf("seq %d", records[0].Seq)
	}
}

func testLarge(t *testing.T, open Open) {
	dir := t.TempDir()
	l := mustOpen(t, open, dir, eventlog.Options{})
	noise := make([]byte, 3<<20) // does not compress
	x := uint32(1)
	for i := range noise {
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
		noise[i] = byte(x)
	}
	var drafts []eventlog.Draft
	for i, object := range [][]byte{
		noise[:eventlog.MaxInlineObject],
		noise[:eventlog.MaxInlineObject+1],
		noise,
		make([]byte, 9<<20), // compresses well
	} {
		d := draft(i)
		d.Object = object
		drafts = append(drafts, d, draft(i))
	}
	big := draft(9)
	big.Fact = noise[:1<<20] // a fact alone fills more than a block
	drafts = append(drafts, big)
	for i := range 2 * eventlog.MaxBlockRecords {
		drafts = append(drafts, draft(i))
	}
	records := mustAppend(t, l, drafts...)
	same(t, "stored", collect(t, l, 0, 0), records)
	for _, seq := range []eventlog.Seq{1, 2, 3, 5, 7, 9, 10, 1034, 2000} {
		r, err := l.Read(seq)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "read", []eventlog.Record{r}, records[seq-1:seq])
	}
}

func testClose(t *testing.T, open Open) {
	dir := t.TempDir()
	l, err := open(t, dir, eventlog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		if _, err := l.Submit(context.Background(), draft(i)); err != nil {
			t.Fatal(err)
		}
	}
	never := make(chan error, 1)
	go func() { never <- l.Wait(context.Background(), 99) }()
	for range 2 {
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := <-never; !errors.Is(err, eventlog.ErrClosed) {
		t.Errorf("wait for what never comes: %v", err)
	}
	if err := l.Wait(context.Background(), 20); err != nil {
		t.Errorf("close did not make all durable: %v", err)
	}
	if _, err := l.Submit(context.Background(), draft(0)); !errors.Is(err, eventlog.ErrClosed) {
		t.Errorf("submit: %v", err)
	}
	if _, err := l.Read(1); !errors.Is(err, eventlog.ErrClosed) {
		t.Errorf("read: %v", err)
	}
	for _, err := range l.Records(0, 0) {
		if !errors.Is(err, eventlog.ErrClosed) {
			t.Errorf("records: %v", err)
		}
	}
	again := mustOpen(t, open, dir, eventlog.Options{})
	if again.Durable() != 20 || len(collect(t, again, 0, 0)) != 20 {
		t.Errorf("durable %d after reopening", again.Durable())
	}
}

func testCluster(t *testing.T, open Open) {
	dir := t.TempDir()
	l := mustOpen(t, open, dir, eventlog.Options{ClusterName: "c"})
	c, ok := l.(interface{ SetCluster(string) error })
	if !ok {
		return // an imported log's cluster never changes
	}
	for range 2 {
		if err := c.SetCluster("uid-1"); err != nil {
			t.Fatal(err)
		}
	}
	var wrong *eventlog.WrongClusterError
	if err := c.SetCluster("uid-2"); !errors.As(err, &wrong) || wrong.Log != "uid-1" || wrong.Want != "uid-2" {
		t.Errorf("another cluster: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	again := mustOpen(t, open, dir, eventlog.Options{})
	if id := again.Identity(); id.ClusterUID != "uid-1" || id.ClusterName != "c" {
		t.Errorf("identity %+v", id)
	}
}
