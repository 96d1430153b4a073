package main

import (
	"context"
	"io"
	"log/slog"

	"k8s.io/klog/v2"
)

// quietClientGo turns client-go's own log to standard error, errors only: what
// matters of its warnings is in the log of records. klog has one logger for the
// whole process, so this is done once, before any client is made.
func quietClientGo(errOut io.Writer) {
	klog.SetSlogLogger(slog.New(errorsOnly{slog.NewTextHandler(errOut, nil)}))
}

// errorsOnly drops everything below an error.
type errorsOnly struct{ slog.Handler }

// Enabled reports whether the level is an error.
func (h errorsOnly) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelError && h.Handler.Enabled(ctx, level)
}
