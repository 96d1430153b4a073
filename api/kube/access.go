package kube

import (
	"context"
	"fmt"
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Permission is one verb on one resource.
type Permission struct {
	Verb, Group, Resource, Subresource string
}

// String is the permission as a role would write it.
func (p Permission) String() string {
	resource := p.Resource
	if p.Subresource != "" {
		resource += "/" + p.Subresource
	}
	if p.Group != "" {
		resource += "." + p.Group
	}
	return p.Verb + " " + resource
}

// MissingAccessError lists the permissions that a mode needs and the user
// lacks.
type MissingAccessError struct {
	Mode    string
	Missing []Permission
}

func (e *MissingAccessError) Error() string {
	words := make([]string, len(e.Missing))
	for i, p := range e.Missing {
		words[i] = p.String()
	}
	return fmt.Sprintf("mode %s needs access that is missing: %s", e.Mode, strings.Join(words, ", "))
}

// Permissions are what a mode needs, no more.
func Permissions(mode string) []Permission {
	var needs []Permission
	for _, r := range []struct{ group, resource string }{
		{"", "persistentvolumes"}, {"", "persistentvolumeclaims"},
		{"storage.k8s.io", "storageclasses"}, {"", "pods"}, {"", "nodes"},
	} {
		needs = append(needs, Permission{"list", r.group, r.resource, ""}, Permission{"watch", r.group, r.resource, ""})
	}
	// Live reads: in shadow mode too, what is not seen is not gone.
	needs = append(needs, Permission{"get", "", "persistentvolumes", ""}, Permission{"get", "", "persistentvolumeclaims", ""})
	if mode == "bind" {
		for _, resource := range []string{"persistentvolumes", "persistentvolumeclaims"} {
			needs = append(needs,
				Permission{"patch", "", resource, ""},
				Permission{"patch", "", resource, "status"},
			)
		}
	}
	return needs
}

// CheckAccess asks the API server for each permission of the mode and returns
// a MissingAccessError if any is lacking.
func (c *Client) CheckAccess(ctx context.Context, mode string) error {
	missing := &MissingAccessError{Mode: mode}
	for _, p := range Permissions(mode) {
		review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
			ResourceAttributes: &authorizationv1.ResourceAttributes{
				Verb: p.Verb, Group: p.Group, Resource: p.Resource, Subresource: p.Subresource,
			},
		}}
		answer, err := c.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
		if err != nil {
			return fmt.Errorf("check access to %s: %w", p, err)
		}
		if !answer.Status.Allowed {
			missing.Missing = append(missing.Missing, p)
		}
	}
	if len(missing.Missing) > 0 {
		return missing
	}
	return nil
}
