package executor

import "errors"

var (
	// ErrNotSent is wrapped by an API error when the request certainly never
	// left: the connection could not be made. Nothing needs reading back.
	ErrNotSent = errors.New("request not sent")
	// ErrStopped is returned by Put after Run has ended.
	ErrStopped = errors.New("executor stopped")
	// ErrBlind ends Run when the log holds a record that decisions depend on
	// and that this version cannot read: it must not decide past it.
	ErrBlind = errors.New("the log holds a newer record that decisions depend on")
)
