package eventlog

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// errPage is the reason inside a CorruptError when bbolt fell over a page.
var errPage = errors.New("damaged page")

// guard runs a bbolt call so that a damaged page is an error. bbolt follows
// page numbers and offsets it finds in the mapped file, so damage makes it
// panic, or fault on an address outside the file; the latter kills a process
// that has not asked for a panic instead.
func guard(call func() error) (err error) {
	before := debug.SetPanicOnFault(true)
	defer debug.SetPanicOnFault(before)
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", errPage, p)
		}
	}()
	return call()
}
