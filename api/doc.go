// Package api answers questions about a log: why a claim is bound to what it
// is bound to, or to nothing; what claims and volumes the log shows; how the
// log itself stands.
//
// The same questions are answered in three places, behind one interface,
// [Reader]:
//
//   - [Local] answers from a view and a log in this process;
//   - [NewHandler] serves any Reader over HTTP;
//   - [Client] asks a served Reader.
//
// # Guarantees
//
//   - The same question on the same log gives the same answer whichever way it
//     is asked, so `bindery why --log DIR` and `bindery why --server URL` agree.
//   - An answer rests on durable records only.
//   - Everything is read only. No handler writes, and none blocks the log.
//   - Lists are sorted. What is cut says how much was cut.
//   - JSON fields are only ever added. Error codes ([Code]) are never reused.
//
// It does not promise that two answers rest on the same moment: each carries
// the seq that it is as of.
//
// To test with it, make a Local over eventlog.NewMemory and serve it with
// net/http/httptest.
package api
