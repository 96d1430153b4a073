// Package projector folds the log into the state that decisions rest on:
// claims, volumes in an ordered index, reservations, back-offs, and the keys
// by which a change wakes whoever read what it changed.
//
// # Guarantees
//
//   - Apply is total and deterministic: the same records give the same state,
//     byte for byte (see State.Dump), on any machine. It has no I/O, clock or
//     goroutine. Only a newer record that decisions rest on stops it.
//   - Order of facts: per UID a higher resourceVersion replaces, a lower or
//     equal one is ignored, a UID that is gone stays gone. A new epoch orders
//     anew.
//   - A View is O(1) to take and never changes; other goroutines may read it
//     while the State goes on.
//   - Every read of a View notes the key that it rests on, and every record
//     that changes the answer touches that key. So nobody who waits is left
//     asleep, and nothing needs a periodic resync.
//   - Search yields free volumes by fewest access modes, then capacity, then
//     name. What is bound, released, terminating or reserved costs it nothing.
//
// In plain words: the log goes in, one record at a time; a picture of the
// cluster comes out, and a list of who should look again.
//
// It does not promise that the picture is the cluster's present: it is what
// the log holds, and gaps in that are told by View.Gaps.
//
// To test with it, number drafts by hand, Apply them, and read a View.
package projector
