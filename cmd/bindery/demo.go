package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"bindery/api/kube/kubesim"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"
)

// demoOptions are the options of `demo`.
type demoOptions struct {
	*globals
	dataDir         string
	apiEndpoint     string
	kubeEndpoint    string
	anyPort         bool
	pause           time.Duration
	exitAfterScript bool
}

func newDemo(g *globals) *cobra.Command {
	o := &demoOptions{globals: g}
	c := &cobra.Command{
		Use:   "demo",
		Short: "Play a day in an in-memory cluster, and tell what is decided",
		Long: `Start an in-memory Kubernetes API, a log and the binder in one process, and play
a day in that cluster: a claim that binds, one that waits for its pod, one that
is blocked and is bound once a volume that fits turns up. Then stay, so that you
can look round with kubectl and with bindery's other verbs, until ctrl-C.`,
		Example: `  bindery demo
  bindery demo --data-dir ./data          # keep the log
  bindery demo --pause 0s --exit-after-script`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			o.anyPort = !c.Flags().Changed("api-endpoint")
			return o.run(c.Context())
		},
	}
	flags := c.Flags()
	flags.StringVar(&o.dataDir, "data-dir", "", "Keep the log in this new directory (default: one that is removed at the end).")
	flags.StringVar(&o.apiEndpoint, "api-endpoint", defaultEndpoint, "Address of the query API.")
	flags.StringVar(&o.kubeEndpoint, "kube-endpoint", "127.0.0.1:0", "Address of the in-memory Kubernetes API.")
	flags.DurationVar(&o.pause, "pause", 2*time.Second, "Time to read between the scenes.")
	flags.BoolVar(&o.exitAfterScript, "exit-after-script", false, "End after the last scene.")
	return c
}

// run plays the day, and stays.
func (o *demoOptions) run(ctx context.Context) (err error) {
	temporary, err := os.MkdirTemp("", "bindery-demo-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temporary)) }()
	logger := o.logger()
	if !o.quiet { // the story is told on standard output; only trouble is told here
		logger = slog.New(slog.NewTextHandler(o.ErrOut, &slog.HandlerOptions{Level: slog.LevelWarn}))
	}
	simulated, err := openSimulation(ctx, o.kubeEndpoint, filepath.Join(temporary, "kubeconfig"), kubesim.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, simulated.close()) }()
	opts := serviceOptions{
		mode: modeBind, dataDir: o.dataDir, clusterName: "demo", apiEndpoint: o.apiEndpoint, anyPort: o.anyPort,
	}
	if opts.dataDir == "" {
		opts.dataDir = filepath.Join(temporary, "log")
	}
	s, err := openService(ctx, simulated.cluster, opts, logger)
	if err != nil {
		return err
	}
	ctx, end := context.WithCancel(ctx)
	defer end()
	tale := &tale{g: o.globals, start: o.now()}
	tale.say("demo", "An in-memory cluster at %s, the log in %s.", simulated.url, opts.dataDir)
	narrator := newNarrator(s.log, tale.say)
	group, running := errgroup.WithContext(ctx)
	group.Go(func() error { defer end(); return s.run(running) })
	group.Go(func() error { return ignoreEnd(running, narrator.run(running)) })
	group.Go(func() error {
		play := &script{client: simulated.cluster.client, await: narrator.await, say: tale.say, pause: o.pause}
		if err := play.play(running); err != nil {
			return ignoreEnd(running, err)
		}
		if o.exitAfterScript {
			tale.say("demo", "The end.")
			end()
			return nil
		}
		o.pointers(simulated.kubeconfig, s.url())
		return nil
	})
	return group.Wait()
}

// pointers tell how to look round.
func (o *demoOptions) pointers(kubeconfig, url string) {
	server := ""
	if url != "http://"+defaultEndpoint {
		server = " --server " + url
	}
	fmt.Fprintf(o.Out, `
The cluster stays. In another terminal:

  export KUBECONFIG=%s
  kubectl get pv,pvc
  bindery why pvc/mysql-pv-claim%s
  bindery why pv/nfs-pv%s
  curl %s/api/v1/claims/default/mysql-pv-claim/why

Without an installed bindery, from this folder: go run ./cmd/bindery why ...
Press ctrl-C to end.
`, kubeconfig, server, server, url)
}

// tale writes the lines of the story; the script and the narrator share it.
type tale struct {
	g     *globals
	start time.Time
	mu    sync.Mutex // guards the output
}

// say writes one line: the time since the start, who, what.
func (t *tale) say(who, format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if who == "story" {
		fmt.Fprintln(t.g.Out)
	}
	fmt.Fprintf(t.g.Out, "%7.3fs  %-8s %s\n", t.g.now().Sub(t.start).Seconds(), who, fmt.Sprintf(format, args...))
}
