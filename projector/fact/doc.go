// Package fact holds what the projection folds: small, versioned facts cut
// from Kubernetes objects, and the recorded forms of decisions, plans and
// results.
//
//   - A fact is a pure function of one object; the same object gives the same
//     bytes on every machine.
//   - Encoding is canonical protobuf wire form with sorted map keys; stored
//     bytes are never re-encoded, so fields of newer versions survive.
//   - Decoders never panic, whatever the bytes; they bound sizes and depth.
//
// The package has no I/O and no clock. It imports the Kubernetes API types
// only to cut facts from them.
package fact
