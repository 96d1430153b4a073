package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"bindery/e2e/cluster"
	"bindery/e2e/differential"
)

var (
	// shared is the API server that tests share when they do not disturb it.
	shared *cluster.Cluster
	// program is the built bindery.
	program string
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "bindery-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		return 1
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Minute)
	defer cancel()
	if program, err = differential.BuildBindery(ctx, dir); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		return 1
	}
	shared, err = cluster.Start(ctx, cluster.Options{Dir: dir, Audit: true, Users: []string{"nobody", "reader"}})
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		return 1
	}
	code := m.Run()
	if err := errors.Join(shared.Stop(), cluster.Leaks()); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, "error:", err)
		return 1
	}
	return code
}
