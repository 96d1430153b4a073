// Package eventlog is Bindery's append-only log.
package eventlog
