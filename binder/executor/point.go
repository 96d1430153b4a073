package executor

import (
	"context"
	"fmt"

	"bindery/eventlog"
)

// CrashPoints are the places at which tests end the process, in the order in
// which one binding passes them. What is durable there is told by the name.
var CrashPoints = []string{
	"observed-durable",    // the observation is durable, no intent yet
	"intended-durable",    // the plan is durable, nothing written
	"after-write-1",       // one write is stored, its answer not in the log
	"after-write-2",       //
	"after-write-3",       //
	"after-write-4",       //
	"result-not-appended", // all writes are stored, the final result not in the log
}

func afterWrite(n int) string { return fmt.Sprintf("after-write-%d", n) }

// point tells the test hook that the process is at the named place.
func (e *Executor) point(name string) {
	if e.opts.Point != nil {
		e.opts.Point(name)
	}
}

// observedDurable makes the point between a durable observation and its
// intent, which in ordinary life are committed together.
func (e *Executor) observedDurable(head eventlog.Seq) {
	if e.opts.Log.Wait(context.Background(), head) == nil {
		e.point("observed-durable")
	}
}
