// Package conformance is one table of requests and the answers that a
// Kubernetes API gives to them. It runs against kubesim and against a real
// kube-apiserver: what stands in it is what kubesim promises.
package conformance
