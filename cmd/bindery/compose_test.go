package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"sigs.k8s.io/yaml"
)

// TestComposeFile holds docker-compose.yml against the program, since the
// tests have no container engine: the verb and its flags exist and parse, and
// nothing is published beyond loopback.
func TestComposeFile(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(root, "docker-compose.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var compose struct {
		Services map[string]struct {
			Image   string   `json:"image"`
			Command []string `json:"command"`
			Ports   []string `json:"ports"`
			Volumes []string `json:"volumes"`
		} `json:"services"`
		Volumes map[string]any `json:"volumes"`
	}
	if err := yaml.Unmarshal(data, &compose); err != nil {
		t.Fatal(err)
	}
	if len(compose.Services) == 0 {
		t.Fatal("got no services")
	}
	for name, service := range compose.Services {
		if tag := service.Image[strings.LastIndex(service.Image, ":")+1:]; !strings.Contains(service.Image, ":") || tag == "latest" {
			t.Errorf("%s: got image %q, want a pinned tag", name, service.Image)
		}
		for _, port := range service.Ports {
			if !strings.HasPrefix(port, "127.0.0.1:") {
				t.Errorf("%s: got port %q, want it on loopback only", name, port)
			}
		}
		for _, volume := range service.Volumes {
			source, _, _ := strings.Cut(volume, ":")
			if _, named := compose.Volumes[source]; !named && source != "." {
				t.Errorf("%s: volume %q is not declared", name, source)
			}
		}
		checkCommand(t, name, service.Command)
	}
}

// checkCommand parses a service's command with the program's own flags.
func checkCommand(t *testing.T, name string, command []string) {
	t.Helper()
	args := command
	if len(args) > 3 && args[0] == "go" && args[1] == "run" {
		args = args[3:]
	}
	verb, flags, err := newRoot(newGlobals(genericiooptions.NewTestIOStreamsDiscard())).Find(args)
	if err != nil || !verb.Runnable() || verb.HasSubCommands() {
		t.Errorf("%s: %v is no verb of bindery: %v", name, args, err)
		return
	}
	if err := verb.ParseFlags(flags); err != nil {
		t.Errorf("%s: %v: %v", name, args, err)
	}
}

// TestHelpOfEachVerb: a purpose, examples that parse, lines that fit.
func TestHelpOfEachVerb(t *testing.T) {
	g := newGlobals(genericiooptions.NewTestIOStreamsDiscard())
	var visit func(*cobra.Command)
	visit = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			visit(sub)
		}
		if c.Hidden || c.Name() == "help" || c.Parent() != nil && c.Parent().Name() == "help" {
			return
		}
		t.Run(c.CommandPath(), func(t *testing.T) {
			if c.Short == "" || c.Example == "" {
				t.Errorf("got purpose %q, examples %q, want both", c.Short, c.Example)
			}
			for line := range strings.Lines(c.Long + "\n" + c.Short + "\n" + c.UsageString()) {
				if n := len([]rune(strings.TrimRight(line, "\n"))); n > 80 {
					t.Errorf("got a line of %d columns, want at most 80: %s", n, line)
				}
			}
			for line := range strings.Lines(c.Example) {
				line, _, _ = strings.Cut(line, "#")
				words := strings.Fields(line)
				if len(words) == 0 {
					continue
				}
				verb, rest, err := newRoot(newGlobals(g.IOStreams)).Find(words[1:])
				if err == nil {
					err = verb.ParseFlags(rest)
				}
				if err != nil {
					t.Errorf("example %q: %v", line, err)
				}
			}
		})
	}
	visit(newRoot(g))
}
