package kube

import (
	"context"

	"bindery/binder/executor"
	"bindery/eventlog"
	"bindery/projector"

	"golang.org/x/sync/errgroup"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// SourceOptions configure a Source; Client, Sink and View are required.
type SourceOptions struct {
	Client kubernetes.Interface
	Sink   executor.Sink
	// View is what the log knows, with everything that Put has returned for.
	View func() *projector.View
	// OnError is told of lists and watches that failed; they are tried again.
	// It may be nil.
	OnError func(resource string, err error)
}

// Source is the intake of one cluster.
type Source struct {
	opts SourceOptions
}

// NewSource makes a source that is not running yet.
func NewSource(opts SourceOptions) *Source {
	if opts.OnError == nil {
		opts.OnError = func(string, error) {}
	}
	return &Source{opts: opts}
}

// Run lists and watches until ctx ends, and has joined everything it started
// when it returns.
func (s *Source) Run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, k := range kinds(s.opts.Client) {
		stream := newStream(k, s.opts)
		group.Go(func() error {
			defer stream.wait() // the reflector may leave a list or watch behind
			reflector := cache.NewReflectorWithOptions(stream, k.object, nothing{}, cache.ReflectorOptions{Name: k.plural})
			reflector.RunWithContext(ctx)
			return nil
		})
	}
	return group.Wait()
}

// nothing is the reflector's store: what it would keep is in the log.
type nothing struct{}

var _ cache.ReflectorStore = nothing{}

func (nothing) Add(any) error               { return nil }
func (nothing) Update(any) error            { return nil }
func (nothing) Delete(any) error            { return nil }
func (nothing) Replace([]any, string) error { return nil }
func (nothing) Resync() error               { return nil }

// about is the subject of records that concern a resource as a whole.
func about(r eventlog.Resource) eventlog.Subject { return eventlog.Subject{Resource: r} }
