// Command cluster starts a real API server for a person and prints how to
// reach it. It ends with ctrl-C.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"bindery/e2e/cluster"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	dir, err := os.MkdirTemp("", "bindery-cluster-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	fmt.Fprintln(os.Stderr, "starting etcd and kube-apiserver (a first build takes minutes) ...")
	c, err := cluster.Start(ctx, cluster.Options{Dir: dir, Audit: true})
	if err != nil {
		return err
	}
	fmt.Printf("export KUBECONFIG=%s\n", c.Kubeconfig())
	fmt.Fprintln(os.Stderr, "no binder is running on it; start one with: bindery run --mode=bind --data-dir DIR --kubeconfig $KUBECONFIG")
	return errors.Join(c.Wait(ctx), c.Stop())
}
