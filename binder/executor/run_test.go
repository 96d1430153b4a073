package executor

import (
	"errors"
	"fmt"
	"net/http"
	"testing"

	"bindery/eventlog"
	"bindery/projector"
	"bindery/projector/fact"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

const (
	volumeUID = "11111111-1111-4111-8111-111111111111"
	claimUID  = "22222222-2222-4222-8222-222222222222"
	otherUID  = "33333333-3333-4333-8333-333333333333"
)

var pvs = schema.GroupResource{Resource: "persistentvolumes"}

// volume builds a live volume; edit changes it.
func volume(version string, edit func(*corev1.PersistentVolume)) *corev1.PersistentVolume {
	pv := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{
		Name: "v1", UID: volumeUID, ResourceVersion: version,
	}}
	if edit != nil {
		edit(pv)
	}
	return pv
}

func bound(pv *corev1.PersistentVolume) {
	pv.Spec.ClaimRef = &corev1.ObjectReference{Namespace: "ns", Name: "c", UID: claimUID}
}

func boundElsewhere(pv *corev1.PersistentVolume) {
	pv.Spec.ClaimRef = &corev1.ObjectReference{Namespace: "ns", Name: "d", UID: otherUID}
}

// plan is a bind cut to its first two steps: volume spec, volume status.
func plan() Begin {
	subject := eventlog.Subject{Resource: eventlog.ResourceVolume, Name: "v1", UID: fact.ParseUID(volumeUID)}
	return Begin{Seq: 7, Owner: projector.ClaimID("ns", "c"), Plan: fact.Plan{Decision: 6, Steps: []fact.Step{
		{
			Subject: subject, Verb: "patch", ResourceVersion: 5, After: -1,
			Patch: []byte(`{"spec":{"claimRef":{"namespace":"ns","name":"c","uid":"` + claimUID + `","kind":null}}}`),
		},
		{
			Subject: subject, Verb: "patch", Subresource: "status", After: 0,
			Patch: []byte(`{"status":{"phase":"Bound"}}`),
		},
	}}}
}

// answer is one scripted answer of the API.
type answer struct {
	obj runtime.Object
	err error
}

// drive plays the answers to the run and returns a line for each request and
// for each draft.
func drive(t *testing.T, run *Run, answers ...answer) []string {
	t.Helper()
	var lines []string
	for _, a := range answers {
		request := run.Next()
		switch request.Action {
		case ActionPatch:
			lines = append(lines, fmt.Sprintf("patch %s/%s @%d", request.Step.Subject.Name, request.Step.Subresource, request.Version))
		case ActionGet:
			lines = append(lines, "get "+request.Step.Subject.Name)
		case ActionDone:
			t.Fatalf("done with answers left, after %q", lines)
		}
		for _, d := range run.Answer(a.obj, a.err) {
			lines = append(lines, describe(t, d))
		}
	}
	if run.Next().Action == ActionDone {
		lines = append(lines, "done")
	}
	return lines
}

func describe(t *testing.T, d eventlog.Draft) string {
	t.Helper()
	if d.Kind != eventlog.KindResulted {
		return d.Kind.String()
	}
	r, err := fact.ParseResult(d.Fact)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("result %d %v final=%v", r.Step, r.Kind, r.Final)
}

func TestRun(t *testing.T) {
	conflict := apierrors.NewConflict(pvs, "v1", errors.New("modified"))
	reset := errors.New("connection reset by peer")
	tests := []struct {
		name    string
		begin   func(*Begin)
		answers []answer
		want    []string
	}{
		{
			name:    "each write goes out with the version that the one before returned",
			answers: []answer{{obj: volume("8", bound)}, {obj: volume("9", bound)}},
			want:    []string{"patch v1/ @5", "Observed", "result 0 Applied final=false", "patch v1/status @8", "Observed", "result 1 Applied final=true", "done"},
		},
		{
			name: "a deletionTimestamp in an answer stops the plan",
			answers: []answer{{obj: volume("8", func(pv *corev1.PersistentVolume) {
				bound(pv)
				now := metav1.Now()
				pv.DeletionTimestamp = &now
			})}},
			want: []string{"patch v1/ @5", "Observed", "result 0 Applied final=true", "done"},
		},
		{
			name:    "answer lost, write stored: read back, already done, go on",
			answers: []answer{{err: reset}, {obj: volume("8", bound)}, {obj: volume("9", bound)}},
			want:    []string{"patch v1/ @5", "get v1", "Observed", "result 0 AlreadyDone final=false", "patch v1/status @8", "Observed", "result 1 Applied final=true", "done"},
		},
		{
			name:    "answer lost, write not stored: read back, retry later",
			answers: []answer{{err: reset}, {obj: volume("5", nil)}},
			want:    []string{"patch v1/ @5", "get v1", "Observed", "result 0 Retry final=true", "done"},
		},
		{
			name:    "a read back that is not answered is made again, never guessed",
			answers: []answer{{err: reset}, {err: reset}, {err: apierrors.NewInternalError(reset)}, {obj: volume("8", bound)}},
			want:    []string{"patch v1/ @5", "get v1", "get v1", "get v1", "Observed", "result 0 AlreadyDone final=false"},
		},
		{
			name:    "conflict over an unrelated change: decide again on the new facts",
			answers: []answer{{err: conflict}, {obj: volume("6", nil)}},
			want:    []string{"patch v1/ @5", "get v1", "Observed", "result 0 Conflict final=true", "done"},
		},
		{
			name:    "conflict because another claim took it: superseded",
			answers: []answer{{err: conflict}, {obj: volume("6", boundElsewhere)}},
			want:    []string{"patch v1/ @5", "get v1", "Observed", "result 0 Superseded final=true", "done"},
		},
		{
			name:    "gone: superseded, and said so",
			answers: []answer{{err: apierrors.NewNotFound(pvs, "v1")}, {err: apierrors.NewNotFound(pvs, "v1")}},
			want:    []string{"patch v1/ @5", "get v1", "NotFound", "result 0 Superseded final=true", "done"},
		},
		{
			name: "another UID under the name: superseded",
			answers: []answer{
				{err: apierrors.NewInvalid(schema.GroupKind{Kind: "PersistentVolume"}, "v1", nil)},
				{obj: volume("8", func(pv *corev1.PersistentVolume) { pv.UID = types.UID(otherUID) })},
			},
			want: []string{"patch v1/ @5", "get v1", "NotFound", "Observed", "result 0 Superseded final=true", "done"},
		},
		{
			name:    "forbidden: failed for good, nothing read",
			answers: []answer{{err: apierrors.NewForbidden(pvs, "v1", errors.New("no"))}},
			want:    []string{"patch v1/ @5", "result 0 Failed final=true", "done"},
		},
		{
			name:    "told to slow down: retry later",
			answers: []answer{{err: apierrors.NewTooManyRequests("slow", 1)}},
			want:    []string{"patch v1/ @5", "result 0 Retry final=true", "done"},
		},
		{
			name:    "never sent: retry later, nothing read",
			answers: []answer{{err: fmt.Errorf("dial: %w", ErrNotSent)}},
			want:    []string{"patch v1/ @5", "result 0 Retry final=true", "done"},
		},
		{
			name:    "restart, nothing written: interrupted, nothing is sent",
			begin:   func(b *Begin) { b.Resume = true },
			answers: []answer{{obj: volume("5", nil)}},
			want:    []string{"get v1", "Observed", "result 0 Interrupted final=true", "done"},
		},
		{
			name:    "restart after the first write: the second is left to a new decision",
			begin:   func(b *Begin) { b.Resume = true },
			answers: []answer{{obj: volume("8", bound)}, {obj: volume("8", bound)}},
			want:    []string{"get v1", "Observed", "result 0 AlreadyDone final=false", "get v1", "Observed", "result 1 Interrupted final=true", "done"},
		},
		{
			name: "restart with a result not appended: only the result is added",
			begin: func(b *Begin) {
				b.Resume = true
				b.Done = 1
			},
			answers: []answer{{obj: volume("9", func(pv *corev1.PersistentVolume) {
				bound(pv)
				pv.Status.Phase = corev1.VolumeBound
			})}},
			want: []string{"get v1", "Observed", "result 1 AlreadyDone final=true", "done"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			begin := plan()
			if test.begin != nil {
				test.begin(&begin)
			}
			got := drive(t, NewRun(begin), test.answers...)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("requests and drafts (-want +got):\n%s", diff)
			}
		})
	}
}

func TestJudge(t *testing.T) {
	status := func(code int) error {
		return &apierrors.StatusError{ErrStatus: metav1.Status{Code: int32(code)}}
	}
	tests := []struct {
		name string
		err  error
		want verdict
	}{
		{"stored", nil, verdictStored},
		{"time-out of the client", errors.New("context deadline exceeded"), verdictReadBack},
		{"server error", status(http.StatusInternalServerError), verdictReadBack},
		{"gateway time-out", status(http.StatusGatewayTimeout), verdictReadBack},
		{"conflict", status(http.StatusConflict), verdictReadBack},
		{"gone", status(http.StatusNotFound), verdictReadBack},
		{"another UID", status(http.StatusUnprocessableEntity), verdictReadBack},
		{"throttled", status(http.StatusTooManyRequests), verdictNotSent},
		{"not sent", fmt.Errorf("dial: %w", ErrNotSent), verdictNotSent},
		{"forbidden", status(http.StatusForbidden), verdictRefused},
		{"malformed", status(http.StatusBadRequest), verdictRefused},
	}
	for _, test := range tests {
		if got := judge(test.err); got != test.want {
			t.Errorf("%s: got %d, want %d", test.name, got, test.want)
		}
	}
}
