package main

import (
	"errors"
	"strings"

	"bindery/api"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// newRoot is the whole command tree.
func newRoot(g *globals) *cobra.Command {
	root := &cobra.Command{
		Use:   "bindery",
		Short: "Binds claims to volumes through a log, and tells why",
		Long: `Bindery binds PersistentVolumeClaims to PersistentVolumes. Every fact goes
into an append-only log first, so it can tell afterwards why.`,
		Example: `  bindery demo                          # a scripted day in an in-memory cluster
  bindery why pvc/mysql-pv-claim        # ask the running service
  bindery get pvc -A --log ./data       # ask a log directory
  bindery run --mode=shadow --data-dir ./data`,
		SilenceUsage:  true,
		SilenceErrors: true,
		PersistentPreRunE: func(*cobra.Command, []string) error {
			return g.validate()
		},
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	g.addFlags(root.PersistentFlags())
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(
		newRun(g), newDemo(g), newWhy(g), newGet(g), newLog(g), newVersion(g),
	)
	group(root)
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages ", ".FlagUsagesWrapped 80 "))
	root.InitDefaultHelpCmd()
	for _, c := range root.Commands() {
		if c.Name() == "help" {
			c.AddCommand(newExitCodes(g))
		}
	}
	return root
}

// group makes a command that only holds others: alone it shows help, and an
// unknown verb is told with the nearest known one.
func group(c *cobra.Command) {
	c.Args = cobra.ArbitraryArgs
	c.SuggestionsMinimumDistance = 2
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return c.Help()
		}
		hint := "see `" + c.CommandPath() + " --help`"
		if near := c.SuggestionsFor(args[0]); len(near) > 0 {
			hint = "did you mean `" + c.CommandPath() + " " + near[0] + "`?"
		}
		return usage(hint, "unknown verb %q", strings.TrimPrefix(c.CommandPath()+" "+args[0], "bindery "))
	}
}

// flagError tells a flag that is not known with the nearest known one.
func flagError(c *cobra.Command, err error) error {
	hint := "see `" + c.CommandPath() + " --help`"
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		// cobra measures how near names are, for verbs; lend it the flags.
		names := &cobra.Command{SuggestionsMinimumDistance: 2}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			names.AddCommand(&cobra.Command{Use: f.Name, Run: func(*cobra.Command, []string) {}})
		})
		if near := names.SuggestionsFor(unknown.GetSpecifiedName()); len(near) > 0 {
			hint = "did you mean --" + near[0] + "?"
		}
	}
	return &api.Fault{Code: api.CodeUsage, Err: err, Advice: hint}
}

// noArgs refuses arguments.
func noArgs(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return usage("see `"+c.CommandPath()+" --help`", "%s takes no arguments, got %q", c.CommandPath(), args[0])
}
