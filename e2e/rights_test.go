package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/yaml"
)

// readmeRights are the rules of the ClusterRoles that the README tells
// operators to make for bind mode.
func readmeRights(t *testing.T) []rbacv1.PolicyRule {
	t.Helper()
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, found := strings.Cut(string(readme), "```yaml rights\n")
	block, _, closed := strings.Cut(block, "\n```")
	if !found || !closed {
		t.Fatal("the README has no block of rights")
	}
	var rules []rbacv1.PolicyRule
	for document := range strings.SplitSeq(block, "---\n") {
		var role rbacv1.ClusterRole
		if err := yaml.UnmarshalStrict([]byte(document), &role); err != nil {
			t.Fatal(err)
		}
		if role.Kind == "ClusterRole" { // not the Role of the lease
			rules = append(rules, role.Rules...)
		}
	}
	return rules
}

// TestMissingAccess starts Bindery as users that lack something: one error
// line that names it, one hint, exit code 1. TestClassicPair shows that the
// README's rights are enough.
func TestMissingAccess(t *testing.T) {
	rights := readmeRights(t)
	for i, r := range rights {
		if slices.Contains(r.Resources, "persistentvolumes/status") {
			r.Resources = []string{"persistentvolumeclaims/status"}
			rights[i] = r
		}
	}
	if err := shared.Grant(t.Context(), "reader", rights...); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ user, missing string }{
		{"nobody", "namespace"}, // it cannot even learn which cluster it is
		{"reader", "patch persistentvolumes/status"},
	} {
		t.Run(test.user, func(t *testing.T) {
			kubeconfig, err := shared.KubeconfigFor(test.user)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			cmd := exec.CommandContext(t.Context(), program, "run", "--mode=bind", "--leader-election=false", "--api-endpoint=",
				"--data-dir", dir, "--kubeconfig", kubeconfig)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			if err := cmd.Run(); err == nil || cmd.ProcessState.ExitCode() != 1 {
				t.Errorf("exit %d (%v), want 1", cmd.ProcessState.ExitCode(), err)
			}
			lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
			if len(lines) != 2 || !strings.HasPrefix(lines[0], "error: ") || !strings.HasPrefix(lines[1], "hint: ") {
				t.Fatalf("want one error and one hint line, got:\n%s", stderr.String())
			}
			if !strings.Contains(lines[0], test.missing) {
				t.Errorf("the error does not name %q:\n%s", test.missing, lines[0])
			}
			for _, other := range []string{"list ", "watch ", "persistentvolumeclaims"} {
				if test.user == "reader" && strings.Contains(lines[0], other) {
					t.Errorf("the error names %q, which is granted:\n%s", other, lines[0])
				}
			}
			if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
				t.Errorf("it left %v in the data directory (%v)", left, err)
			}
		})
	}
}
