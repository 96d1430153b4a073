package kube

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"bindery/binder/executor"
	"bindery/eventlog"
	"bindery/projector/fact"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// FieldManager is the name under which Bindery's writes stand in managedFields.
const FieldManager = "bindery"

// requestTimeout bounds one write or live read. When it passes, the outcome of
// a write is unknown and is read back.
const requestTimeout = 30 * time.Second

// Client writes to one cluster and reads live from it. It is safe for
// concurrent use and never retries a write.
type Client struct {
	kubernetes.Interface
}

var _ executor.API = (*Client)(nil)

// NewClient makes a client: protobuf on reads, and no rate limit of its own
// unless config sets one.
func NewClient(config *rest.Config) (*Client, error) {
	config = rest.CopyConfig(config)
	if config.QPS == 0 {
		config.QPS = -1
	}
	config.ContentType = runtime.ContentTypeProtobuf
	config.AcceptContentTypes = runtime.ContentTypeProtobuf + "," + runtime.ContentTypeJSON
	if config.UserAgent == "" {
		config.UserAgent = FieldManager
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	return &Client{client}, nil
}

// Patch sends a step as a JSON merge patch with UID and version preconditions.
func (c *Client) Patch(ctx context.Context, step fact.Step, version uint64) (runtime.Object, error) {
	body, err := patchBody(step, version)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", executor.ErrNotSent, err)
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	var subresources []string
	if step.Subresource != "" {
		subresources = []string{step.Subresource}
	}
	options := metav1.PatchOptions{FieldManager: FieldManager}
	var obj runtime.Object
	switch s := step.Subject; s.Resource {
	case eventlog.ResourceVolume:
		obj, err = c.CoreV1().PersistentVolumes().Patch(ctx, s.Name, types.MergePatchType, body, options, subresources...)
	case eventlog.ResourceClaim:
		obj, err = c.CoreV1().PersistentVolumeClaims(s.Namespace).Patch(ctx, s.Name, types.MergePatchType, body, options, subresources...)
	default:
		return nil, fmt.Errorf("%w: no writes on resource %d", executor.ErrNotSent, s.Resource)
	}
	return obj, sent(err)
}

// Get reads an object by name at the newest version.
func (c *Client) Get(ctx context.Context, subject eventlog.Subject) (obj runtime.Object, err error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	options := metav1.GetOptions{}
	switch subject.Resource {
	case eventlog.ResourceVolume:
		obj, err = c.CoreV1().PersistentVolumes().Get(ctx, subject.Name, options)
	case eventlog.ResourceClaim:
		obj, err = c.CoreV1().PersistentVolumeClaims(subject.Namespace).Get(ctx, subject.Name, options)
	default:
		return nil, fmt.Errorf("%w: no live reads of resource %d", executor.ErrNotSent, subject.Resource)
	}
	return obj, sent(err)
}

// patchBody is the step's patch with the identity and version that it requires.
func patchBody(step fact.Step, version uint64) ([]byte, error) {
	var patch map[string]any
	if err := json.Unmarshal(step.Patch, &patch); err != nil {
		return nil, fmt.Errorf("patch of %s: %w", step.Subject.Name, err)
	}
	metadata, ok := patch["metadata"].(map[string]any)
	if !ok {
		metadata = map[string]any{}
		patch["metadata"] = metadata
	}
	metadata["uid"] = fact.FormatUID(step.Subject.UID)
	metadata["resourceVersion"] = strconv.FormatUint(version, 10)
	return json.Marshal(patch)
}

// sent marks errors that show that the request never left: the connection
// could not be made.
func sent(err error) error {
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" {
		return fmt.Errorf("%w: %w", executor.ErrNotSent, err)
	}
	return err
}

// ClusterUID is the cluster's identity: the UID of namespace kube-system.
func (c *Client) ClusterUID(ctx context.Context) (string, error) {
	ns, err := c.CoreV1().Namespaces().Get(ctx, metav1.NamespaceSystem, metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	return string(ns.UID), nil
}
