// Package eventlog is Bindery's append-only log: everything that was seen,
// decided, intended and answered, in one order, on disk before it is acted on.
//
// Drafts go in, numbered records come out. Open gives the log in a directory,
// NewMemory one for tests; both are a Log. OpenReadOnly reads a directory that
// nobody writes.
//
// # What it promises
//
//   - Order. Records are numbered from 1 without holes, in the order in which
//     calls to Submit took the log's lock. The numbers of one call are
//     contiguous. Recorded time never goes back; the clock's own reading is
//     kept beside it.
//   - Durability. Once Wait or Append returned nil, or Durable reached a seq,
//     that record and all before it survive the end of the process and of the
//     machine, as far as the disk honours a sync. The records of one commit are
//     found again all or not at all.
//   - No waiting for company. A commit takes what was submitted during the last
//     one and starts at once.
//   - Failure is final. After a failed commit the log takes nothing more:
//     Submit, Append and Wait for what is not durable return ErrFailed, Failed
//     is closed, and only opening the directory anew can tell what is on disk.
//     What was durable can still be read.
//   - Back-pressure. What waits for the disk is bounded; above that Submit
//     blocks. Nothing is dropped.
//   - Nothing silently wrong. Every read checks every checksum, number and link
//     it passes. Damage is an error that names the seqs: CorruptError,
//     GapError, ForkError, and UnsupportedVersionError for what is merely of
//     another version. It never ends the process.
//   - Stable bytes. A stored record never changes. Its leaf hash does not
//     depend on how it is packed, and stays provable when a part is withheld.
//     Fields and kinds of newer versions are kept.
//   - One writer. A directory is held by one Store; a second one is refused
//     with LockedError. Within a process, all methods may be called at any
//     time from any goroutine.
//
// In plain words: number first, act after Wait. A record that you were told is
// durable will be there tomorrow, or the log will say that it is not.
//
// # What it does not promise
//
//   - A record that was submitted but not yet durable may or may not be there
//     after a crash. Nobody may act on it before.
//   - Checksums find accidents. Someone who rewrites the file with right
//     checksums is found by Verify, against a chain hash that was kept
//     elsewhere; signed checkpoints come with the tree.
//   - Time in a record orders nothing. Between logs there is no order.
//   - A network file system may not honour flock or sync.
//
// # Testing
//
// NewMemory with ManualSync plays a disk that is behind, Fail one that broke,
// Reopen a crash. Options.OnCommit is the place to kill a process. Package
// logtest holds the conformance suite for stores and the table of damages.
//
// The format stands in format.go, the bounds in limits.go.
package eventlog
