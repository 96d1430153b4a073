package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"k8s.io/cli-runtime/pkg/genericiooptions"
)

func main() { os.Exit(mainCode()) }

// mainCode runs the program with the process's own arguments and streams; the
// first interrupt ends it in order, a second one at once.
func mainCode() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	quietClientGo(os.Stderr)
	streams := genericiooptions.IOStreams{In: os.Stdin, Out: os.Stdout, ErrOut: os.Stderr}
	return run(ctx, os.Args[1:], streams)
}

// run runs the program and gives its exit code.
func run(ctx context.Context, args []string, streams genericiooptions.IOStreams) int {
	g := newGlobals(streams)
	root := newRoot(g)
	root.SetArgs(args)
	root.SetIn(streams.In)
	root.SetOut(streams.Out)
	root.SetErr(streams.ErrOut)
	return g.report(root.ExecuteContext(ctx))
}
