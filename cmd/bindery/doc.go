// Command bindery binds Kubernetes PersistentVolumeClaims to PersistentVolumes
// through an append-only log, and tells afterwards why.
//
// # Guarantees
//
//   - Standard output is data only; everything else goes to standard error.
//   - A failure is one `error:` line that names the thing and the place, and
//     one `hint:` line that names a next step.
//   - Exit codes: 0 fine, 1 failed, 2 wrong usage, 3 ran and found something.
//   - No control character of an object's name, or of any other text that came
//     from a cluster or a log, reaches the terminal.
//   - Verbs that ask (why, get, log) write nothing, anywhere.
//
// main is exit(run(ctx, args, streams)); each verb is a file with its options
// and the three steps complete, validate, run. Tests run the whole program in
// process, from scripts in testdata/script.
package main
