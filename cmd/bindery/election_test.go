package main

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"bindery/api"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
)

// stand is an election on a fake API server; each term led is sent to terms.
func stand(client *fake.Clientset, identity string) (*election, chan uint64) {
	terms := make(chan uint64, 1)
	return &election{
		client: client, namespace: "kube-system", identity: identity,
		lead: func(_ context.Context, term uint64) error { terms <- term; return nil },
	}, terms
}

func lease(t *testing.T, client *fake.Clientset) coordinationv1.LeaseSpec {
	t.Helper()
	l, err := client.CoordinationV1().Leases("kube-system").Get(context.Background(), leaseName, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return l.Spec
}

// TestElectionTakesAndGivesBack: the second replica leads once the first one
// has ended, without waiting for the lease to run out, in the next term.
func TestElectionTakesAndGivesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := fake.NewClientset()
		first, firstTerms := stand(client, "first")
		second, secondTerms := stand(client, "second")
		firstCtx, endFirst := context.WithCancel(context.Background())
		firstEnded := make(chan error)
		go func() { firstEnded <- first.run(firstCtx) }()
		if term := <-firstTerms; term != 0 {
			t.Errorf("first term: got %d, want 0", term)
		}
		secondCtx, endSecond := context.WithCancel(context.Background())
		secondEnded := make(chan error)
		go func() { secondEnded <- second.run(secondCtx) }()
		time.Sleep(time.Minute) // of the bubble's own time: the first keeps renewing
		select {
		case <-secondTerms:
			t.Fatal("two replicas lead at once")
		default:
		}
		endFirst()
		if err := <-firstEnded; err != nil {
			t.Errorf("first: got %v, want an orderly end", err)
		}
		given := time.Now()
		if term := <-secondTerms; term != 1 {
			t.Errorf("second term: got %d, want 1", term)
		}
		if waited := time.Since(given); waited > 2*retryPeriod {
			t.Errorf("second waited %s, want at most two tries, as the lease was given back", waited)
		}
		endSecond()
		if err := <-secondEnded; err != nil {
			t.Errorf("second: got %v, want an orderly end", err)
		}
		if holder := lease(t, client).HolderIdentity; holder != nil && *holder != "" {
			t.Errorf("holder: got %q, want nobody", *holder)
		}
	})
}

// TestElectionLost: a leader that cannot renew says so before another one may
// begin.
func TestElectionLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := fake.NewClientset()
		var refused atomic.Bool
		client.PrependReactor("*", "leases", func(clienttesting.Action) (bool, runtime.Object, error) {
			return refused.Load(), nil, errors.New("connection refused")
		})
		e, terms := stand(client, "first")
		ended := make(chan error)
		go func() { ended <- e.run(context.Background()) }()
		<-terms
		refused.Store(true)
		cut := time.Now()
		err := <-ended
		if fault := api.FaultOf(err); fault == nil || fault.Code != api.CodeLeaseLost {
			t.Errorf("got %v, want code %s", err, api.CodeLeaseLost)
		}
		if took := time.Since(cut); took >= leaseDuration {
			t.Errorf("told after %s, want it within %s", took, leaseDuration)
		}
	})
}

// TestElectionLeadFails: an executor that cannot begin ends the stand.
func TestElectionLeadFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, _ := stand(fake.NewClientset(), "first")
		broken := errors.New("log failed")
		e.lead = func(context.Context, uint64) error { return broken }
		if err := e.run(context.Background()); !errors.Is(err, broken) {
			t.Errorf("got %v, want %v", err, broken)
		}
	})
}
