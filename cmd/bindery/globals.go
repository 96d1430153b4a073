package main

import (
	"log/slog"
	"os"
	"time"

	"bindery/api"

	"github.com/spf13/pflag"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/cli-runtime/pkg/printers"
)

// defaultEndpoint is where run and demo serve answers, and where the asking
// verbs ask, unless told otherwise. It is loopback: answers name volumes of
// every namespace.
const defaultEndpoint = "127.0.0.1:8423"

// globals are the flags that every verb knows, the streams and the clock.
type globals struct {
	genericiooptions.IOStreams
	kube *genericclioptions.ConfigFlags
	now  func() time.Time

	allNamespaces bool
	output        string
	log           string
	server        string
	quiet         bool
	noColor       bool
	utc           bool
}

func newGlobals(streams genericiooptions.IOStreams) *globals {
	all := genericclioptions.NewConfigFlags(true)
	return &globals{
		IOStreams: streams,
		now:       time.Now,
		// Only what a service that watches a cluster needs; --server is ours.
		kube: &genericclioptions.ConfigFlags{
			KubeConfig: all.KubeConfig, Context: all.Context, Namespace: all.Namespace,
			Impersonate: all.Impersonate, ImpersonateGroup: all.ImpersonateGroup,
		},
	}
}

// addFlags binds the flags that every verb knows.
func (g *globals) addFlags(flags *pflag.FlagSet) {
	g.kube.AddFlags(flags)
	flags.BoolVarP(&g.allNamespaces, "all-namespaces", "A", false, "Ask for the claims of all namespaces.")
	flags.StringVarP(&g.output, "output", "o", "", "Output format: table, wide, json, yaml or name.")
	flags.StringVar(&g.log, "log", "", "Answer from this log directory, read only.")
	flags.StringVar(&g.server, "server", "", "Ask the service at this URL (default $BINDERY_SERVER, else http://"+defaultEndpoint+").")
	flags.BoolVarP(&g.quiet, "quiet", "q", false, "Say only what was asked for, and errors.")
	flags.BoolVar(&g.noColor, "no-color", false, "No colour, also on a terminal.")
	flags.BoolVar(&g.utc, "utc", false, "Show times in UTC.")
}

// validate checks the flags that every verb knows.
func (g *globals) validate() error {
	switch g.output {
	case "", "table", "wide", "json", "yaml", "name":
	default:
		return usage("write -o table, wide, json, yaml or name", "unknown output format %q", g.output)
	}
	if g.log != "" && g.server != "" {
		return usage("name the one to ask", "--log and --server cannot be used together")
	}
	if g.allNamespaces && *g.kube.Namespace != "" {
		return usage("use the one or the other", "-A and -n cannot be used together")
	}
	return nil
}

// namespace is the one that a bare claim name is in: -n, else the kubeconfig's.
func (g *globals) namespace() (string, error) {
	if *g.kube.Namespace != "" {
		return *g.kube.Namespace, nil
	}
	namespace, _, err := g.kube.ToRawKubeConfigLoader().Namespace()
	if err != nil {
		return "", &api.Fault{Code: api.CodeKubeconfig, Err: err}
	}
	return namespace, nil
}

// url is the service to ask.
func (g *globals) url() string {
	if g.server != "" {
		return g.server
	}
	if fromEnv := os.Getenv("BINDERY_SERVER"); fromEnv != "" {
		return fromEnv
	}
	return "http://" + defaultEndpoint
}

// color reports whether standard error and output may be coloured.
func (g *globals) color() bool {
	return !g.noColor && printers.AllowsColorOutput(g.Out)
}

// logger writes the program's own log to standard error.
func (g *globals) logger() *slog.Logger {
	level := slog.LevelInfo
	if g.quiet {
		level = slog.LevelError
	}
	return slog.New(slog.NewTextHandler(g.ErrOut, &slog.HandlerOptions{Level: level}))
}

// timestamp is a time for people.
func (g *globals) timestamp(t time.Time) string {
	if g.utc {
		return t.UTC().Format("2006-01-02 15:04:05.000Z")
	}
	return t.Local().Format("2006-01-02 15:04:05.000")
}
