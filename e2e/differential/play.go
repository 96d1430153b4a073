package differential

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"bindery/e2e/cluster"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

// Play plays the scenarios to a peer on a cluster of its own and returns what
// is left of each.
func Play(ctx context.Context, c *cluster.Cluster, peer Peer, scenarios []Scenario) ([]State, error) {
	client, err := kubernetes.NewForConfig(c.Config("admin"))
	if err != nil {
		return nil, err
	}
	worlds := make([]*world, len(scenarios))
	for i, s := range scenarios {
		worlds[i] = newWorld(ctx, client, s)
	}
	if err := each(scenarios, func(i int) error {
		if err := worlds[i].prepare(ctx); err != nil {
			return err
		}
		return worlds[i].do(scenarios[i].Setup)
	}); err != nil {
		return nil, err
	}
	if err := peer.Start(ctx, c); err != nil {
		return nil, err
	}
	states, err := play(ctx, client, worlds, scenarios)
	return states, errors.Join(err, peer.Stop())
}

func play(ctx context.Context, client kubernetes.Interface, worlds []*world, scenarios []Scenario) ([]State, error) {
	steps := 0
	for _, s := range scenarios {
		steps = max(steps, len(s.Steps))
	}
	for step := 0; ; step++ {
		if err := rest(ctx, client); err != nil {
			return nil, err
		}
		if step == steps {
			break
		}
		if err := each(scenarios, func(i int) error {
			if step < len(scenarios[i].Steps) {
				return worlds[i].do(scenarios[i].Steps[step])
			}
			return nil
		}); err != nil {
			return nil, err
		}
	}
	states := make([]State, len(worlds))
	return states, each(scenarios, func(i int) (err error) {
		states[i], err = worlds[i].state()
		return err
	})
}

// newWorld is the scenario's part of a cluster.
func newWorld(ctx context.Context, client kubernetes.Interface, s Scenario) *world {
	return &world{ctx: ctx, client: client, prefix: "w-" + strings.ToLower(s.ID), uids: map[string]types.UID{}}
}

// do makes changes in order.
func (w *world) do(ops []Op) error {
	for i, op := range ops {
		if err := op(w); err != nil {
			return fmt.Errorf("change %d: %w", i+1, err)
		}
	}
	return nil
}

// each runs f for every scenario, some at a time.
func each(scenarios []Scenario, f func(i int) error) error {
	var group errgroup.Group
	group.SetLimit(16)
	for i, s := range scenarios {
		group.Go(func() error {
			if err := f(i); err != nil {
				return fmt.Errorf("scenario %s: %w", s.ID, err)
			}
			return nil
		})
	}
	return group.Wait()
}
