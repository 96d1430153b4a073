package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is stamped by a release build; else the build's own facts are told.
var version = ""

// programVersion is the version that records and answers carry.
func programVersion() string {
	if version != "" {
		return version
	}
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return "devel"
	}
	revision, dirty := "", ""
	for _, s := range build.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "-dirty"
		}
	}
	if revision == "" {
		return "devel"
	}
	return "devel-" + revision + dirty
}

// versionAnswer is what `version` prints.
type versionAnswer struct {
	Version  string `json:"version"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	RuleSet  string `json:"ruleSet"`
}

func newVersion(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version, and the hash of the binding rules",
		Example: "  bindery version\n  bindery version -o json",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			v := versionAnswer{
				Version: programVersion(), Go: runtime.Version(),
				Platform: runtime.GOOS + "/" + runtime.GOARCH, RuleSet: ruleSet(),
			}
			return g.print(v, func() error {
				_, err := fmt.Fprintf(g.Out, "bindery %s (%s, %s)\nrules %s\n", v.Version, v.Go, v.Platform, v.RuleSet)
				return err
			}, nil)
		},
	}
}

func newExitCodes(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "exit-codes",
		Short: "What the exit codes mean",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprint(g.Out, exitCodesText)
			return err
		},
	}
}
