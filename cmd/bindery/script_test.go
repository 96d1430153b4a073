package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"bindery/api/kube/kubesim"
	"bindery/binder/executor"
	"bindery/eventlog"
	"bindery/projector/fact"

	"github.com/rogpeppe/go-internal/testscript"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/client-go/kubernetes/scheme"
)

// scriptCommands are the commands that scripts have beside testscript's own.
//
//	makelog DIR CLUSTER UID N     make a log of N notes
//	hostilelog DIR                make a log whose names hold control characters
//	holdlog DIR                   hold the log's lock until the script ends
//	flip DIR TEXT                 flip a byte of that text in the newest segment
//	newer DIR                     make the log one of a newer format
//	unwritable                    set $UNWRITABLE to a directory that cannot be made
//	errors ERROR HINT             standard error is these two lines (regular expressions)
//	exitcode N COMMAND [ARG...]   the command ends with this code
//	tame                          the output holds nothing that a terminal obeys
//	kube-api [VERB RESOURCE]      serve a new in-memory cluster and write the
//	                              file kubeconfig; the verb is forbidden
var scriptCommands = map[string]func(ts *testscript.TestScript, neg bool, args []string){
	"makelog":    makeLog,
	"holdlog":    holdLog,
	"hostilelog": hostileLog,
	"flip":       flipByte,
	"newer":      newerLog,
	"unwritable": unwritable,
	"kube-api":   kubeAPI,
	"errors":     twoLines,
	"exitcode":   exitCode,
	"tame":       tame,
}

// setupScript gives each script a home of its own, so that no kubeconfig of
// the machine takes part.
func setupScript(env *testscript.Env) error {
	env.Setenv("HOME", env.WorkDir)
	env.Setenv("KUBECONFIG", filepath.Join(env.WorkDir, "no-kubeconfig"))
	env.Setenv("BINDERY_SERVER", "http://127.0.0.1:1")
	env.Setenv("TEST_PID", strconv.Itoa(os.Getpid()))
	return nil
}

func makeLog(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 4 {
		ts.Fatalf("usage: makelog DIR CLUSTER UID N")
	}
	n, err := strconv.Atoi(args[3])
	ts.Check(err)
	store, err := eventlog.Open(ts.MkAbs(args[0]), eventlog.Options{ClusterName: args[1], ClusterUID: args[2]})
	ts.Check(err)
	for i := range n {
		note := []byte(fmt.Sprintf("note %d", i+1))
		_, err := store.Append(context.Background(), eventlog.Draft{Kind: eventlog.KindNoted, Fact: note})
		ts.Check(err)
	}
	ts.Check(store.Close())
}

func holdLog(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: holdlog DIR")
	}
	store, err := eventlog.Open(ts.MkAbs(args[0]), eventlog.Options{})
	ts.Check(err)
	ts.Defer(func() { ts.Check(store.Close()) })
}

// hostile is text that would take over a terminal: a colour, a cursor move, a
// C1 control, a turn of direction, a line of its own.
const hostileText = "a\x1b[31mred\rover\u009b2Jgone\u202etxt\nerror: forged\x07"

// hostileLog makes a log of a claim and a volume whose texts are hostile, as a
// restored etcd or an aggregated API server could serve them.
func hostileLog(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: hostilelog DIR")
	}
	store, err := eventlog.Open(ts.MkAbs(args[0]), eventlog.Options{ClusterName: hostileText, ClusterUID: "uid"})
	ts.Check(err)
	machine, err := executor.NewMachine(store)
	ts.Check(err)
	ctx := context.Background()
	_, err = machine.Start(ctx, fact.Start{Version: hostileText, Mode: modeShadow}, true)
	ts.Check(err)
	class := hostileText
	volume := &corev1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: "v" + hostileText, UID: "00000000-0000-0000-0000-000000000001", ResourceVersion: "1"},
		Spec:       corev1.PersistentVolumeSpec{StorageClassName: class, AccessModes: []corev1.PersistentVolumeAccessMode{hostileText}},
		Status:     corev1.PersistentVolumeStatus{Phase: hostileText},
	}
	claim := &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: "c", Namespace: "default", UID: "00000000-0000-0000-0000-000000000002", ResourceVersion: "2"},
		Spec:       corev1.PersistentVolumeClaimSpec{StorageClassName: &class, VolumeName: hostileText},
		Status:     corev1.PersistentVolumeClaimStatus{Phase: hostileText},
	}
	drafts := []eventlog.Draft{}
	for _, obj := range []runtime.Object{volume, claim} {
		draft, err := fact.ObservedDraft(obj, fact.SourceList, fact.VerbListed)
		ts.Check(err)
		drafts = append(drafts, draft)
	}
	for r := eventlog.ResourceVolume; r <= eventlog.ResourceNode; r++ {
		drafts = append(drafts, eventlog.Draft{
			Kind: eventlog.KindListCompleted, Subject: eventlog.Subject{Resource: r}, Fact: fact.List{Version: 3}.Append(nil),
		})
	}
	drafts = append(drafts, eventlog.Draft{
		Kind: eventlog.KindGap, Subject: eventlog.Subject{Resource: eventlog.ResourceVolume}, Fact: fact.Gap{From: 1, To: 2, Cause: hostileText}.Append(nil),
	})
	_, err = machine.Step(ctx, drafts...)
	ts.Check(err)
	ts.Check(store.Close())
}

func flipByte(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: flip DIR TEXT")
	}
	segments, err := filepath.Glob(filepath.Join(ts.MkAbs(args[0]), "segments", "*"))
	ts.Check(err)
	if len(segments) == 0 {
		ts.Fatalf("no segment in %s", args[0])
	}
	path := segments[len(segments)-1]
	data, err := os.ReadFile(path)
	ts.Check(err)
	found := false
	for at := 0; ; at++ { // pages that are free by now may hold copies
		next := bytes.Index(data[at:], []byte(args[1]))
		if next < 0 {
			break
		}
		at += next
		data[at] ^= 0x40
		found = true
	}
	if !found {
		ts.Fatalf("no %q in %s", args[1], path)
	}
	ts.Check(os.WriteFile(path, data, 0o600))
}

func newerLog(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: newer DIR")
	}
	path := filepath.Join(ts.MkAbs(args[0]), "MANIFEST")
	data, err := os.ReadFile(path)
	ts.Check(err)
	at := bytes.LastIndex(data, []byte("\ncrc32c ")) + 1
	body := strings.Replace(string(data[:at]), `"version": 1`, `"version": 99`, 1)
	body = strings.Replace(body, `"version":1,`, `"version":99,`, 1)
	if body == string(data[:at]) {
		ts.Fatalf("no version in %s", path)
	}
	sum := crc32.Checksum([]byte(body), crc32.MakeTable(crc32.Castagnoli))
	ts.Check(os.WriteFile(path, fmt.Appendf([]byte(body), "crc32c %08x\n", sum), 0o600))
}

// unwritable names a directory that this user cannot make. Of the superuser
// only a file system that refuses everyone does.
func unwritable(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: unwritable")
	}
	parent := "/sys"
	if os.Getuid() != 0 {
		parent = ts.MkAbs("unwritable")
		ts.Check(os.Mkdir(parent, 0o555))
	}
	dir := filepath.Join(parent, "bindery")
	if err := os.Mkdir(dir, 0o700); err == nil {
		_ = os.Remove(dir)
		ts.Fatalf("%s can be made, so it cannot stand for one that cannot", dir)
	}
	ts.Setenv("UNWRITABLE", dir)
}

// twoLines checks that standard error is one error line and one hint line.
func twoLines(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: errors ERROR HINT")
	}
	text := ts.ReadFile("stderr")
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if len(lines) != 2 || !strings.HasPrefix(lines[0], "error: ") || !strings.HasPrefix(lines[1], "hint: ") {
		ts.Fatalf("standard error is not one error line and one hint line:\n%s", text)
	}
	for i, want := range args {
		ts.Check(matches(lines[i], want))
	}
}

func matches(line, pattern string) error {
	ok, err := regexp.MatchString(pattern, line)
	if err == nil && !ok {
		err = fmt.Errorf("got the line\n%s\nwant it to match\n%s", line, pattern)
	}
	return err
}

// exitCode checks a command's exit code.
func exitCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exitcode N COMMAND [ARG...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit code: got %d, want %d", got, want)
	}
}

// tame checks that standard output and error hold no control character but the
// newline, no turn of direction, and no line that text forged.
func tame(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: tame")
	}
	for _, stream := range []string{"stdout", "stderr"} {
		text := ts.ReadFile(stream)
		for at, r := range text {
			if r != '\n' && hostile(r) {
				ts.Fatalf("%s holds %U at byte %d:\n%q", stream, r, at, text)
			}
		}
		if strings.Contains(text, "\nerror: forged") {
			ts.Fatalf("%s holds a forged line:\n%s", stream, text)
		}
	}
}

// kubeAPI serves an in-memory cluster until the script ends. Without the right
// to a verb, the access review says so.
func kubeAPI(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 && len(args) != 2 {
		ts.Fatalf("usage: kube-api [VERB RESOURCE]")
	}
	cluster := kubesim.Handler(kubesim.New(kubesim.Options{NewUID: uuid.NewUUID}))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(args) == 0 || !strings.HasSuffix(r.URL.Path, "/selfsubjectaccessreviews") {
			cluster.ServeHTTP(w, r)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		obj, _, err := scheme.Codecs.UniversalDeserializer().Decode(body, nil, nil)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		review := obj.(*authorizationv1.SelfSubjectAccessReview)
		asked := review.Spec.ResourceAttributes
		review.Status.Allowed = asked.Verb != args[0] || asked.Resource != args[1]
		review.SetGroupVersionKind(authorizationv1.SchemeGroupVersion.WithKind("SelfSubjectAccessReview"))
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		_ = json.NewEncoder(w).Encode(review) // a client that left needs no answer
	}))
	ts.Defer(func() { server.CloseClientConnections(); server.Close() })
	ts.Check(os.WriteFile(ts.MkAbs("kubeconfig"), kubesim.Kubeconfig(server.URL), 0o600))
}
