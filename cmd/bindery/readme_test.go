package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bindery/api/kube"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"
	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/yaml"
)

// tour are the commands of README.md in blocks marked `sh tour`.
func tour(t *testing.T) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	var commands []string
	inside := false
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		switch {
		case line == "```sh tour":
			inside = true
		case line == "```":
			inside = false
		case inside && line != "":
			commands = append(commands, line)
		}
	}
	return commands
}

// TestReadmeTour runs what README.md tells a newcomer to run, in order.
func TestReadmeTour(t *testing.T) {
	commands := tour(t)
	if len(commands) < 5 {
		t.Fatalf("got %d commands in README.md, want at least 5", len(commands))
	}
	var script strings.Builder
	for _, command := range commands {
		script.WriteString("exec " + command + "\nstdout .\n")
	}
	file := filepath.Join(t.TempDir(), "tour.txtar")
	if err := os.WriteFile(file, []byte(script.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{Files: []string{file}, Setup: setupScript, RequireExplicitExec: true})
}

// TestReadmeRights: the roles that README.md gives are what each mode needs,
// no more and no less.
func TestReadmeRights(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(data), "```yaml rights\n")
	block, _, _ = strings.Cut(block, "```")
	granted := map[string]map[string]bool{}
	for document := range strings.SplitSeq(block, "---\n") {
		var role rbacv1.ClusterRole
		if err := yaml.UnmarshalStrict([]byte(document), &role); err != nil {
			t.Fatal(err)
		}
		granted[role.Name] = map[string]bool{}
		for _, rule := range role.Rules {
			if len(rule.ResourceNames) > 0 {
				continue // the identity, which every mode reads
			}
			for _, verb := range rule.Verbs {
				for _, resource := range rule.Resources {
					resource, sub, _ := strings.Cut(resource, "/")
					p := kube.Permission{Verb: verb, Group: rule.APIGroups[0], Resource: resource, Subresource: sub}
					granted[role.Name][p.String()] = true
				}
			}
		}
	}
	shadow, bind := map[string]bool{}, map[string]bool{}
	for _, p := range kube.Permissions(modeShadow) {
		shadow[p.String()] = true
	}
	for _, p := range kube.Permissions(modeBind) {
		if !shadow[p.String()] {
			bind[p.String()] = true
		}
	}
	if diff := cmp.Diff(shadow, granted["bindery-shadow"]); diff != "" {
		t.Errorf("bindery-shadow (-needed +granted):\n%s", diff)
	}
	if diff := cmp.Diff(bind, granted["bindery-bind"]); diff != "" {
		t.Errorf("bindery-bind (-needed +granted):\n%s", diff)
	}
}
