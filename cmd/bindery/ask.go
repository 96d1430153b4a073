package main

import (
	"context"
	"fmt"
	"net/url"

	"bindery/api"
	"bindery/eventlog"
)

// reader opens what the asking verbs ask: the log directory that --log names,
// read only, or the service. done releases it.
func (g *globals) reader(ctx context.Context) (_ api.Reader, done func(), _ error) {
	if g.log == "" {
		address := g.url()
		if u, err := url.Parse(address); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return nil, nil, usage("write --server http://HOST:PORT", "%q is no address of a service", address)
		}
		return &api.Client{URL: address}, func() {}, nil
	}
	store, err := eventlog.OpenReadOnly(g.log, eventlog.Options{})
	if err != nil {
		return nil, nil, err
	}
	reader, err := api.Offline(ctx, store)
	if err != nil {
		_ = store.Close() // read only: nothing is lost
		return nil, nil, err
	}
	return reader, func() { _ = store.Close() }, nil // read only: nothing is lost
}

// needLog is the directory that a verb which reads the log itself works on.
func (g *globals) needLog(verb string) (string, error) {
	if g.server != "" {
		return "", usage("name its directory with --log", "%s cannot ask a service yet", verb)
	}
	if g.log == "" {
		return "", usage("name the directory with --log", "%s reads a log directory, and none is named", verb)
	}
	return g.log, nil
}

// interrupted says that the user ended the verb.
func interrupted(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return &api.Fault{Code: api.CodeStopped, Err: fmt.Errorf("stopped before the end"), Advice: "run it again"}
}
