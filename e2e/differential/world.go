package differential

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
)

// world is one scenario's part of one cluster.
type world struct {
	ctx    context.Context
	client kubernetes.Interface
	prefix string               // of volume and class names; also the namespace
	uids   map[string]types.UID // of the newest object of each name
	made   []incarnation        // in the order in which they were made
}

// incarnation is one object that a scenario made, under a name that another
// may have had before.
type incarnation struct {
	name string
	uid  types.UID
}

// note remembers an object that was made.
func (w *world) note(name string, uid types.UID) {
	w.uids[name] = uid
	w.made = append(w.made, incarnation{name, uid})
}

// Op is one change, made to both clusters.
type Op func(w *world) error

// Scenario is one script.
type Scenario struct {
	ID    string // of upstream-behaviour.md 11, or of a case
	Name  string
	Setup []Op   // while no controller runs
	Steps [][]Op // each at rest
	// Improvement is the number of the improvement that makes a difference; 0
	// when the results must be equal.
	Improvement int
	// Open is set where the in-tree controller leaves the result to chance, so
	// that with an improvement it may differ or not.
	Open bool
	// Want checks Bindery's result; every improvement has one.
	Want func(State) error
	// Theirs checks the in-tree controller's, where an improvement makes them
	// differ and nothing is left to chance.
	Theirs func(State) error
}

// Quiet is how long nothing may change before the cluster is at rest: two and
// a half of the peer's resyncs.
const (
	Quiet    = 2500 * time.Millisecond
	restMost = 60 * time.Second
)

// rest waits until no volume and no claim has changed for Quiet.
func rest(ctx context.Context, client kubernetes.Interface) error {
	var before map[types.UID]string
	since := time.Now()
	err := wait.PollUntilContextTimeout(ctx, 250*time.Millisecond, restMost, true, func(ctx context.Context) (bool, error) {
		now, err := versions(ctx, client)
		if err != nil {
			return false, err
		}
		if !maps.Equal(before, now) {
			before, since = now, time.Now()
		}
		return time.Since(since) >= Quiet, nil
	})
	if err != nil {
		return fmt.Errorf("no rest within %v: %w", restMost, err)
	}
	return nil
}

// versions are the versions of all volumes and claims.
func versions(ctx context.Context, client kubernetes.Interface) (map[types.UID]string, error) {
	out := map[types.UID]string{}
	volumes, err := client.CoreV1().PersistentVolumes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	for i := range volumes.Items {
		out[volumes.Items[i].UID] = volumes.Items[i].ResourceVersion
	}
	claims, err := client.CoreV1().PersistentVolumeClaims("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	for i := range claims.Items {
		out[claims.Items[i].UID] = claims.Items[i].ResourceVersion
	}
	return out, nil
}

// State is what is left of one scenario: objects by "pv/NAME" and "pvc/NAME".
type State map[string]any

// Volume is a volume of the state, nil when there is none.
func (s State) Volume(name string) *corev1.PersistentVolume {
	v, _ := s["pv/"+name].(*corev1.PersistentVolume)
	return v
}

// Claim is a claim of the state, nil when there is none.
func (s State) Claim(name string) *corev1.PersistentVolumeClaim {
	c, _ := s["pvc/"+name].(*corev1.PersistentVolumeClaim)
	return c
}

// state reads the scenario's objects and takes out what may differ between
// clusters: versions, times, managers; UIDs become the names of their objects,
// and the prefix of this play becomes "w".
func (w *world) state() (State, error) {
	names := map[types.UID]types.UID{}
	out := State{}
	claims, err := w.client.CoreV1().PersistentVolumeClaims(w.prefix).List(w.ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	for i, o := range w.made { // also what has been deleted
		names[o.uid] = types.UID(fmt.Sprintf("uid-of-%s-made-%d", o.name, i))
	}
	for i := range claims.Items {
		c := &claims.Items[i]
		if name, ours := names[c.UID]; ours {
			c.UID = name
		}
		strip(&c.ObjectMeta)
		if out["pvc/"+c.Name], err = renamed(c, w.prefix); err != nil {
			return nil, err
		}
	}
	volumes, err := w.client.CoreV1().PersistentVolumes().List(w.ctx, metav1.ListOptions{LabelSelector: "world=" + w.prefix})
	if err != nil {
		return nil, err
	}
	for i := range volumes.Items {
		v := &volumes.Items[i]
		v.UID = types.UID("uid-of-pv/" + v.Name)
		strip(&v.ObjectMeta)
		v.Status.LastPhaseTransitionTime = nil
		if ref := v.Spec.ClaimRef; ref != nil {
			ref.ResourceVersion = ""
			if name, ours := names[ref.UID]; ours {
				ref.UID = name
			}
		}
		if out["pv/"+v.Name[len(w.prefix)+1:]], err = renamed(v, w.prefix); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// renamed is the object with "w" for the prefix, wherever it stands.
func renamed[T any](object *T, prefix string) (*T, error) {
	raw, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	out := new(T)
	return out, json.Unmarshal(bytes.ReplaceAll(raw, []byte(prefix), []byte("w")), out)
}

func strip(m *metav1.ObjectMeta) {
	m.ResourceVersion = ""
	m.CreationTimestamp = metav1.Time{}
	if m.DeletionTimestamp != nil {
		m.DeletionTimestamp = &metav1.Time{}
	}
	m.ManagedFields = nil
	m.Generation = 0
}
