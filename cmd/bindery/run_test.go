package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"bindery/api"
	"bindery/api/kube/kubesim"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/cli-runtime/pkg/genericiooptions"
)

// cli runs the program in process and gives its exit code and output.
func cli(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errOut bytes.Buffer
	code = run(t.Context(), args, genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: &errOut})
	return code, out.String(), errOut.String()
}

// process is a verb that stays, running in this process.
type process struct {
	t      *testing.T
	end    context.CancelFunc
	code   chan int
	joined bool

	mu    sync.Mutex // guards what follows
	more  *sync.Cond // there is another line, or the end
	said  []string   // lines of standard error
	ended bool
}

// background starts a verb that stays; the test's end ends it.
func background(t *testing.T, args ...string) *process {
	t.Helper()
	ctx, end := context.WithCancel(context.Background())
	reader, writer := io.Pipe()
	p := &process{t: t, end: end, code: make(chan int, 1)}
	p.more = sync.NewCond(&p.mu)
	go func() {
		code := run(ctx, args, genericiooptions.IOStreams{In: strings.NewReader(""), Out: io.Discard, ErrOut: writer})
		_ = writer.Close()
		p.code <- code
	}()
	go func() {
		for scanner := bufio.NewScanner(reader); scanner.Scan(); {
			p.heard(scanner.Text(), false)
		}
		p.heard("", true)
	}()
	t.Cleanup(func() { p.stop() })
	return p
}

// heard takes a line, or the end.
func (p *process) heard(line string, end bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if end {
		p.ended = true
	} else {
		p.said = append(p.said, line)
	}
	p.more.Broadcast()
}

// until waits for a line that contains the text, said before or yet to come.
func (p *process) until(text string) string {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for read := 0; ; {
		for ; read < len(p.said); read++ {
			if strings.Contains(p.said[read], text) {
				return p.said[read]
			}
		}
		if p.ended {
			p.t.Fatalf("it ended without saying %q:\n%s", text, strings.Join(p.said, "\n"))
		}
		p.more.Wait()
	}
}

// all is what it has said so far.
func (p *process) all() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.said, "\n")
}

// stop interrupts it and gives its exit code; a second call does nothing.
func (p *process) stop() int {
	if p.joined {
		return exitFine
	}
	p.joined = true
	p.end()
	code := <-p.code
	p.mu.Lock()
	defer p.mu.Unlock()
	for !p.ended {
		p.more.Wait()
	}
	return code
}

// value is what a line of the program's log says for a key.
func value(line, key string) string {
	_, rest, _ := strings.Cut(line, " "+key+"=")
	rest, _, _ = strings.Cut(rest, " ")
	return rest
}

// simulate serves an in-memory cluster for a test.
func simulate(t *testing.T, options kubesim.Options) *simulation {
	t.Helper()
	s, err := openSimulation(t.Context(), "127.0.0.1:0", filepath.Join(t.TempDir(), "kubeconfig"), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// pair creates a volume and a claim that fit, and returns once the claim is
// bound.
func (s *simulation) pair(t *testing.T, name string) {
	t.Helper()
	ctx := t.Context()
	watching, err := s.cluster.client.CoreV1().PersistentVolumeClaims("default").Watch(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer watching.Stop()
	play := &script{client: s.cluster.client, say: func(string, string, ...any) {}}
	if err := play.volume(ctx, name, "1Gi", "manual", corev1.ReadWriteOnce); err != nil {
		t.Fatal(err)
	}
	if err := play.claim(ctx, name, "1Gi", "manual", nil); err != nil {
		t.Fatal(err)
	}
	for event := range watching.ResultChan() {
		claim, ok := event.Object.(*corev1.PersistentVolumeClaim)
		if ok && claim.Name == name && claim.Status.Phase == corev1.ClaimBound {
			return
		}
	}
	t.Fatal("the watch ended before the claim was bound")
}

// TestRunBindsAndTells: a whole life of the service over HTTP, twice. The
// second life goes on in the same log and writes nothing to what is bound. The
// service and its log directory give the same answer.
func TestRunBindsAndTells(t *testing.T) {
	var writes atomic.Int64
	s := simulate(t, kubesim.Options{Faults: func(c kubesim.Call) kubesim.Fault {
		if c.Verb == "patch" && c.Name == "one" {
			writes.Add(1)
		}
		return kubesim.Fault{}
	}})
	data := filepath.Join(t.TempDir(), "data")
	args := []string{"run", "--mode=bind", "--data-dir", data, "--kubeconfig", s.kubeconfig, "--api-endpoint", "127.0.0.1:0"}
	first := background(t, args...)
	server := value(first.until("msg=working"), "answers")
	first.until("the lease is held")
	first.until("msg=ready")
	s.pair(t, "one")
	online := settled(t, server, "one")
	if code, _, stderr := cli(t, "why", "pvc/one", "--log", data); code != exitFailed || !strings.Contains(stderr, "is in use by") {
		t.Errorf("why --log of a log in use: got exit code %d, %s", code, stderr)
	}
	if code := first.stop(); code != exitFine {
		t.Errorf("first life: got exit code %d:\n%s", code, first.all())
	}
	offline := whyAnswer(t, "why", "pvc/one", "-o", "json", "--log", data)
	if diff := cmp.Diff(online, offline); diff != "" {
		t.Errorf("answers differ (-service +directory):\n%s", diff)
	}
	before := writes.Load()
	second := background(t, args...)
	second.until("the lease is held")
	second.until("msg=ready")
	s.pair(t, "two")
	second.stop()
	if got := writes.Load() - before; before < 4 || got != 0 {
		t.Errorf("got %d writes for a pair in the first life and %d in the second, want at least 4 and none", before, got)
	}
	if code, stdout, _ := cli(t, "log", "verify", "--log", data); code != exitFine {
		t.Errorf("log verify: got exit code %d: %s", code, stdout)
	}
	_, dump, _ := cli(t, "log", "dump", "--log", data)
	for _, want := range []string{"LeaderGained  term 0", "LeaderLost    term 0", "LeaderGained  term 1", "Stopped", "rule U3-bind"} {
		if !strings.Contains(dump, want) {
			t.Errorf("log dump does not hold %q:\n%s", want, dump)
		}
	}
}

// settled asks the service until it too has heard that the claim is bound: the
// API server knows it first.
func settled(t *testing.T, server, claim string) map[string]any {
	t.Helper()
	for t.Context().Err() == nil {
		answer := whyAnswer(t, "why", "pvc/"+claim, "-o", "json", "--server", server)
		if answer["state"] == api.StateBound {
			return answer
		}
	}
	t.Fatal("the claim was never told to be bound")
	return nil
}

// whyAnswer is an answer without what moves with every record.
func whyAnswer(t *testing.T, args ...string) map[string]any {
	t.Helper()
	code, stdout, stderr := cli(t, args...)
	if code != exitFine {
		t.Fatalf("%v: got exit code %d: %s", args, code, stderr)
	}
	var answer map[string]any
	if err := json.Unmarshal([]byte(stdout), &answer); err != nil {
		t.Fatal(err)
	}
	delete(answer, "asOf")
	return answer
}

// TestRunShadowWritesNothing: shadow mode decides, and the cluster sees reads
// only.
func TestRunShadowWritesNothing(t *testing.T) {
	var writes atomic.Int64
	s := simulate(t, kubesim.Options{Faults: func(c kubesim.Call) kubesim.Fault {
		switch c.Verb {
		case "get", "list", "watch":
		default:
			writes.Add(1)
		}
		return kubesim.Fault{}
	}})
	play := &script{client: s.cluster.client, say: func(string, string, ...any) {}}
	ctx := t.Context()
	if err := play.volume(ctx, "disk", "1Gi", "manual", corev1.ReadWriteOnce); err != nil {
		t.Fatal(err)
	}
	volume, err := s.cluster.client.CoreV1().PersistentVolumes().Get(ctx, "disk", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	volume.Status.Phase = corev1.VolumeAvailable // as the binder that acts would have it
	if _, err := s.cluster.client.CoreV1().PersistentVolumes().UpdateStatus(ctx, volume, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := play.claim(ctx, "data", "1Gi", "manual", nil); err != nil {
		t.Fatal(err)
	}
	before := writes.Load()
	data := filepath.Join(t.TempDir(), "data")
	p := background(t, "run", "--data-dir", data, "--kubeconfig", s.kubeconfig, "--api-endpoint", "")
	p.until("msg=ready")
	if code := p.stop(); code != exitFine {
		t.Errorf("got exit code %d:\n%s", code, p.all())
	}
	if got := writes.Load() - before; got != 0 {
		t.Errorf("got %d writes in shadow mode, want none", got)
	}
	_, dump, _ := cli(t, "log", "dump", "--log", data)
	if !strings.Contains(dump, "rule U3-bind") || strings.Contains(dump, "Intended") {
		t.Errorf("want the decision and no intent in\n%s", dump)
	}
}
