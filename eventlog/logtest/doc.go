// Package logtest checks that a log keeps the promises of package eventlog.
//
// Run is the conformance suite for every store: order, resuming at each cut,
// reopening after each write, concurrent submitters, waiting, limits, closing,
// and a random walk against a model.
//
// RunDamage is for stores that keep a log directory: a named table of damage
// (Damages), each applied to the same small log (Build), with the error and
// the seqs that must be told. The table is exported, so that a command's tests
// can show a user's view of the same damage.
//
// Where a log under test can verify itself, that is done after each test.
package logtest
