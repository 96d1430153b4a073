package main

import (
	"os"
	"syscall"

	"bindery/binder/executor"
)

// crashAt is the environment variable by which tests make the program kill
// itself, without warning, the first time that it passes one of
// executor.CrashPoints. It is for tests only: what it shows is that a kill at
// any other time loses nothing either.
const crashAt = "BINDERY_CRASH_AT"

// crashPoint is the hook for the named point, nil when none is named.
func crashPoint() func(string) {
	at := os.Getenv(crashAt)
	for _, known := range executor.CrashPoints {
		if at != known {
			continue
		}
		return func(name string) {
			if name == at {
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
				select {} // the kill is on its way
			}
		}
	}
	return nil
}
