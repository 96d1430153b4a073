package api

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"bindery/projector"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// classicPair is the pair that people ask about: the only volume misses on
// class, access mode and size.
func classicPair(t *testing.T) *world {
	w := newWorld(t, "bind")
	w.see(volume("nfs-pv", "500Mi", "", corev1.ReadWriteMany))
	w.see(claim("mysql-pv-claim", "20Gi", "rook-ceph-block", corev1.ReadWriteOnce))
	return w
}

// served is a client of the reader, over HTTP.
func served(t *testing.T, reader Reader) *Client {
	t.Helper()
	server := httptest.NewServer(NewHandler(reader, "test"))
	transport := &http.Transport{DisableKeepAlives: true}
	t.Cleanup(server.Close)
	return &Client{URL: server.URL, HTTP: &http.Client{Transport: transport}}
}

func TestWhyNamesEachReason(t *testing.T) {
	why, err := classicPair(t).local().Why(context.Background(), projector.ClaimID("default", "mysql-pv-claim"))
	if err != nil {
		t.Fatal(err)
	}
	if why.State != StateBlocked {
		t.Errorf("state: got %s, want %s", why.State, StateBlocked)
	}
	if why.Contest == nil || len(why.Contest.Candidates) != 1 {
		t.Fatalf("contest: got %+v, want one candidate", why.Contest)
	}
	want := map[string][2]string{
		"F3-capacity":      {"20Gi", "500Mi"},
		"F12-class":        {"rook-ceph-block", "none"},
		"F14-access-modes": {"ReadWriteOnce", "ReadWriteMany"},
	}
	got := map[string][2]string{}
	for _, miss := range why.Contest.Candidates[0].Misses {
		if _, ask := want[miss.Rule]; ask {
			got[miss.Rule] = [2]string{strings.TrimPrefix(miss.Want, "at least "), miss.Got}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("misses (-want +got):\n%s", diff)
	}
	if len(why.WaitsFor) == 0 || why.Decision == nil {
		t.Errorf("got waits for %v, decision %v, want both told", why.WaitsFor, why.Decision)
	}
}

// TestEveryWayGivesTheSameAnswer asks a service's reader, the same over HTTP,
// and the log afterwards.
func TestEveryWayGivesTheSameAnswer(t *testing.T) {
	w := classicPair(t)
	w.see(volume("disk", "10Gi", "manual", corev1.ReadWriteOnce), claim("data", "8Gi", "manual", corev1.ReadWriteOnce))
	ctx := context.Background()
	local := w.local()
	offline, err := Offline(ctx, w.log)
	if err != nil {
		t.Fatal(err)
	}
	others := map[string]Reader{"over HTTP": served(t, local), "from the log": offline, "from the log over HTTP": served(t, offline)}
	questions := map[string]func(Reader) (any, error){
		"why claim":       func(r Reader) (any, error) { return r.Why(ctx, projector.ClaimID("default", "mysql-pv-claim")) },
		"why other claim": func(r Reader) (any, error) { return r.Why(ctx, projector.ClaimID("default", "data")) },
		"why volume":      func(r Reader) (any, error) { return r.Why(ctx, projector.VolumeID("disk")) },
		"claims":          func(r Reader) (any, error) { return r.Claims(ctx, "") },
		"namespace":       func(r Reader) (any, error) { return r.Claims(ctx, "elsewhere") },
		"volumes":         func(r Reader) (any, error) { return r.Volumes(ctx) },
		"log status":      func(r Reader) (any, error) { return r.LogStatus(ctx) },
		"absent":          func(r Reader) (any, error) { return r.Why(ctx, projector.ClaimID("default", "absent")) },
		"ready":           func(r Reader) (any, error) { return nil, r.Ready(ctx) },
	}
	for question, ask := range questions {
		want, wantErr := ask(local)
		for way, reader := range others {
			t.Run(question+" "+way, func(t *testing.T) {
				got, err := ask(reader)
				if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("answer (-local +other):\n%s", diff)
				}
				if diff := cmp.Diff(faultText(wantErr), faultText(err)); diff != "" {
					t.Errorf("error (-local +other):\n%s", diff)
				}
			})
		}
	}
}

// faultText is all that a user sees of an error.
func faultText(err error) []string {
	if err == nil {
		return nil
	}
	f := FaultOf(err)
	return []string{string(f.Code), f.Error(), f.Hint()}
}

func TestProblems(t *testing.T) {
	w := classicPair(t)
	client := served(t, w.local())
	for _, c := range []struct {
		name, path  string
		status      int
		contentType string
		body        string
	}{
		{"a claim that is not there", "/api/v1/claims/default/absent/why", 404, problemType, `"code":"not-found"`},
		{"a path that is not there", "/api/v2/x", 404, problemType, `"hint":"the paths are listed in /openapi.json"`},
		{"alive", "/livez", 200, "text/plain; charset=utf-8", "ok\n"},
		{"ready", "/readyz?verbose", 200, "text/plain; charset=utf-8", "ok\n"},
		{"the document", "/openapi.json", 200, "application/openapi+json", "/api/v1/claims/{namespace}/{name}/why"},
		{"the problem is documented", "/openapi.json", 200, "application/openapi+json", "#/components/schemas/Problem"},
	} {
		t.Run(c.name, func(t *testing.T) {
			response, err := client.HTTP.Get(client.URL + c.path)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			var body strings.Builder
			if err := response.Write(&body); err != nil {
				t.Fatal(err)
			}
			if response.StatusCode != c.status || response.Header.Get("Content-Type") != c.contentType {
				t.Errorf("got %d %s, want %d %s", response.StatusCode, response.Header.Get("Content-Type"), c.status, c.contentType)
			}
			if !strings.Contains(body.String(), c.body) {
				t.Errorf("body: got\n%s\nwant it to contain\n%s", body.String(), c.body)
			}
		})
	}
}

func TestFailedLogIsTold(t *testing.T) {
	w := classicPair(t)
	w.log.Fail(errors.New("no space left on device"))
	client := served(t, w.local())
	ctx := context.Background()
	if got := FaultOf(client.Ready(ctx)); got == nil || got.Code != CodeLogFailed {
		t.Errorf("ready: got %v, want code %s", got, CodeLogFailed)
	}
	status, err := client.LogStatus(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(status.Failed, "no space left on device") {
		t.Errorf("failed: got %q, want it to name the reason", status.Failed)
	}
}

func TestEveryCodeHasAdvice(t *testing.T) {
	for code, advice := range advices {
		if advice.hint == "" || advice.status == 0 {
			t.Errorf("%s: got hint %q, status %d, want both", code, advice.hint, advice.status)
		}
	}
}
