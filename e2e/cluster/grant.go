package cluster

import (
	"context"
	"fmt"
	"strings"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
)

// Grant gives a user the rules, in the whole cluster, and returns once the API
// server goes by them, which it learns of through a watch of its own. The user
// is one of Options.Users; more grants add to what it may do.
func (c *Cluster) Grant(ctx context.Context, user string, rules ...rbacv1.PolicyRule) error {
	roles := c.Client().RbacV1()
	role, err := roles.ClusterRoles().Create(ctx, &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{GenerateName: user + "-"}, Rules: rules,
	}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	_, err = roles.ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: role.Name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}},
	}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	for _, rule := range rules {
		if err := c.granted(ctx, user, rule); err != nil {
			return err
		}
	}
	return nil
}

// granted waits until the API server allows the user what the rule says first.
func (c *Cluster) granted(ctx context.Context, user string, rule rbacv1.PolicyRule) error {
	if len(rule.Verbs) == 0 || len(rule.Resources) == 0 || len(rule.APIGroups) == 0 {
		return nil
	}
	resource, subresource := splitResource(rule.Resources[0])
	attributes := &authorizationv1.ResourceAttributes{
		Verb: rule.Verbs[0], Group: rule.APIGroups[0], Resource: resource, Subresource: subresource,
	}
	if len(rule.ResourceNames) > 0 {
		attributes.Name = rule.ResourceNames[0]
	}
	reviews := c.Client().AuthorizationV1().SubjectAccessReviews()
	err := wait.PollUntilContextTimeout(ctx, 20*time.Millisecond, readyWithin, true, func(ctx context.Context) (bool, error) {
		answer, err := reviews.Create(ctx, &authorizationv1.SubjectAccessReview{
			Spec: authorizationv1.SubjectAccessReviewSpec{User: user, ResourceAttributes: attributes},
		}, metav1.CreateOptions{})
		if err != nil {
			return false, err
		}
		return answer.Status.Allowed, nil
	})
	if err != nil {
		return fmt.Errorf("user %s is not allowed to %s %s: %w", user, rule.Verbs[0], rule.Resources[0], err)
	}
	return nil
}

// splitResource parts a resource from its subresource, as rules join them.
func splitResource(s string) (resource, subresource string) {
	resource, subresource, _ = strings.Cut(s, "/")
	return resource, subresource
}
