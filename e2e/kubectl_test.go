package e2e

import (
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"bindery/api/kube/kubesim"
	"bindery/e2e/cluster"

	"github.com/google/go-cmp/cmp"
)

// TestKubectl plays the same commands to the real API server and to kubesim:
// kubectl says the same of both.
func TestKubectl(t *testing.T) {
	kubectl, err := cluster.BuildKubectl(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	sim := httptest.NewServer(kubesim.Handler(kubesim.New(kubesim.Options{})))
	defer sim.Close()
	config := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(config, kubesim.Kubeconfig(sim.URL), 0o600); err != nil {
		t.Fatal(err)
	}
	manifest := strings.NewReplacer("nfs-pv", "kubectl-pv", "mysql-pv-claim", "kubectl-claim").Replace(nfsVolume + "---\n" + mysqlClaim)
	commands := []struct {
		args  string
		stdin string
	}{
		{"create -f -", manifest},
		{"create -f -", manifest}, // both are there already
		{"get pv kubectl-pv -o name", ""},
		{"get pvc kubectl-claim -o jsonpath={.status.phase}", ""},
		{"get pv kubectl-pv --no-headers -o custom-columns=:spec.capacity.storage,:spec.persistentVolumeReclaimPolicy,:metadata.namespace", ""},
		{"get pvc -l app=wordpress", ""},
		{"label pvc kubectl-claim tier=db", ""},
		{"patch pv kubectl-pv --type=merge -p {\"spec\":{\"persistentVolumeReclaimPolicy\":\"Delete\"}}", ""},
		{"get sc", ""},
		{"delete pvc kubectl-claim --wait=false", ""},
		{"delete pv kubectl-pv --wait=false", ""},
		{"get pv kubectl-none", ""},
	}
	play := func(config string) []string {
		var said []string
		for _, c := range commands {
			cmd := exec.CommandContext(t.Context(), kubectl, append([]string{"--kubeconfig", config, "--cache-dir", t.TempDir()}, strings.Fields(c.args)...)...)
			cmd.Stdin = strings.NewReader(c.stdin)
			out, _ := cmd.CombinedOutput() // some are to fail: what they say is compared
			said = append(said, c.args, withoutAge(string(out)))
		}
		return said
	}
	real, simulated := play(shared.Kubeconfig()), play(config)
	if diff := cmp.Diff(real, simulated); diff != "" {
		t.Errorf("kubectl says something else (-real +kubesim):\n%s", diff)
	}
	if !strings.Contains(strings.Join(real, "\n"), "persistentvolume/kubectl-pv created") {
		t.Errorf("kubectl created nothing:\n%s", strings.Join(real, "\n"))
	}
}

// withoutAge takes the last column off a table, and the spaces that depend on
// its width.
func withoutAge(out string) string {
	var lines []string
	for line := range strings.Lines(out) {
		fields := strings.Fields(line)
		if len(fields) > 0 && (strings.HasSuffix(fields[len(fields)-1], "s") || fields[len(fields)-1] == "AGE") && strings.Contains(out, "AGE") {
			fields = fields[:len(fields)-1]
		}
		lines = append(lines, strings.Join(fields, " "))
	}
	return strings.Join(lines, "\n")
}
