package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"

	"bindery/api"
	"bindery/api/kube/kubesim"

	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/client-go/rest"
)

// simulation is an in-memory Kubernetes API served over HTTP, so that the demo
// takes the very path that a cluster takes.
type simulation struct {
	cluster    *cluster
	url        string
	kubeconfig string // path
	server     *http.Server
	ended      chan error
}

// openSimulation serves a new, empty cluster at the endpoint, writes its
// kubeconfig and connects to it.
func openSimulation(ctx context.Context, endpoint, kubeconfig string, options kubesim.Options) (*simulation, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", endpoint)
	if err != nil {
		return nil, &api.Fault{
			Code: api.CodeAddress, Err: fmt.Errorf("listen on %s: %w", endpoint, err), Advice: "name another address with --kube-endpoint",
		}
	}
	if options.NewUID == nil {
		options.NewUID = uuid.NewUUID // each one is a cluster of its own, and its log says so
	}
	handler := kubesim.Handler(kubesim.New(options))
	s := &simulation{
		url: "http://" + reachable(listener.Addr()), kubeconfig: kubeconfig,
		server: &http.Server{Handler: handler, ReadHeaderTimeout: headerTimeout}, ended: make(chan error, 1),
	}
	go func() { s.ended <- s.server.Serve(listener) }()
	if err := os.WriteFile(kubeconfig, kubesim.Kubeconfig(s.url), 0o600); err != nil {
		return nil, errors.Join(err, s.close())
	}
	if s.cluster, err = dial(ctx, &rest.Config{Host: s.url}, "demo"); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// close ends the simulation; its clients must have ended before.
func (s *simulation) close() error {
	err := s.server.Close() // a watch of kubectl's would never end by itself
	if served := <-s.ended; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}

// reachable is the address that a client on this machine reaches a listener
// under, also when it listens on all addresses.
func reachable(address net.Addr) string {
	host, port, err := net.SplitHostPort(address.String())
	if err != nil {
		return address.String()
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port)
}
