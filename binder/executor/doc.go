// Package executor is the sequencer and the writes: the only code that changes
// a cluster.
//
// The work is split so that everything that decides is a step function and
// everything that waits is a thin shell:
//
//   - [Machine] takes drafts, numbers them in the log, folds them, lets the
//     binder decide whom they woke, numbers and folds Decided and Intended at
//     once, and returns the effects. It has no goroutine and no clock.
//   - [Run] is one plan being carried out: it says the next request and turns
//     each answer into drafts. It has no goroutine and no clock either.
//   - [Executor] drives both against a real log and a real API server.
//
// # Guarantees
//
//   - Order: drafts of one Put are folded together and in order; decisions are
//     taken claims first (pairs that lack a step, then oldest), volumes after.
//   - Durability: no write and no live read leaves before the record that asks
//     for it is durable. A failed commit ends Run; nothing folded but lost is
//     ever acted on.
//   - One write in flight per object: Intended reserves its subjects until the
//     plan's final Resulted, and a reserved subject is decided by nobody.
//   - Idempotency: every write carries the UID and the resourceVersion it was
//     decided on. An unknown outcome is read back, never compensated. After a
//     restart a plan without a final result is read back before anything else
//     is decided on its objects.
//   - No timer takes part in a binding; timers end back-offs only.
//
// It promises nothing about order between different pairs: many plans run side
// by side.
//
// To test with it, drive a Machine over eventlog.NewMemory and answer the
// requests of its Runs by hand.
package executor
