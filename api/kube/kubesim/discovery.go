package kubesim

import (
	"encoding/json"
	"net/http"
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"
)

// release is the Kubernetes release whose behaviour is followed.
var release = version.Info{Major: "1", Minor: "37", GitVersion: "v1.37.2", Platform: "linux/amd64"}

// discover answers what clients ask before they ask for objects; false when
// the path is none of these.
func (h *handler) discover(w http.ResponseWriter, r *http.Request, path string) bool {
	var answer any
	switch {
	case path == "/version":
		answer = release
	case path == "/api":
		answer = &metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions", APIVersion: "v1"}, Versions: []string{"v1"}}
	case path == "/apis":
		answer = groups()
	case path == "/openapi/v2":
		answer = map[string]any{"swagger": "2.0", "info": map[string]any{"title": "kubesim", "version": release.GitVersion}, "paths": map[string]any{}}
	case path == "/openapi/v3":
		paths := map[string]any{}
		for _, gv := range groupVersions() {
			paths[strings.TrimPrefix(gvPath(gv), "/")] = map[string]any{"serverRelativeURL": "/openapi/v3" + gvPath(gv)}
		}
		answer = map[string]any{"paths": paths}
	default:
		rest, schemas := strings.CutPrefix(path, "/openapi/v3")
		for _, gv := range groupVersions() {
			if rest != gvPath(gv) {
				continue
			}
			if schemas {
				answer = operations(gv)
			} else {
				answer = resourceList(gv)
			}
		}
	}
	if answer == nil {
		return false
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer) // the client is gone
	return true
}

func gvPath(gv schema.GroupVersion) string {
	if gv.Group == "" {
		return "/api/" + gv.Version
	}
	return "/apis/" + gv.Group + "/" + gv.Version
}

// groupVersions are the served ones, authorization for its access review.
func groupVersions() []schema.GroupVersion {
	var list []schema.GroupVersion
	for _, k := range kinds {
		known := false
		for _, gv := range list {
			known = known || gv == k.GroupVersion()
		}
		if !known {
			list = append(list, k.GroupVersion())
		}
	}
	return append(list, authorizationv1.SchemeGroupVersion)
}

func groups() *metav1.APIGroupList {
	list := &metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}}
	for _, gv := range groupVersions() {
		if gv.Group == "" {
			continue
		}
		v := metav1.GroupVersionForDiscovery{GroupVersion: gv.String(), Version: gv.Version}
		list.Groups = append(list.Groups, metav1.APIGroup{
			Name: gv.Group, Versions: []metav1.GroupVersionForDiscovery{v}, PreferredVersion: v,
		})
	}
	return list
}

func resourceList(gv schema.GroupVersion) *metav1.APIResourceList {
	list := &metav1.APIResourceList{TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}, GroupVersion: gv.String()}
	for _, k := range kinds {
		if k.GroupVersion() != gv {
			continue
		}
		list.APIResources = append(list.APIResources, metav1.APIResource{
			Name: k.Resource, SingularName: strings.ToLower(k.Kind), Namespaced: k.Namespaced, Kind: k.Kind,
			Verbs: metav1.Verbs{"create", "delete", "get", "list", "patch", "update", "watch"}, ShortNames: k.ShortNames,
		})
		if k.Status {
			list.APIResources = append(list.APIResources, metav1.APIResource{
				Name: k.Resource + "/status", Namespaced: k.Namespaced, Kind: k.Kind, Verbs: metav1.Verbs{"get", "patch", "update"},
			})
		}
	}
	if gv == authorizationv1.SchemeGroupVersion {
		list.APIResources = append(list.APIResources, metav1.APIResource{
			Name: "selfsubjectaccessreviews", SingularName: "selfsubjectaccessreview", Kind: "SelfSubjectAccessReview", Verbs: metav1.Verbs{"create"},
		})
	}
	return list
}

// operations is as much of an OpenAPI document as clients read before a
// write: that field validation is the server's business.
func operations(gv schema.GroupVersion) map[string]any {
	paths := map[string]any{}
	for _, k := range kinds {
		if k.GroupVersion() != gv {
			continue
		}
		paths[gvPath(gv)+"/"+k.Resource+"/{name}"] = map[string]any{"patch": map[string]any{
			"parameters": []any{
				map[string]any{"name": "fieldValidation", "in": "query"},
				map[string]any{"name": "fieldManager", "in": "query"},
				map[string]any{"name": "dryRun", "in": "query"},
			},
			"responses":                       map[string]any{},
			"x-kubernetes-group-version-kind": map[string]any{"group": gv.Group, "version": gv.Version, "kind": k.Kind},
		}}
	}
	return map[string]any{"openapi": "3.0.0", "info": map[string]any{"title": "kubesim", "version": release.GitVersion}, "paths": paths}
}

// review answers a SelfSubjectAccessReview: everybody may do everything here.
func (h *handler) review(w http.ResponseWriter, r *http.Request, out output) {
	if r.Method != http.MethodPost {
		out.fail(w, apierrors.NewMethodNotSupported(schema.GroupResource{Resource: "selfsubjectaccessreviews"}, r.Method))
		return
	}
	k := &Kind{GroupVersionResource: authorizationv1.SchemeGroupVersion.WithResource("selfsubjectaccessreviews"), Kind: "SelfSubjectAccessReview"}
	obj, err := readObject(r, k)
	if err != nil {
		out.fail(w, err)
		return
	}
	answer := obj.(*authorizationv1.SelfSubjectAccessReview)
	answer.Status.Allowed = true
	if err := out.reply(w, http.StatusCreated, k, answer, nil); err != nil {
		out.fail(w, err)
	}
}
