package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"time"

	"bindery/api"
	"bindery/api/kube"

	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// startTimeout bounds each request that a start makes, so that an address that
// swallows packets is told, not waited for.
const startTimeout = 10 * time.Second

// cluster is the API server that a service works on.
type cluster struct {
	config *rest.Config
	client *kube.Client
	name   string // from the kubeconfig
	uid    string // of namespace kube-system: the cluster's identity
}

// connect reads the kubeconfig, reaches the API server and learns which
// cluster it is.
func (g *globals) connect(ctx context.Context) (*cluster, error) {
	config, err := g.kube.ToRESTConfig()
	if err != nil {
		return nil, &api.Fault{Code: api.CodeKubeconfig, Err: err}
	}
	name, err := g.kubeconfigCluster()
	if err != nil {
		return nil, &api.Fault{Code: api.CodeKubeconfig, Err: err}
	}
	return dial(ctx, config, name)
}

// kubeconfigCluster is what the kubeconfig calls the cluster.
func (g *globals) kubeconfigCluster() (string, error) {
	raw, err := g.kube.ToRawKubeConfigLoader().RawConfig()
	if err != nil {
		return "", err
	}
	if len(raw.Clusters) == 0 {
		if os.Getenv("KUBERNETES_SERVICE_HOST") == "" {
			// client-go would try its default, localhost:8080.
			return "", errors.New("no kubeconfig is named, and this process is in no cluster")
		}
		return "in-cluster", nil
	}
	current := raw.CurrentContext
	if *g.kube.Context != "" {
		current = *g.kube.Context
	}
	if named, ok := raw.Contexts[current]; ok {
		return named.Cluster, nil
	}
	return "", nil
}

// dial makes the client and learns which cluster it reaches.
func dial(ctx context.Context, config *rest.Config, name string) (*cluster, error) {
	config.Timeout = 0 // it would cut watches; requests have contexts of their own
	config.UserAgent = "bindery/" + programVersion()
	client, err := kube.NewClient(config)
	if err != nil {
		return nil, &api.Fault{Code: api.CodeKubeconfig, Err: err}
	}
	c := &cluster{config: config, client: client, name: name}
	return c, c.identify(ctx)
}

// identify reads the cluster's identity.
func (c *cluster) identify(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	uid, err := c.client.ClusterUID(ctx)
	if err != nil {
		return c.fault("read namespace "+metav1.NamespaceSystem, err)
	}
	c.uid = uid
	return nil
}

// fault gives an error of an API request its code.
func (c *cluster) fault(doing string, err error) error {
	var (
		status apierrors.APIStatus
		fault  *api.Fault
	)
	switch {
	case apierrors.IsForbidden(err), apierrors.IsUnauthorized(err):
		return &api.Fault{Code: api.CodeForbidden, Err: fmt.Errorf("%s at %s: %w", doing, c.config.Host, err)}
	case errors.As(err, &fault):
		return err
	case errors.As(err, &status):
		return &api.Fault{Code: api.CodeUnreachable, Err: fmt.Errorf("%s at %s: %w", doing, c.config.Host, err)}
	}
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	var timeout net.Error
	if errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout() {
		err = fmt.Errorf("no answer within %s", startTimeout)
	}
	return &api.Fault{Code: api.CodeUnreachable, Err: fmt.Errorf("reach the API server at %s: %w", c.config.Host, err)}
}

// check asks the API server for each permission that the service needs. A
// server that cannot tell is no reason not to start.
func (c *cluster) check(ctx context.Context, mode, leaseNamespace string) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	err := c.client.CheckAccess(ctx, mode)
	if err == nil && leaseNamespace != "" {
		err = c.checkLease(ctx, leaseNamespace)
	}
	var missing *kube.MissingAccessError
	switch {
	case err == nil, apierrors.IsNotFound(err), apierrors.IsMethodNotSupported(err):
		return nil
	case errors.As(err, &missing):
		return &api.Fault{Code: api.CodeForbidden, Err: fmt.Errorf("%w at %s", err, c.config.Host)}
	}
	return c.fault("ask for access", err)
}

// checkLease asks for what an election needs.
func (c *cluster) checkLease(ctx context.Context, namespace string) error {
	for _, verb := range []string{"get", "create", "update"} {
		attributes := &authorizationv1.ResourceAttributes{
			Verb: verb, Group: "coordination.k8s.io", Resource: "leases", Namespace: namespace,
		}
		review := &authorizationv1.SelfSubjectAccessReview{
			Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: attributes},
		}
		answer, err := c.client.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
		if err != nil {
			return err
		}
		if !answer.Status.Allowed {
			return &api.Fault{
				Code:   api.CodeForbidden,
				Err:    fmt.Errorf("an election needs access that is missing: %s leases.coordination.k8s.io in namespace %s, at %s", verb, namespace, c.config.Host),
				Advice: "grant it with a Role there, name another namespace with --leader-election-namespace, or run a single replica with --leader-election=false",
			}
		}
	}
	return nil
}
