// Package binder decides: which volume a claim gets, and why not the others.
//
//   - Decide is total and pure: every subject has an outcome in every view,
//     and the same view gives the same bytes on any machine. It has no I/O,
//     clock, randomness, goroutine or logger.
//   - Every branch of upstream-behaviour.md is a named rule with a stable id
//     (see [Rules]). The id is public: it stands in records, answers and tests.
//   - Plan turns a decision to act into ordered writes; nothing that is
//     already so is written.
//   - Explain gives the contest behind a decision: per volume the rules it
//     fails, with what was wanted and what was got. It is computed from a view
//     when somebody asks, and never recorded.
//   - Nothing that is read is modified: a view is shared by goroutines.
//
// In plain words: look at the view, name the rule, say what to write.
//
// Where Bindery differs from upstream on purpose the rule says so: I1
// (a reservation beats a search), I2 (the order is total), I4 (Lost needs a
// live read that shows it), I5 (a terminating claim chooses nothing new), I9
// (a Pending volume may be bound at once) and I10 (a completed claim's volume
// is kept for it). Beside these, a pair whose claim status could not be written
// for want of a capacity is not begun (U3-no-capacity).
//
// Not decided in this version: release of what is not retained, reclaim and
// unbind (V3, V6), provisioning and the default class (U4, U6). Their rules are
// recognised and told, and nothing is written.
//
// To test with it, fold records into a projector.State and call Decide on its
// View; testdata holds such scenarios as text.
package binder
