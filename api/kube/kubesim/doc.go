// Package kubesim is an in-memory Kubernetes API for the kinds that binding
// is about: a library core, and the same over HTTP for real clients.
//
// The core, Server, is a passive object: no goroutine, no clock and no
// randomness of its own, so that a simulation that drives it is repeatable.
//
//   - One resourceVersion counts up over all kinds; a write that changes
//     nothing does not raise it.
//   - Writes are compared by resourceVersion and UID where the client gives
//     them; a status write leaves the spec alone and the other way round.
//   - Watches see every change in order from any version that Compact has not
//     passed; older ones get 410.
//   - What the API server adds for volumes and claims is added here too: the
//     facts of upstream-behaviour.md 5.5.
//
// It is no API server: there is no server-side apply, no admission beyond the
// protection finalizers when asked for, and validation covers the commonest
// mistakes only. The table in package conformance states what is promised,
// and runs against a real kube-apiserver too.
package kubesim
