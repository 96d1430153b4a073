package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
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
