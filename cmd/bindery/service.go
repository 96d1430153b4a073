package main

// Order of the end of a service, whatever ends it:
//
//  1. the source stops reading watches, and the HTTP server takes no requests;
//  2. the executor stops deciding, lets go of what is in flight, which the next
//     start reads back, and records Stopped;
//  3. LeaderLost is recorded, if the lease was held;
//  4. the lease is given back: nothing acts any more;
//  5. the log makes all of it durable and lets go of its directory.

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"bindery/api"
	"bindery/api/kube"
	"bindery/binder"
	"bindery/binder/executor"
	"bindery/eventlog"
	"bindery/projector"
	"bindery/projector/fact"

	"golang.org/x/sync/errgroup"
)

const (
	modeBind   = "bind"
	modeShadow = "shadow"
)

// Bounds of the HTTP server: a client that sends or ends slowly holds nothing
// up.
const (
	headerTimeout = 10 * time.Second
	httpGrace     = 2 * time.Second
)

// service is a log, the executor on it, the source that feeds it, and the
// query API.
type service struct {
	cluster  *cluster
	log      *eventlog.Store
	executor *executor.Executor
	listener net.Listener // nil: no query API
	logger   *slog.Logger
	opts     serviceOptions
	before   eventlog.Seq // last record of earlier lives
	term     atomic.Uint64
	led      atomic.Bool
}

// serviceOptions are how a service works.
type serviceOptions struct {
	mode           string
	dataDir        string
	clusterName    string // empty: what the kubeconfig calls it
	apiEndpoint    string // empty: no query API
	anyPort        bool   // another port will do if that one is taken
	elected        bool
	leaseNamespace string
}

// ruleSet is the hash of the binding rules.
func ruleSet() string { return binder.RuleSet() }

// openService opens all that a service needs; nothing is running yet.
func openService(ctx context.Context, c *cluster, opts serviceOptions, logger *slog.Logger) (*service, error) {
	s := &service{cluster: c, opts: opts, logger: logger}
	name := opts.clusterName
	if name == "" {
		name = c.name
	}
	var err error
	if s.listener, err = listen(ctx, opts.apiEndpoint, opts.anyPort); err != nil {
		return nil, err
	}
	s.log, err = eventlog.Open(opts.dataDir, eventlog.Options{ClusterName: name, ClusterUID: c.uid})
	if err == nil {
		s.before = s.log.Head()
		s.executor, err = executor.New(executor.Options{
			Log: s.log, API: c.client, Mode: opts.mode, Elected: opts.elected,
			Version: programVersion(), RuleSet: ruleSet(),
			Flags: map[string]string{"leader-election": strconv.FormatBool(opts.elected)},
			Point: crashPoint(),
			OnReadRefused: func(subject eventlog.Subject, err error) {
				logger.Warn("live read refused", "namespace", subject.Namespace, "name", subject.Name, "error", err)
			},
			OnSwept: func(found int) { logger.Debug("swept", "found", found) },
		})
	}
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// listen takes the address of the query API; "" is none.
func listen(ctx context.Context, endpoint string, anyPort bool) (net.Listener, error) {
	if endpoint == "" {
		return nil, nil
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", endpoint)
	if anyPort && errors.Is(err, syscall.EADDRINUSE) {
		if host, _, splitErr := net.SplitHostPort(endpoint); splitErr == nil {
			listener, err = config.Listen(ctx, "tcp", net.JoinHostPort(host, "0"))
		}
	}
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, &api.Fault{Code: api.CodeAddress, Err: fmt.Errorf("listen on %s: the address is in use", endpoint)}
	case err != nil:
		return nil, &api.Fault{Code: api.CodeAddress, Err: fmt.Errorf("listen on %s: %w", endpoint, err)}
	}
	return listener, nil
}

// url is where the query API is served.
func (s *service) url() string {
	if s.listener == nil {
		return ""
	}
	return "http://" + reachable(s.listener.Addr())
}

// close lets go of what a service that does not run holds.
func (s *service) close() error {
	var errs []error
	if s.listener != nil {
		_ = s.listener.Close() // it took no request
	}
	if s.log != nil {
		errs = append(errs, s.log.Close())
	}
	return errors.Join(errs...)
}

// run is the service's life, until ctx ends or something fails.
func (s *service) run(ctx context.Context) error {
	group, running := errgroup.WithContext(ctx)
	// The lease outlives all that it guards.
	holding, giveBack := context.WithCancel(context.WithoutCancel(ctx))
	defer giveBack()
	source := kube.NewSource(kube.SourceOptions{
		Client: s.cluster.client, Sink: s.executor, View: s.executor.View,
		OnError: func(resource string, err error) {
			s.logger.Warn("list or watch failed, trying again", "resource", resource, "err", err)
		},
	})
	group.Go(func() error {
		defer giveBack()
		return s.act(running)
	})
	group.Go(func() error { return ignoreEnd(running, source.Run(running)) })
	group.Go(func() error { return ignoreEnd(running, s.announce(running)) })
	if s.listener != nil {
		group.Go(func() error { return s.serve(running) })
	}
	if s.opts.elected {
		stand := &election{client: s.cluster.client, namespace: s.opts.leaseNamespace, identity: identity(), lead: s.lead}
		group.Go(func() error { return stand.run(holding) })
	}
	err := group.Wait()
	return errors.Join(err, s.log.Close())
}

// act runs the executor, and records that the lease is let go.
func (s *service) act(ctx context.Context) error {
	err := s.executor.Run(ctx)
	if s.led.Load() {
		lost := eventlog.Draft{Kind: eventlog.KindLeaderLost, Fact: fact.Lead{Term: s.term.Load()}.Append(nil)}
		if _, appendErr := s.log.Append(context.WithoutCancel(ctx), lost); err == nil {
			err = appendErr
		}
	}
	return err
}

// lead begins to act in a term.
func (s *service) lead(ctx context.Context, term uint64) error {
	s.logger.Info("the lease is held, acting", "term", term)
	s.term.Store(term)
	s.led.Store(true)
	return s.executor.Lead(ctx, term)
}

// reached waits for a view of this life that the condition holds of. What an
// earlier life left in the log says nothing about this one.
func (s *service) reached(ctx context.Context, holds func(*projector.View) bool) (*projector.View, error) {
	for {
		v := s.executor.View()
		if v.AsOf() > s.before && holds(v) {
			return v, nil
		}
		if err := s.log.Wait(ctx, v.AsOf()+1); err != nil {
			return nil, err
		}
	}
}

// announce says once that every resource has been listed, so that decisions
// are taken from here on.
func (s *service) announce(ctx context.Context) error {
	v, err := s.reached(ctx, func(v *projector.View) bool { return len(v.Ready()) == 0 })
	if err == nil {
		s.logger.Info("ready", "seq", v.AsOf())
	}
	return err
}

// serve serves the query API until ctx ends. Requests that come before this
// life has begun wait for it.
func (s *service) serve(ctx context.Context) error {
	if _, err := s.reached(ctx, func(*projector.View) bool { return true }); err != nil {
		_ = s.listener.Close() // it took no request
		return ignoreEnd(ctx, err)
	}
	server := &http.Server{
		Handler:           api.NewHandler(api.NewLocal(s.executor, s.log), programVersion()),
		ReadHeaderTimeout: headerTimeout,
		ErrorLog:          slog.NewLogLogger(s.logger.Handler(), slog.LevelWarn),
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(s.listener) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serve on %s: %w", s.listener.Addr(), err)
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), httpGrace)
	defer cancel()
	if server.Shutdown(grace) != nil {
		_ = server.Close() // a client that does not end is cut off
	}
	<-ended
	return nil
}

// ignoreEnd keeps an orderly end from looking like a failure.
func ignoreEnd(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}
