package cluster

import (
	"context"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Grant gives a user the rules, in the whole cluster. The user is one of
// Options.Users; more grants add to what it may do.
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
	return err
}
