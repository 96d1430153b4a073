// Package kube is Bindery's side of the Kubernetes API: lists and watches in,
// writes and live reads out.
//
// # Intake
//
// Source lists and watches volumes, claims, classes, pods and nodes. A
// ListerWatcher of its own stands round the real one and is driven by
// client-go's Reflector, which brings retry and back-off. It sees each list
// call and each watch event first, puts a draft into the sink, and only then
// hands it on.
//
//   - Order: the drafts of one resource go in as the server sent them.
//     Between resources there is no order.
//   - Nothing is dropped in memory: while the sink blocks, the watch is read
//     no further. The server then cuts it, and the list after it is recorded
//     with a Gap.
//   - Every list is compared with what the log knows, by UID: an object of
//     another version is Observed, a UID that is not in a list which is not
//     older than the log is Missing. A failed list is unknown, never empty. A
//     list older than the log is refused and repeated; when the server insists
//     an epoch starts.
//   - A completed list means that everything in it is in the log before it.
//   - Pods and nodes are cut to what binding reads, and recorded only when
//     that changed.
//
// # Writes
//
// Client sends a step as a JSON merge patch that always carries metadata.uid
// and metadata.resourceVersion, so that a write can never hit another object
// or another version than was decided on. It never retries a write.
//
// To test with it, run the intake against kubesim over HTTP.
package kube
