package kubesim

import (
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
)

// Options configure a Server; the zero value is good for a demo.
type Options struct {
	// Now is the server's clock; nil means time.Now.
	Now func() time.Time
	// NewUID makes object UIDs; nil counts up, which repeats from run to run.
	NewUID func() types.UID
	// Protect adds the pv- and pvc-protection finalizers, as admission does.
	// Nobody in here ever removes them.
	Protect bool
	// Faults may refuse requests before or after they took effect; nil: none.
	Faults func(Call) Fault
}

// Call is one request as the fault hook sees it.
type Call struct {
	Verb        string // get, list, watch, create, update, patch, delete
	Kind        *Kind
	Namespace   string
	Name        string
	Subresource string
}

// Fault is what becomes of a request; the zero value is nothing.
type Fault struct {
	Before error // refused: nothing is stored
	After  error // stored, and the answer is lost
}

// Server is the in-memory API. It is safe for concurrent use.
type Server struct {
	opts Options

	mu       sync.Mutex // guards all below
	version  uint64
	compact  uint64 // watches from below this are gone
	uids     uint64
	objects  map[*Kind]map[types.NamespacedName]runtime.Object
	history  []change
	watchers map[*Cursor]struct{}
}

// change is one committed write.
type change struct {
	version uint64
	kind    *Kind
	before  runtime.Object // nil when it was created
	after   runtime.Object // nil when it is gone
}

// New makes a server with the namespaces that every cluster has.
func New(opts Options) *Server {
	s := &Server{opts: opts, version: 1, objects: map[*Kind]map[types.NamespacedName]runtime.Object{}, watchers: map[*Cursor]struct{}{}}
	if s.opts.Now == nil {
		s.opts.Now = time.Now
	}
	if s.opts.NewUID == nil {
		s.opts.NewUID = s.countUID
	}
	for _, k := range kinds {
		s.objects[k] = map[types.NamespacedName]runtime.Object{}
	}
	for _, name := range []string{"default", "kube-public", "kube-system"} {
		ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
		if _, err := s.Create(Namespaces, "", ns, ""); err != nil {
			panic(err) // an empty server refuses nothing
		}
	}
	return s
}

// countUID makes the next UID, a version 4 UUID in form.
func (s *Server) countUID() types.UID {
	s.uids++
	return types.UID(fmt.Sprintf("b1dde700-0000-4000-8000-%012x", s.uids))
}

// fault asks the hook what becomes of the request.
func (s *Server) fault(verb string, k *Kind, namespace, name, subresource string) Fault {
	if s.opts.Faults == nil {
		return Fault{}
	}
	return s.opts.Faults(Call{verb, k, namespace, name, subresource})
}

// Version is the newest resourceVersion.
func (s *Server) Version() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.version
}

// Get is one object by name.
func (s *Server) Get(k *Kind, namespace, name string) (runtime.Object, error) {
	f := s.fault("get", k, namespace, name, "")
	if f.Before != nil {
		return nil, f.Before
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	obj, ok := s.objects[k][key(k, namespace, name)]
	if !ok {
		return nil, apierrors.NewNotFound(k.GroupResource(), name)
	}
	return obj.DeepCopyObject(), f.After
}

// List is a list object of the kind with all that the selection admits, by
// namespace and name, at the newest version.
func (s *Server) List(k *Kind, sel Selection) (runtime.Object, error) {
	f := s.fault("list", k, sel.Namespace, "", "")
	if f.Before != nil {
		return nil, f.Before
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var names []types.NamespacedName
	for name, obj := range s.objects[k] {
		if sel.admits(obj) {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, compareNames)
	items := make([]runtime.Object, len(names))
	for i, name := range names {
		items[i] = s.objects[k][name].DeepCopyObject()
	}
	list := k.list()
	if err := meta.SetList(list, items); err != nil {
		return nil, err
	}
	accessor, err := meta.ListAccessor(list)
	if err != nil {
		return nil, err
	}
	accessor.SetResourceVersion(format(s.version))
	return list, f.After
}

// commit stores a new state of an object, or its end, under the next version
// and tells the watches. The caller holds mu.
func (s *Server) commit(k *Kind, name types.NamespacedName, before, after runtime.Object) {
	s.version++
	c := change{version: s.version, kind: k, before: before}
	if after != nil {
		accessor(after).SetResourceVersion(format(s.version))
		s.objects[k][name] = after
		c.after = after
	} else {
		last := before.DeepCopyObject()
		accessor(last).SetResourceVersion(format(s.version))
		c.before = last
		delete(s.objects[k], name)
	}
	s.history = append(s.history, c)
	for w := range s.watchers {
		w.poke()
	}
}

// Compact forgets changes: a watch from an older version than the newest one
// now gets 410.
func (s *Server) Compact() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.compact = s.version
	s.history = nil
	for w := range s.watchers {
		w.poke()
	}
}

func key(k *Kind, namespace, name string) types.NamespacedName {
	if !k.Namespaced {
		namespace = ""
	}
	return types.NamespacedName{Namespace: namespace, Name: name}
}

func compareNames(a, b types.NamespacedName) int {
	if a.Namespace != b.Namespace {
		if a.Namespace < b.Namespace {
			return -1
		}
		return 1
	}
	switch {
	case a.Name < b.Name:
		return -1
	case a.Name > b.Name:
		return 1
	}
	return 0
}

// accessor is the metadata of an object of a known kind.
func accessor(obj runtime.Object) metav1.Object {
	m, err := meta.Accessor(obj)
	if err != nil {
		panic(err) // every kind has metadata
	}
	return m
}

func format(version uint64) string { return strconv.FormatUint(version, 10) }
