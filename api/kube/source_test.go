package kube

import (
	"context"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"bindery/api/kube/kubesim"
	"bindery/eventlog"
	"bindery/projector"
	"bindery/projector/fact"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// ledger is a sink that folds what it takes, like the sequencer does, and
// lets a test wait for it.
type ledger struct {
	mu    sync.Mutex // guards all below
	log   *eventlog.Memory
	state *projector.State
	view  *projector.View
	lines []string
	news  chan struct{}
	block chan struct{} // when set, Put waits for it
}

func newLedger(t *testing.T, log *eventlog.Memory) *ledger {
	t.Helper()
	l := &ledger{log: log, state: projector.New(), news: make(chan struct{}, 1)}
	for r, err := range log.Records(1, 0) {
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.state.Apply(r); err != nil {
			t.Fatal(err)
		}
	}
	l.view = l.state.View()
	return l
}

// Put folds the drafts.
func (l *ledger) Put(ctx context.Context, drafts ...eventlog.Draft) error {
	l.mu.Lock()
	block := l.block
	l.mu.Unlock()
	if block != nil {
		select {
		case <-block:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	records, err := l.log.Submit(ctx, drafts...)
	if err != nil {
		return err
	}
	for _, r := range records {
		if _, err := l.state.Apply(r); err != nil {
			return err
		}
		l.lines = append(l.lines, line(r))
	}
	l.view = l.state.View()
	select {
	case l.news <- struct{}{}:
	default:
	}
	return nil
}

// View is what the log knows.
func (l *ledger) View() *projector.View {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.view.Fresh()
}

var resourceNames = map[eventlog.Resource]string{
	eventlog.ResourceVolume: "volume", eventlog.ResourceClaim: "claim", eventlog.ResourceClass: "class",
	eventlog.ResourcePod: "pod", eventlog.ResourceNode: "node",
}

// line is a record in short.
func line(r eventlog.Record) string {
	what := fmt.Sprintf("%v %s", r.Kind, resourceNames[r.Subject.Resource])
	if r.Subject.Name != "" {
		what += " " + r.Subject.Name
	}
	switch r.Kind {
	case eventlog.KindObserved:
		o, _ := fact.ParseObservation(r.Fact)
		what += fmt.Sprintf(" %v %v", o.Source, o.Verb)
	case eventlog.KindListCompleted:
		l, _ := fact.ParseList(r.Fact)
		what += fmt.Sprintf(" items=%d", l.Items)
		if l.Error != "" {
			what += fmt.Sprintf(" code=%d", l.Code)
		}
	case eventlog.KindGap:
		g, _ := fact.ParseGap(r.Fact)
		what += " " + g.Cause
	case eventlog.KindWatchEnded:
		w, _ := fact.ParseWatch(r.Fact)
		what += " " + w.Cause
	}
	return what
}

// of is the lines about one resource.
func (l *ledger) of(resource string) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []string
	for _, line := range l.lines {
		if strings.Contains(line, " "+resource) {
			out = append(out, line)
		}
	}
	return out
}

// until waits until the resource's lines end with the wanted one.
func (l *ledger) until(t *testing.T, resource, want string) {
	t.Helper()
	limit := time.After(20 * time.Second)
	for {
		if lines := l.of(resource); slices.Contains(lines, want) {
			return
		}
		select {
		case <-l.news:
		case <-limit:
			t.Fatalf("no %q in\n%s", want, strings.Join(l.of(resource), "\n"))
		}
	}
}

// site is a simulated cluster over HTTP.
type site struct {
	*kubesim.Server
	web    *httptest.Server
	client *Client
}

func newSite(t *testing.T, opts kubesim.Options) *site {
	t.Helper()
	s := &site{Server: kubesim.New(opts)}
	s.web = httptest.NewServer(kubesim.Handler(s.Server))
	t.Cleanup(s.web.Close)
	config := &rest.Config{Host: s.web.URL}
	var err error
	if s.client, err = NewClient(config); err != nil {
		t.Fatal(err)
	}
	return s
}

// run runs a source over the ledger until stop is called.
func (s *site) run(t *testing.T, l *ledger) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	source := NewSource(SourceOptions{Client: s.client, Sink: l, View: l.View})
	done := make(chan error, 1)
	go func() { done <- source.Run(ctx) }()
	ended := false
	stop = func() {
		cancel()
		if !ended {
			ended = true
			if err := <-done; err != nil {
				t.Error(err)
			}
			s.web.CloseClientConnections()
		}
	}
	t.Cleanup(stop)
	return stop
}

func (s *site) volume(t *testing.T, name string) {
	t.Helper()
	v := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: name}}
	v.Spec.Capacity = corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}
	v.Spec.AccessModes = []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}
	v.Spec.NFS = &corev1.NFSVolumeSource{Server: "nfs", Path: "/" + name}
	if _, err := s.Create(kubesim.Volumes, "", v, "user"); err != nil {
		t.Fatal(err)
	}
}

func TestListThenWatch(t *testing.T) {
	s, l := newSite(t, kubesim.Options{}), newLedger(t, eventlog.NewMemory(eventlog.Options{}))
	s.volume(t, "a")
	s.run(t, l)
	l.until(t, "volume", "ListCompleted volume items=1")
	s.volume(t, "b")
	l.until(t, "volume", "Observed volume b watch added")
	if _, err := s.Delete(kubesim.Volumes, "", "a", nil); err != nil {
		t.Fatal(err)
	}
	l.until(t, "volume", "Deleted volume a")
	want := []string{
		"ListStarted volume", "Observed volume a list listed", "ListCompleted volume items=1",
		"Observed volume b watch added", "Deleted volume a",
	}
	if diff := cmp.Diff(want, l.of("volume")); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	for _, resource := range []string{"claim", "class", "pod", "node"} {
		l.until(t, resource, "ListCompleted "+resource+" items=0")
	}
}

// A restart lists again: what is known is not recorded twice, what went
// meanwhile is Missing, a new object of an old name replaces it, and the
// versions in between are a Gap.
func TestRestart(t *testing.T) {
	s, log := newSite(t, kubesim.Options{}), eventlog.NewMemory(eventlog.Options{})
	l := newLedger(t, log)
	for _, name := range []string{"gone", "kept", "renewed"} {
		s.volume(t, name)
	}
	stop := s.run(t, l)
	l.until(t, "volume", "ListCompleted volume items=3")
	stop()
	for _, name := range []string{"gone", "renewed"} {
		if _, err := s.Delete(kubesim.Volumes, "", name, nil); err != nil {
			t.Fatal(err)
		}
	}
	s.volume(t, "renewed")
	l = newLedger(t, log)
	s.run(t, l)
	l.until(t, "volume", "ListCompleted volume items=2")
	want := []string{
		"ListStarted volume", "Gap volume start", "Missing volume gone", "Missing volume renewed",
		"Observed volume renewed list listed", "ListCompleted volume items=2",
	}
	if diff := cmp.Diff(want, l.of("volume")); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
	if l.View().Volume("kept") == nil || l.View().Volume("renewed") == nil || l.View().Volume("gone") != nil {
		t.Error("the projection is not what the cluster holds")
	}
}

// A watch that is cut ends with a record, and goes on from where it was; one
// that the server cannot go on with is followed by a list and a Gap.
func TestCutAndGone(t *testing.T) {
	var away atomic.Bool // no watch can begin
	s := newSite(t, kubesim.Options{Faults: func(c kubesim.Call) kubesim.Fault {
		if c.Verb == "watch" && away.Load() {
			return kubesim.Fault{Before: apierrors.NewServiceUnavailable("away")}
		}
		return kubesim.Fault{}
	}})
	l := newLedger(t, eventlog.NewMemory(eventlog.Options{}))
	s.run(t, l)
	l.until(t, "volume", "ListCompleted volume items=0")
	s.volume(t, "a")
	l.until(t, "volume", "Observed volume a watch added")
	s.web.CloseClientConnections()
	s.volume(t, "b")
	l.until(t, "volume", "WatchEnded volume closed")
	l.until(t, "volume", "Observed volume b watch added")

	away.Store(true)
	s.web.CloseClientConnections()
	s.volume(t, "c")
	s.Compact()
	away.Store(false)
	l.until(t, "volume", "WatchEnded volume gone")
	l.until(t, "volume", "Gap volume gone")
	l.until(t, "volume", "Observed volume c list listed")
}

// A failed list is unknown, not empty: nothing is Missing.
func TestFailedList(t *testing.T) {
	var mu sync.Mutex
	refused := 0
	faults := func(c kubesim.Call) kubesim.Fault {
		mu.Lock()
		defer mu.Unlock()
		if c.Verb == "list" && c.Kind == kubesim.Volumes && refused < 1 {
			refused++
			return kubesim.Fault{Before: fmt.Errorf("etcd is away")}
		}
		return kubesim.Fault{}
	}
	s, log := newSite(t, kubesim.Options{Faults: faults}), eventlog.NewMemory(eventlog.Options{})
	l := newLedger(t, log)
	s.volume(t, "a")
	s.run(t, l)
	l.until(t, "volume", "ListCompleted volume items=0 code=500")
	l.until(t, "volume", "ListCompleted volume items=1")
	if slices.Contains(l.of("volume"), "Missing volume a") {
		t.Error("a failed list was taken for an empty one")
	}
}

// While the sink blocks, the watch is read no further and nothing is lost.
func TestSlowSink(t *testing.T) {
	s, l := newSite(t, kubesim.Options{}), newLedger(t, eventlog.NewMemory(eventlog.Options{}))
	s.run(t, l)
	l.until(t, "volume", "ListCompleted volume items=0")
	release := make(chan struct{})
	l.mu.Lock()
	l.block = release
	l.mu.Unlock()
	for i := range 20 {
		s.volume(t, fmt.Sprintf("v%02d", i))
	}
	if lines := l.of("volume"); len(lines) != 2 {
		t.Errorf("went on while it was blocked: %q", lines)
	}
	close(release)
	l.until(t, "volume", "Observed volume v19 watch added")
	if got := len(l.of("volume")); got != 22 {
		t.Errorf("%d records, want 2 of the list and 20 volumes", got)
	}
}

// A cluster whose versions went backwards is believed after three lists; then
// an epoch starts and everything is recorded anew.
func TestEpoch(t *testing.T) {
	log := eventlog.NewMemory(eventlog.Options{})
	ahead := newLedger(t, log)
	mark := fact.Watch{Version: 1 << 40}.Append(nil)
	if err := ahead.Put(t.Context(), eventlog.Draft{Kind: eventlog.KindBookmark, Subject: about(eventlog.ResourceVolume), Fact: mark}); err != nil {
		t.Fatal(err)
	}
	s, l := newSite(t, kubesim.Options{}), newLedger(t, log)
	s.volume(t, "a")
	s.run(t, l)
	l.until(t, "volume", "EpochStarted volume")
	l.until(t, "volume", "Observed volume a list listed")
}

// Pods are recorded when what binding reads of them changes, and only then.
func TestPodsAreCut(t *testing.T) {
	s, l := newSite(t, kubesim.Options{}), newLedger(t, eventlog.NewMemory(eventlog.Options{}))
	s.run(t, l)
	l.until(t, "pod", "ListCompleted pod items=0")
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p"}}
	pod.Spec.Volumes = []corev1.Volume{{Name: "d", VolumeSource: corev1.VolumeSource{
		PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "c"},
	}}}
	if _, err := s.Create(kubesim.Pods, "default", pod, "user"); err != nil {
		t.Fatal(err)
	}
	patch := func(subresource, body string) {
		if _, err := s.Patch(kubesim.Pods, "default", "p", subresource, types.MergePatchType, []byte(body), "user"); err != nil {
			t.Fatal(err)
		}
	}
	patch("", `{"metadata":{"labels":{"a":"b"}}}`)
	patch("", `{"spec":{"nodeName":"n1"}}`)
	patch("status", `{"status":{"message":"starting"}}`)
	patch("status", `{"status":{"phase":"Succeeded"}}`)
	if _, err := s.Delete(kubesim.Pods, "default", "p", nil); err != nil {
		t.Fatal(err)
	}
	l.until(t, "pod", "Deleted pod p")
	want := []string{
		"ListStarted pod", "ListCompleted pod items=0", "Observed pod p watch added",
		"Observed pod p watch modified", "Observed pod p watch modified", "Deleted pod p",
	}
	if diff := cmp.Diff(want, l.of("pod")); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
}
