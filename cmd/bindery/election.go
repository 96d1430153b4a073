package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"bindery/api"

	"github.com/oklog/ulid/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// The times of the lease, as the storage sidecars have them: a leader that
// cannot renew gives up five seconds before another one may begin.
const (
	leaseDuration = 15 * time.Second
	renewDeadline = 10 * time.Second
	retryPeriod   = 2 * time.Second
	leaseName     = "bindery"
)

// election is one replica's stand for the lease.
type election struct {
	client    kubernetes.Interface
	namespace string
	identity  string

	// lead is called once the lease is held, with its term.
	lead func(ctx context.Context, term uint64) error
}

// identity is a name for this process's stand: the host, and a part that no
// other life of the process has.
func identity() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return host + "_" + ulid.Make().String()
}

// run stands for the lease until ctx ends, and gives the lease back then: all
// that acts must have ended before. It returns nil at the end of ctx, a
// Fault with CodeLeaseLost when the lease was held and lost, or the error of
// lead.
func (e *election) run(ctx context.Context) error {
	lock := &termLock{Interface: &resourcelock.LeaseLock{
		LeaseMeta:  metav1.ObjectMeta{Namespace: e.namespace, Name: leaseName},
		Client:     e.client.CoordinationV1(),
		LockConfig: resourcelock.ResourceLockConfig{Identity: e.identity},
	}}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	led := make(chan struct{})
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: lock, Name: leaseName, ReleaseOnCancel: true,
		LeaseDuration: leaseDuration, RenewDeadline: renewDeadline, RetryPeriod: retryPeriod,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(ctx context.Context) {
				defer close(led)
				if err := e.lead(ctx, lock.term.Load()); err != nil && ctx.Err() == nil {
					cancel(fmt.Errorf("begin to lead: %w", err))
				}
			},
			OnStoppedLeading: func() {},
		},
	})
	if err != nil {
		return err
	}
	elector.Run(ctx)
	if lock.held.Load() {
		<-led // joined: OnStartedLeading runs beside Run
	}
	if ctx.Err() == nil {
		return &api.Fault{Code: api.CodeLeaseLost, Err: fmt.Errorf("the lease %s/%s was lost", e.namespace, leaseName)}
	}
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// termLock remembers the term of the record that was last stored.
type termLock struct {
	resourcelock.Interface
	term atomic.Uint64
	held atomic.Bool
}

// Create stores the first record.
func (l *termLock) Create(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	return l.stored(record, l.Interface.Create(ctx, record))
}

// Update stores a later record.
func (l *termLock) Update(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	return l.stored(record, l.Interface.Update(ctx, record))
}

func (l *termLock) stored(record resourcelock.LeaderElectionRecord, err error) error {
	if err == nil && record.HolderIdentity == l.Identity() {
		l.term.Store(uint64(record.LeaderTransitions))
		l.held.Store(true)
	}
	return err
}
