package eventlog_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"bindery/eventlog"
)

// A record is numbered at once and acted on when it is durable.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	log, err := eventlog.Open(filepath.Join(dir, "log"), eventlog.Options{ClusterName: "prod"})
	if err != nil {
		panic(err)
	}
	defer log.Close()

	ctx := context.Background()
	seen, err := log.Submit(ctx, eventlog.Draft{
		Kind:    eventlog.KindObserved,
		Subject: eventlog.Subject{Resource: eventlog.ResourceClaim, Namespace: "shop", Name: "data"},
		Fact:    []byte("Pending 20Gi"),
	})
	if err != nil {
		panic(err)
	}
	decided, err := log.Submit(ctx, eventlog.Draft{
		Kind:  eventlog.KindDecided,
		Cause: []eventlog.Seq{seen[0].Seq},
		Fact:  []byte("bind to nfs-pv"),
	})
	if err != nil {
		panic(err)
	}
	if err := log.Wait(ctx, decided[0].Seq); err != nil {
		panic(err) // nothing may be written to the cluster
	}

	for r, err := range log.Records(1, 0) {
		if err != nil {
			panic(err)
		}
		fmt.Printf("%d %s %s, because of %v\n", r.Seq, r.Kind, r.Fact, r.Cause)
	}
	// Output:
	// 1 Observed Pending 20Gi, because of []
	// 2 Decided bind to nfs-pv, because of [1]
}

// The error of a directory that is in use says who has it.
func ExampleOpen_locked() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	log, err := eventlog.Open(dir, eventlog.Options{})
	if err != nil {
		panic(err)
	}
	defer log.Close()
	_, err = eventlog.Open(dir, eventlog.Options{})
	var locked *eventlog.LockedError
	fmt.Println(errors.As(err, &locked) && locked.PID == os.Getpid())
	// Output: true
}
