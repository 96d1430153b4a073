// Package e2e runs Bindery against the real thing: etcd and kube-apiserver,
// built from their modules, and the in-tree controller as the peer. It is a
// Go module of its own, so that the product never requires any of them.
//
// Tests here need nothing that is installed; what they need they build. They
// fail when it cannot be built, they never skip.
package e2e
