package kubesim

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
)

// maxBody bounds a request body: etcd's own limit is 1.5 MiB.
const maxBody = 3 << 20

// Handler serves the server's objects to real clients over HTTP.
func Handler(s *Server) http.Handler { return &handler{server: s} }

type handler struct{ server *Server }

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	out := negotiate(r)
	switch path := strings.TrimSuffix(r.URL.Path, "/"); path {
	case "/livez", "/readyz", "/healthz":
		io.WriteString(w, "ok")
		return
	case "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews":
		h.review(w, r, out)
		return
	default:
		if h.discover(w, r, path) {
			return
		}
	}
	target, ok := parsePath(r.URL.Path)
	if !ok {
		out.fail(w, apierrors.NewGenericServerResponse(http.StatusNotFound, strings.ToLower(r.Method), schema.GroupResource{}, "",
			"the server could not find the requested resource", 0, true))
		return
	}
	if err := h.serve(w, r, target, out); err != nil {
		out.fail(w, err)
	}
}

// target is what a path names.
type target struct {
	kind                         *Kind
	namespace, name, subresource string
}

// parsePath reads /api/v1/... and /apis/GROUP/VERSION/... paths.
func parsePath(path string) (t target, ok bool) {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	var gv schema.GroupVersion
	switch {
	case len(parts) >= 3 && parts[0] == "api":
		gv, parts = schema.GroupVersion{Version: parts[1]}, parts[2:]
	case len(parts) >= 4 && parts[0] == "apis":
		gv, parts = schema.GroupVersion{Group: parts[1], Version: parts[2]}, parts[3:]
	default:
		return t, false
	}
	if parts[0] == "namespaces" && len(parts) >= 3 && kindFor(gv.WithResource(parts[2])) != nil {
		t.namespace, parts = parts[1], parts[2:]
	}
	t.kind = kindFor(gv.WithResource(parts[0]))
	if t.kind == nil || len(parts) > 3 {
		return t, false
	}
	if len(parts) > 1 {
		t.name = parts[1]
	}
	if len(parts) > 2 {
		t.subresource = parts[2]
		if t.subresource != "status" || !t.kind.Status {
			return t, false
		}
	}
	return t, true
}

// serve answers one request on a kind.
func (h *handler) serve(w http.ResponseWriter, r *http.Request, t target, out output) error {
	query := r.URL.Query()
	manager := query.Get("fieldManager")
	if manager == "" {
		manager, _, _ = strings.Cut(r.UserAgent(), "/")
	}
	switch {
	case r.Method == http.MethodGet && t.name == "":
		sel, err := selection(t, query)
		if err != nil {
			return apierrors.NewBadRequest(err.Error())
		}
		if query.Get("watch") == "true" || query.Get("watch") == "1" {
			return h.watch(w, r, t.kind, sel, out)
		}
		list, err := h.server.List(t.kind, sel)
		return out.reply(w, http.StatusOK, t.kind, list, err)
	case r.Method == http.MethodGet:
		obj, err := h.server.Get(t.kind, t.namespace, t.name)
		return out.reply(w, http.StatusOK, t.kind, obj, err)
	case r.Method == http.MethodPost && t.name == "":
		obj, err := readObject(r, t.kind)
		if err != nil {
			return err
		}
		obj, err = h.server.Create(t.kind, t.namespace, obj, manager)
		return out.reply(w, http.StatusCreated, t.kind, obj, err)
	case r.Method == http.MethodPut && t.name != "":
		obj, err := readObject(r, t.kind)
		if err != nil {
			return err
		}
		if m := accessor(obj); m.GetName() != t.name {
			return apierrors.NewBadRequest("the name of the object (" + m.GetName() + ") does not match the name on the URL (" + t.name + ")")
		} else if t.kind.Namespaced && m.GetNamespace() == "" {
			m.SetNamespace(t.namespace)
		}
		obj, err = h.server.Update(t.kind, t.subresource, obj, manager)
		return out.reply(w, http.StatusOK, t.kind, obj, err)
	case r.Method == http.MethodPatch && t.name != "":
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		if err != nil {
			return apierrors.NewRequestEntityTooLargeError(err.Error())
		}
		contentType, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
		obj, err := h.server.Patch(t.kind, t.namespace, t.name, t.subresource, types.PatchType(contentType), body, manager)
		return out.reply(w, http.StatusOK, t.kind, obj, err)
	case r.Method == http.MethodDelete && t.name != "":
		pre, err := preconditions(r)
		if err != nil {
			return err
		}
		obj, err := h.server.Delete(t.kind, t.namespace, t.name, pre)
		return out.reply(w, http.StatusOK, t.kind, obj, err)
	}
	return apierrors.NewMethodNotSupported(t.kind.GroupResource(), strings.ToLower(r.Method))
}

func selection(t target, query map[string][]string) (Selection, error) {
	sel := Selection{Namespace: t.namespace}
	get := func(key string) string {
		if v := query[key]; len(v) > 0 {
			return v[0]
		}
		return ""
	}
	var err error
	if s := get("labelSelector"); s != "" {
		if sel.Labels, err = labels.Parse(s); err != nil {
			return sel, err
		}
	}
	if s := get("fieldSelector"); s != "" {
		if sel.Fields, err = fields.ParseSelector(s); err != nil {
			return sel, err
		}
	}
	return sel, nil
}

// readObject decodes a body, JSON, YAML or protobuf.
func readObject(r *http.Request, k *Kind) (runtime.Object, error) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	if err != nil || len(body) > maxBody {
		return nil, apierrors.NewRequestEntityTooLargeError("the body is too large")
	}
	gvk := k.GroupVersionKind()
	obj, got, err := scheme.Codecs.UniversalDeserializer().Decode(body, &gvk, nil)
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	if *got != gvk {
		return nil, apierrors.NewBadRequest("the body holds a " + got.String() + ", not a " + gvk.String())
	}
	return obj, nil
}

// preconditions reads a delete's options.
func preconditions(r *http.Request) (*metav1.Preconditions, error) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody))
	if err != nil || len(body) == 0 {
		return nil, nil
	}
	options := &metav1.DeleteOptions{}
	gvk := metav1.SchemeGroupVersion.WithKind("DeleteOptions")
	if _, _, err := scheme.Codecs.UniversalDeserializer().Decode(body, &gvk, options); err != nil {
		if json.Unmarshal(body, options) != nil {
			return nil, apierrors.NewBadRequest(err.Error())
		}
	}
	return options.Preconditions, nil
}

// parseVersion reads a resourceVersion of a query.
func parseVersion(s string) (uint64, error) {
	if s == "" {
		return 0, nil
	}
	v, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		return 0, apierrors.NewBadRequest("resourceVersion: " + err.Error())
	}
	return v, nil
}

// asStatus is any error as the API server would put it.
func asStatus(err error) *metav1.Status {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		status = apierrors.NewInternalError(err)
	}
	s := status.Status()
	return &s
}
