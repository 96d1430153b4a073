package api

import (
	"context"
	"errors"
	"io/fs"
	"net/http"

	"bindery/eventlog"
)

// Code names one sort of failure. Codes are the same in problem+json answers
// and in the CLI; they are added to and never reused.
type Code string

// The codes of failures.
const (
	CodeInternal    Code = "internal"
	CodeUsage       Code = "usage"
	CodeName        Code = "bad-name"
	CodeNotFound    Code = "not-found"
	CodeNotReady    Code = "not-ready"
	CodeStopped     Code = "stopped"
	CodeLocked      Code = "log-locked"
	CodeNoLog       Code = "no-log"
	CodeNotALog     Code = "not-a-log"
	CodeNewerLog    Code = "newer-log"
	CodeOtherLog    Code = "log-of-another-cluster"
	CodeDamaged     Code = "log-damaged"
	CodeDiskFull    Code = "disk-full"
	CodeUnwritable  Code = "log-not-writable"
	CodeLogFailed   Code = "log-failed"
	CodeKubeconfig  Code = "bad-kubeconfig"
	CodeUnreachable Code = "kubernetes-unreachable"
	CodeForbidden   Code = "kubernetes-forbids"
	CodeLeaseLost   Code = "lease-lost"
	CodeNoServer    Code = "server-unreachable"
	CodeAddress     Code = "address-in-use"
)

// advice is what is said with a code: the HTTP status and the next step.
type advice struct {
	status int
	hint   string
}

// advices is the one table of hints. A hint names a next step that the reader
// can take; it never repeats the error.
var advices = map[Code]advice{
	CodeInternal:    {http.StatusInternalServerError, "this is a fault in bindery; please report it with the output of `bindery version`"},
	CodeUsage:       {http.StatusBadRequest, "see `bindery help`"},
	CodeName:        {http.StatusBadRequest, "write pvc/NAME (with -n NAMESPACE) or pv/NAME"},
	CodeNotFound:    {http.StatusNotFound, "list what the log shows with `bindery get pvc -A` or `bindery get pv`"},
	CodeNotReady:    {http.StatusServiceUnavailable, "wait until /readyz says ok; with ?verbose it says what is missing"},
	CodeStopped:     {http.StatusServiceUnavailable, "the service is stopping; ask again when it is back"},
	CodeLocked:      {http.StatusConflict, "ask the process that holds it with --server, stop it, or name another directory"},
	CodeNoLog:       {http.StatusNotFound, "name the directory that --data-dir of `bindery run` names"},
	CodeNotALog:     {http.StatusUnprocessableEntity, "name a directory that bindery made; nothing in this one was touched"},
	CodeNewerLog:    {http.StatusUnprocessableEntity, "read it with the bindery version that wrote it, or a newer one; nothing was touched"},
	CodeOtherLog:    {http.StatusConflict, "name this cluster's own directory with --data-dir, or an empty one to start a new log"},
	CodeDamaged:     {http.StatusInternalServerError, "see what is hit with `bindery log verify --log DIR`; keep the directory, and restore it from a copy or start a new one"},
	CodeDiskFull:    {http.StatusInsufficientStorage, "free space on that disk and start again; nothing that was durable is lost"},
	CodeUnwritable:  {http.StatusInternalServerError, "give this user write access to the directory, or name another with --data-dir"},
	CodeLogFailed:   {http.StatusInternalServerError, "the log took no record after this one and nothing was acted on; mend the disk and start again"},
	CodeKubeconfig:  {http.StatusBadRequest, "check the file that --kubeconfig or KUBECONFIG names, and --context"},
	CodeUnreachable: {http.StatusBadGateway, "check that the address in the kubeconfig is right and that the API server runs there"},
	CodeForbidden:   {http.StatusForbidden, "grant it with a ClusterRole; README.md has the roles that each mode needs"},
	CodeLeaseLost:   {http.StatusServiceUnavailable, "another replica acts now, or the API server was slow; start again to stand by"},
	CodeNoServer:    {http.StatusBadGateway, "start one with `bindery run` or `bindery demo`, name another with --server, or read a directory with --log"},
	CodeAddress:     {http.StatusConflict, "name another address with --api-endpoint"},
}

// Hint is the next step for a code.
func (c Code) Hint() string { return advices[c].hint }

// Status is the HTTP status for a code.
func (c Code) Status() int {
	if status := advices[c].status; status != 0 {
		return status
	}
	return http.StatusInternalServerError
}

// Fault is an error with its code. Advice, when set, takes the place of the
// code's hint.
type Fault struct {
	Code   Code
	Err    error
	Advice string
}

// Error is the wrapped error's text.
func (f *Fault) Error() string { return f.Err.Error() }

// Unwrap is the wrapped error.
func (f *Fault) Unwrap() error { return f.Err }

// Hint is the next step.
func (f *Fault) Hint() string {
	if f.Advice != "" {
		return f.Advice
	}
	return f.Code.Hint()
}

// FaultOf is the error as a Fault: its own, or one made from what the log's
// errors tell. Of nil it is nil.
func FaultOf(err error) *Fault {
	if err == nil {
		return nil
	}
	var fault *Fault
	if errors.As(err, &fault) {
		if fault.Err == err || err == error(fault) {
			return fault
		}
		return &Fault{Code: fault.Code, Err: err, Advice: fault.Advice} // keeps what was wrapped round it
	}
	return &Fault{Code: codeOf(err), Err: err}
}

// codeOf reads the code off an error of the log or the system.
func codeOf(err error) Code {
	var (
		corrupt     *eventlog.CorruptError
		gap         *eventlog.GapError
		fork        *eventlog.ForkError
		unsupported *eventlog.UnsupportedVersionError
		notALog     *eventlog.NotALogError
		wrong       *eventlog.WrongClusterError
		full        *eventlog.FullError
	)
	switch {
	case errors.As(err, &full):
		return CodeDiskFull
	case errors.As(err, &unsupported):
		return CodeNewerLog
	case errors.As(err, &notALog):
		return CodeNotALog
	case errors.As(err, &wrong):
		return CodeOtherLog
	case errors.As(err, &corrupt), errors.As(err, &gap), errors.As(err, &fork):
		return CodeDamaged
	case errors.Is(err, eventlog.ErrLocked):
		return CodeLocked
	case errors.Is(err, eventlog.ErrFailed):
		return CodeLogFailed
	case errors.Is(err, eventlog.ErrNotFound):
		return CodeNotFound
	case errors.Is(err, fs.ErrPermission):
		return CodeUnwritable
	case errors.Is(err, fs.ErrNotExist):
		return CodeNoLog
	case errors.Is(err, eventlog.ErrClosed), errors.Is(err, context.Canceled):
		return CodeStopped
	}
	return CodeInternal
}
