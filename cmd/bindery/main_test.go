package main

import (
	"flag"
	"io"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"
)

var update = flag.Bool("update", false, "rewrite what the scripts expect; read the diff")

// TestMain lets scripts run the whole program as a command of its own, in a
// process of its own.
func TestMain(m *testing.M) {
	testscript.Main(leakChecked{m}, map[string]func(){
		"bindery": func() { os.Exit(mainCode()) },
	})
}

// leakChecked runs the tests and then looks for goroutines left behind.
type leakChecked struct{ m *testing.M }

// Run runs the tests.
func (l leakChecked) Run() int {
	quietClientGo(io.Discard)
	code := l.m.Run()
	if code != 0 {
		return code
	}
	if err := goleak.Find(); err != nil {
		println("error:", err.Error())
		return 1
	}
	return 0
}

// TestScript runs the scripts of testdata/script. Each begins with what it
// shows; they are named verb first.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               setupScript,
		Cmds:                scriptCommands,
	})
}
