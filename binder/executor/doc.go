// Package executor is the sequencer and the writes: the only code that changes
// a cluster.
package executor
