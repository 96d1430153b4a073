package main

import (
	"context"
	"errors"
	"net"

	"github.com/spf13/cobra"
)

// runOptions are the options of `run`.
type runOptions struct {
	*globals
	serviceOptions
}

func newRun(g *globals) *cobra.Command {
	o := &runOptions{globals: g}
	c := &cobra.Command{
		Use:   "run --data-dir DIR",
		Short: "Watch a cluster, decide, and in bind mode act",
		Long: `Watch a cluster, log what it shows, and decide for each claim and volume.
In shadow mode, the default, nothing is written to the cluster. In bind mode the
decisions are carried out, while this replica holds the lease. Turn the built-in
controller off first, on kube-controller-manager:
  --controllers=*,-persistentvolume-binder-controller`,
		Example: `  bindery run --data-dir ./data
  bindery run --mode=bind --data-dir ./data --kubeconfig ./admin.conf
  bindery run --mode=bind --data-dir ./data --leader-election=false`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := o.check(); err != nil {
				return err
			}
			o.complete()
			err := o.run(c.Context())
			if c.Context().Err() != nil && errors.Is(err, context.Canceled) {
				return nil // interrupted while it was starting: that is what was asked
			}
			return err
		},
	}
	flags := c.Flags()
	flags.StringVar(&o.mode, "mode", modeShadow, "bind: act. shadow: log and decide, write nothing.")
	flags.StringVar(&o.dataDir, "data-dir", "", "Directory of the log; it is made if it is not there.")
	flags.StringVar(&o.clusterName, "cluster-name", "", "Name of the cluster in a new log (default: the kubeconfig's).")
	flags.StringVar(&o.apiEndpoint, "api-endpoint", defaultEndpoint, "Address of the query API; empty is none.")
	flags.BoolVar(&o.elected, "leader-election", true, "In bind mode act only while holding a lease.")
	flags.StringVar(&o.leaseNamespace, "leader-election-namespace", "kube-system", "Namespace of the lease.")
	return c
}

// check validates the options.
func (o *runOptions) check() error {
	if o.mode != modeBind && o.mode != modeShadow {
		return usage("write --mode=bind or --mode=shadow", "unknown mode %q", o.mode)
	}
	if o.dataDir == "" {
		return usage("name a directory with --data-dir", "run keeps its log in a directory, and none is named")
	}
	if o.apiEndpoint != "" {
		if _, _, err := net.SplitHostPort(o.apiEndpoint); err != nil {
			return usage("write --api-endpoint HOST:PORT", "%q is no address: %v", o.apiEndpoint, err)
		}
	}
	if o.log != "" || o.globals.server != "" {
		return usage("use --data-dir", "--log and --server are for asking")
	}
	return nil
}

// complete fills what follows from other options.
func (o *runOptions) complete() {
	if o.mode != modeBind {
		o.elected = false // nothing is acted on, so nothing is to be guarded
	}
}

// run works until it is interrupted.
func (o *runOptions) run(ctx context.Context) error {
	logger := o.logger()
	c, err := o.connect(ctx)
	if err != nil {
		return err
	}
	namespace := ""
	if o.elected {
		namespace = o.leaseNamespace
	}
	if err := c.check(ctx, o.mode, namespace); err != nil {
		return err
	}
	s, err := openService(ctx, c, o.serviceOptions, logger)
	if err != nil {
		return err
	}
	logger.Info("working", "mode", o.mode, "cluster", s.log.Identity().ClusterName,
		"log", s.log.Identity().ID, "dir", o.dataDir, "from", s.log.Head()+1, "answers", s.url())
	return s.run(ctx)
}
