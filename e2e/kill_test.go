package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	"bindery/binder/executor"
	"bindery/e2e/cluster"
	"bindery/e2e/differential"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
)

// writtenAt is how many of a binding's four writes are stored at each point.
var writtenAt = map[string]int{
	"observed-durable": 0, "intended-durable": 0, "after-write-1": 1, "after-write-2": 2, "after-write-3": 3,
	"after-write-4": 4, "result-not-appended": 4,
}

// TestKill kills Bindery at each point of one binding and starts it again: the
// pair ends Bound, no write takes effect twice, and the log tells it all.
func TestKill(t *testing.T) {
	client := shared.Client()
	for _, point := range executor.CrashPoints {
		t.Run(point, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), patience/2)
			defer cancel()
			name := "kill-" + point
			createVolume(t, client, volume(name, name))
			createClaim(t, client, claim(name, name))
			bindery := &differential.Bindery{Program: program, Dir: t.TempDir(), Env: []string{"BINDERY_CRASH_AT=" + point}}
			if err := bindery.Start(ctx, shared); err != nil {
				t.Fatal(err)
			}
			defer bindery.Stop() // also when the test ends early
			select {
			case <-bindery.Ended():
			case <-ctx.Done():
				t.Fatalf("it did not come to %s:\n%s", point, bindery.Output())
			}
			if !bindery.Killed() {
				t.Fatalf("it ended by itself before %s:\n%s", point, bindery.Output())
			}
			if got, want := len(writes(t, shared.AuditLog())[name]), writtenAt[point]; got != want {
				t.Errorf("%d writes with effect at the kill, want %d", got, want)
			}
			bindery.Env = nil
			if err := bindery.Start(ctx, shared); err != nil {
				t.Fatal(err)
			}
			c, err := waitBound(ctx, client, name)
			if err != nil {
				t.Fatalf("the claim is not Bound: %v\n%s", err, bindery.Output())
			}
			if c.Spec.VolumeName != name {
				t.Errorf("bound to %q, want %q", c.Spec.VolumeName, name)
			}
			waitSettled(t, ctx, bindery, name)
			if err := bindery.Stop(); err != nil {
				t.Fatal(err)
			}
			// The four writes of a binding: both objects were there when the volume
			// was first judged, so it was not made Available (improvement 9).
			effects := writes(t, shared.AuditLog())[name]
			if len(effects) != 4 {
				t.Errorf("%d writes with effect, want 4: %v", len(effects), effects)
			}
			checkOnce(t, effects)
			checkStory(t, bindery.DataDir(), name)
		})
	}
}

// waitSettled waits until Bindery says that the claim is as it should be.
func waitSettled(t *testing.T, ctx context.Context, bindery *differential.Bindery, name string) {
	t.Helper()
	url, err := bindery.URL(ctx)
	if err != nil {
		t.Fatalf("no query API: %v\n%s", err, bindery.Output())
	}
	var last []byte
	err = wait.PollUntilContextCancel(ctx, 20*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/api/v1/claims/default/"+name+"/why", nil)
		if err != nil {
			return false, err
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return false, err
		}
		defer response.Body.Close()
		if last, err = io.ReadAll(response.Body); err != nil {
			return false, err
		}
		var why struct {
			State  string
			Writes []struct{ Result string }
		}
		if err := json.Unmarshal(last, &why); err != nil {
			return false, err
		}
		for _, w := range why.Writes {
			if w.Result == "Pending" {
				return false, nil
			}
		}
		return why.State == "Bound" && len(why.Writes) > 0, nil
	})
	if err != nil {
		t.Fatalf("the claim is not settled: %v, last answer %s\n%s", err, last, bindery.Output())
	}
}

// checkStory: the dump of the log holds the observation, the decision, the
// intent, a result, and both starts.
func checkStory(t *testing.T, dir, name string) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), program, "log", "dump", "--log", dir).Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		t.Fatalf("log dump: %v\n%s", err, exit.Stderr)
	}
	if err != nil {
		t.Fatal(err)
	}
	dump := string(out)
	for _, want := range []string{"Observed", "Decided", "Intended", "Resulted"} {
		found := false
		for line := range strings.Lines(dump) {
			found = found || strings.Contains(line, want) && strings.Contains(line, name)
		}
		if !found {
			t.Errorf("the dump has no %s of %s:\n%s", want, name, dump)
		}
	}
	if n := strings.Count(dump, "Started"); n < 2 {
		t.Errorf("the dump tells %d starts, want two:\n%s", n, dump)
	}
	checkLog(t, dir)
}

// checkLog: the log is whole.
func checkLog(t *testing.T, dir string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), program, "log", "verify", "--log", dir).CombinedOutput(); err != nil {
		t.Errorf("log verify: %v\n%s", err, out)
	}
}

// TestAPIServerKilled kills the API server in the middle of many bindings and
// starts it again: every claim ends Bound, each to a volume of its own.
func TestAPIServerKilled(t *testing.T) {
	const pairs = 100
	ctx, cancel := context.WithTimeout(t.Context(), 3*patience)
	defer cancel()
	c, err := cluster.Start(ctx, cluster.Options{Dir: t.TempDir(), Audit: true})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Stop()
	client := c.Client()
	for i := range pairs {
		createVolume(t, client, volume(fmt.Sprintf("v-%03d", i), "many"))
		createClaim(t, client, claim(fmt.Sprintf("c-%03d", i), "many"))
	}
	bindery := &differential.Bindery{Program: program, Dir: t.TempDir()}
	if err := bindery.Start(ctx, c); err != nil {
		t.Fatal(err)
	}
	defer bindery.Stop() // also when the test ends early
	// Lists, not a watch: the server cuts a watch that a burst overtakes.
	bound := 0
	err = wait.PollUntilContextCancel(ctx, 5*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		claims, err := client.CoreV1().PersistentVolumeClaims("").List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		bound = 0
		for _, pvc := range claims.Items {
			if pvc.Status.Phase == corev1.ClaimBound {
				bound++
			}
		}
		return bound >= pairs/4, nil
	})
	if err != nil {
		t.Fatalf("only %d are Bound: %v\n%s", bound, err, bindery.Output())
	}
	if err := c.KillAPIServer(); err != nil {
		t.Fatal(err)
	}
	if err := c.StartAPIServer(ctx); err != nil {
		t.Fatal(err)
	}
	client = c.Client()
	taken := map[string]string{}
	for i := range pairs {
		name := fmt.Sprintf("c-%03d", i)
		pvc, err := waitBound(ctx, client, name)
		if err != nil {
			t.Fatalf("%s is not Bound: %v\n%s", name, err, bindery.Output())
		}
		if other, twice := taken[pvc.Spec.VolumeName]; twice {
			t.Errorf("%s and %s have the same volume %s", other, name, pvc.Spec.VolumeName)
		}
		taken[pvc.Spec.VolumeName] = name
	}
	volumes, err := client.CoreV1().PersistentVolumes().List(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range volumes.Items {
		if v.Spec.ClaimRef == nil || taken[v.Name] != v.Spec.ClaimRef.Name {
			t.Errorf("volume %s refers to %v, its claim is %s", v.Name, v.Spec.ClaimRef, taken[v.Name])
		}
	}
	t.Logf("%d of %d were Bound when the server was killed", bound, pairs)
	if bound >= pairs {
		t.Error("all were Bound before the kill: it proves nothing")
	}
	if err := bindery.Stop(); err != nil {
		t.Error(err)
	}
	all := writes(t, c.AuditLog())
	for _, effects := range all {
		checkOnce(t, effects)
	}
	if len(all) < 2*pairs-8 { // the kill may have come before a few lines
		t.Errorf("the audit log tells of writes on %d objects only", len(all))
	}
	checkLog(t, bindery.DataDir())
}
