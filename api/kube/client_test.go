package kube

import (
	"errors"
	"testing"

	"bindery/api/kube/kubesim"
	"bindery/binder/executor"
	"bindery/eventlog"
	"bindery/projector/fact"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
)

func subject(t *testing.T, s *site, name string) (eventlog.Subject, uint64) {
	t.Helper()
	obj, err := s.client.Get(t.Context(), eventlog.Subject{Resource: eventlog.ResourceVolume, Name: name})
	if err != nil {
		t.Fatal(err)
	}
	d, err := fact.AskedDraft(obj, fact.SourceLiveRead, fact.VerbRead, 0)
	if err != nil {
		t.Fatal(err)
	}
	seen, err := fact.ParseObservation(d.Fact)
	if err != nil {
		t.Fatal(err)
	}
	return d.Subject, seen.ResourceVersion
}

func TestPatchBody(t *testing.T) {
	step := fact.Step{
		Subject: eventlog.Subject{UID: fact.ParseUID("0f0e0d0c-0b0a-4908-8706-050403020100")},
		Patch:   []byte(`{"metadata":{"annotations":{"k":null}},"spec":{"claimRef":null}}`),
	}
	got, err := patchBody(step, 42)
	want := `{"metadata":{"annotations":{"k":null},"resourceVersion":"42","uid":"0f0e0d0c-0b0a-4908-8706-050403020100"},"spec":{"claimRef":null}}`
	if err != nil || string(got) != want {
		t.Errorf("got  %s (%v)\nwant %s", got, err, want)
	}
}

func TestPatchHitsThatObjectAtThatVersionOnly(t *testing.T) {
	s := newSite(t, kubesim.Options{})
	t.Cleanup(s.web.CloseClientConnections)
	s.volume(t, "v")
	at, version := subject(t, s, "v")
	step := fact.Step{Subject: at, Subresource: "status", Patch: []byte(`{"status":{"phase":"Available"}}`)}
	obj, err := s.client.Patch(t.Context(), step, version)
	if err != nil {
		t.Fatal(err)
	}
	d, err := fact.ObservedDraft(obj, fact.SourceAnswer, fact.VerbAnswered)
	if err != nil {
		t.Fatal(err)
	}
	seen, _ := fact.ParseObservation(d.Fact)
	if v, _ := fact.ParseVolume(seen.Body); v.Phase != "Available" {
		t.Errorf("phase %q, want Available", v.Phase)
	}
	if len(seen.Managers) == 0 || seen.Managers[len(seen.Managers)-1].Name != FieldManager {
		t.Errorf("managers %v, want bindery last", seen.Managers)
	}
	if _, err := s.client.Patch(t.Context(), step, version); !apierrors.IsConflict(err) {
		t.Errorf("an old version: %v, want a conflict", err)
	}
	step.Subject.UID[15]++
	if _, err := s.client.Patch(t.Context(), step, seen.ResourceVersion); !apierrors.IsInvalid(err) {
		t.Errorf("another uid: %v, want it refused", err)
	}
	if _, err := s.client.Get(t.Context(), eventlog.Subject{Resource: eventlog.ResourceVolume, Name: "none"}); !apierrors.IsNotFound(err) {
		t.Errorf("absent: %v", err)
	}
}

func TestNotSent(t *testing.T) {
	client, err := NewClient(&rest.Config{Host: "http://127.0.0.1:1"}) // nobody listens on port 1
	if err != nil {
		t.Fatal(err)
	}
	step := fact.Step{Subject: eventlog.Subject{Resource: eventlog.ResourceVolume, Name: "v"}, Patch: []byte(`{}`)}
	if _, err := client.Patch(t.Context(), step, 1); !errors.Is(err, executor.ErrNotSent) {
		t.Errorf("%v, want ErrNotSent", err)
	}
}

func TestCheckAccess(t *testing.T) {
	s := newSite(t, kubesim.Options{})
	t.Cleanup(s.web.CloseClientConnections)
	if err := s.client.CheckAccess(t.Context(), "bind"); err != nil {
		t.Error(err)
	}
	missing := &MissingAccessError{Mode: "bind", Missing: []Permission{{"patch", "", "persistentvolumes", "status"}, {"list", "storage.k8s.io", "storageclasses", ""}}}
	want := "mode bind needs access that is missing: patch persistentvolumes/status, list storageclasses.storage.k8s.io"
	if missing.Error() != want {
		t.Errorf("%q, want %q", missing.Error(), want)
	}
	uid, err := s.client.ClusterUID(t.Context())
	if err != nil || uid == "" {
		t.Errorf("cluster uid %q (%v)", uid, err)
	}
	for _, p := range Permissions("shadow") {
		if p.Verb != "list" && p.Verb != "watch" && p.Verb != "get" {
			t.Errorf("shadow mode asks for %s", p)
		}
	}
}
