// Package cluster starts a real API server: etcd and kube-apiserver as child
// processes on free loopback ports, with RBAC on.
//
//   - The binaries are built once from the versions that go.mod pins, and kept
//     in the user's cache directory.
//   - Children end with their parent, also when it is killed.
//   - Each process can be killed and started again on its ports and data.
package cluster
