// Package differential plays the same scripts to the in-tree controller on
// one API server and to Bindery on another, and compares what is left.
//
// A Scenario has a Setup, made while no controller runs, and Steps, each made
// at rest. All scenarios are played side by side, each in a namespace and with
// name and class prefixes of its own, so that one pair of API servers and one
// rest serve them all. Final volumes and claims are compared with UIDs mapped
// to names and with versions and times left out.
//
//   - A difference must be one of the numbered improvements of the design,
//     which the scenario names; it says what it wants of either side.
//   - An improvement that makes no difference fails, but where the in-tree
//     controller leaves the result to chance.
//   - At rest a pair that was made after the changes has been bound: a peer
//     that is slow or dead is not taken for one that has nothing to do.
//   - The in-tree controller plays twice and must agree with itself, but for
//     one change that is made on purpose and must be found.
package differential
