package differential

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"bindery/e2e/cluster"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
)

// Phase is a part of a play: the setup with the start of the peer, or a step.
type Phase struct {
	Changes time.Duration // making the changes
	Rest    time.Duration // until all was at rest
}

// Play plays the scenarios to a peer on a cluster of its own and returns what
// is left of each, and how long each phase took.
func Play(ctx context.Context, c *cluster.Cluster, peer Peer, scenarios []Scenario) ([]State, []Phase, error) {
	client, err := kubernetes.NewForConfig(c.Config("admin"))
	if err != nil {
		return nil, nil, err
	}
	p := &stage{ctx: ctx, client: client, scenarios: scenarios, sentinel: newWorld(ctx, client, "sentinel")}
	for _, s := range scenarios {
		p.worlds = append(p.worlds, newWorld(ctx, client, s.ID))
	}
	start := time.Now()
	if err := p.setUp(); err != nil {
		return nil, nil, err
	}
	changes := time.Since(start)
	if err := peer.Start(ctx, c); err != nil {
		return nil, nil, err
	}
	states, err := p.steps(changes)
	return states, p.phases, errors.Join(err, peer.Stop())
}

// stage is one play under way.
type stage struct {
	ctx       context.Context
	client    kubernetes.Interface
	scenarios []Scenario
	worlds    []*world // by scenario
	sentinel  *world
	phases    []Phase
}

// setUp makes what is there before the peer.
func (p *stage) setUp() error {
	if err := p.sentinel.prepare(p.ctx); err != nil {
		return err
	}
	return p.each(func(i int) error {
		if err := p.worlds[i].prepare(p.ctx); err != nil {
			return err
		}
		return p.worlds[i].do(p.scenarios[i].Setup)
	})
}

// steps comes to rest, makes a step, comes to rest, until no scenario has more.
func (p *stage) steps(changes time.Duration) ([]State, error) {
	most := 0
	for _, s := range p.scenarios {
		most = max(most, len(s.Steps))
	}
	for step := 0; ; step++ {
		start := time.Now()
		if err := p.rest(step); err != nil {
			return nil, err
		}
		p.phases = append(p.phases, Phase{Changes: changes, Rest: time.Since(start)})
		if step == most {
			break
		}
		start = time.Now()
		if err := p.each(func(i int) error {
			if step < len(p.scenarios[i].Steps) {
				return p.worlds[i].do(p.scenarios[i].Steps[step])
			}
			return nil
		}); err != nil {
			return nil, err
		}
		changes = time.Since(start)
	}
	states := make([]State, len(p.worlds))
	return states, p.each(func(i int) (err error) {
		states[i], err = p.worlds[i].state()
		return err
	})
}

// rest waits until the peer has acted after the changes, which a sentinel pair
// shows, and nothing has changed for a while. Without the sentinel a peer that
// is slow to start, or dead, would be at rest.
func (p *stage) rest(step int) error {
	name := fmt.Sprintf("s%d", step)
	if err := p.sentinel.do([]Op{pv(name, "1Gi", vClass(name), vPhase(corev1.VolumePending)), pvc(name, "1Gi", cClass(name)), awaitBound(name)}); err != nil {
		return fmt.Errorf("the peer does nothing: sentinel: %w", err)
	}
	return rest(p.ctx, p.client)
}

// newWorld is the part of a cluster that belongs to a scenario.
func newWorld(ctx context.Context, client kubernetes.Interface, id string) *world {
	return &world{ctx: ctx, client: client, prefix: "w-" + strings.ToLower(id), uids: map[string]types.UID{}}
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
func (p *stage) each(f func(i int) error) error {
	var group errgroup.Group
	group.SetLimit(16)
	for i, s := range p.scenarios {
		group.Go(func() error {
			if err := f(i); err != nil {
				return fmt.Errorf("scenario %s: %w", s.ID, err)
			}
			return nil
		})
	}
	return group.Wait()
}
