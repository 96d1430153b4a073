package main

import (
	"errors"
	"fmt"
	"strings"

	"bindery/api"
)

// Exit codes. They are part of the program's interface.
const (
	exitFine   = 0 // done
	exitFailed = 1 // could not be done
	exitUsage  = 2 // asked in a way that is not understood
	exitFound  = 3 // done, and found something: damage, a difference, a bad proof
)

const exitCodesText = `Exit codes:
  0  fine
  1  failed: the error line says what and where, the hint line what to do
  2  usage: the command line was not understood; nothing was done
  3  ran, and found something: damage in a log, for one
`

// errFound ends a verb that did its work and found something that it has
// already told.
var errFound = errors.New("found something")

// found is an error that a verb looked for: it is told like any other, and the
// exit code is that of a finding.
type found struct{ error }

// Unwrap is the error that was found.
func (f *found) Unwrap() error { return f.error }

// usage is an error of the command line; hint may be empty.
func usage(hint, format string, args ...any) error {
	return &api.Fault{Code: api.CodeUsage, Err: fmt.Errorf(format, args...), Advice: hint}
}

// report tells an error on standard error, in one error line and one hint
// line, and gives the exit code.
func (g *globals) report(err error) int {
	if err == nil {
		return exitFine
	}
	if errors.Is(err, errFound) {
		return exitFound
	}
	fault := api.FaultOf(err)
	fmt.Fprintf(g.ErrOut, "error: %s\n", oneLine(fault.Error()))
	if hint := fault.Hint(); hint != "" {
		fmt.Fprintf(g.ErrOut, "hint: %s\n", oneLine(hint))
	}
	var finding *found
	if errors.As(err, &finding) {
		return exitFound
	}
	if fault.Code == api.CodeUsage || fault.Code == api.CodeName {
		return exitUsage
	}
	return exitFailed
}

// oneLine makes text fit for one line of a terminal.
func oneLine(s string) string {
	return printable(strings.Join(strings.Fields(s), " "))
}
