package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"

	"bindery/eventlog"

	"github.com/spf13/cobra"
)

// dumpOptions are the options of `log dump`.
type dumpOptions struct {
	*globals
	from, to uint64
}

func newLogDump(g *globals) *cobra.Command {
	o := &dumpOptions{globals: g}
	c := &cobra.Command{
		Use:   "dump --log DIR",
		Short: "Print the records of a log directory, one a line",
		Long: `Print the records of a log directory, one a line; with -o json one JSON object
a line. A damaged range is told in its place, the rest is printed, and the exit
code is 3.`,
		Example: `  bindery log dump --log ./data
  bindery log dump --log ./data --from 100 --to 120 -o json`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := o.check(); err != nil {
				return err
			}
			return o.run(c.Context())
		},
	}
	c.Flags().Uint64Var(&o.from, "from", 1, "First record.")
	c.Flags().Uint64Var(&o.to, "to", 0, "Last record; 0 is the end.")
	return c
}

// check validates the options.
func (o *dumpOptions) check() error {
	if o.to != 0 && o.to < o.from {
		return usage("give --to a later record than --from", "--to %d is before --from %d", o.to, o.from)
	}
	switch o.output {
	case "yaml", "name":
		return usage("use -o json", "log dump has no -o %s", o.output)
	}
	_, err := o.needLog("log dump")
	return err
}

// run prints the records.
func (o *dumpOptions) run(ctx context.Context) error {
	store, err := eventlog.OpenReadOnly(o.log, eventlog.Options{})
	if err != nil {
		return err
	}
	defer store.Close()
	out := bufio.NewWriter(o.Out)
	damaged := false
	for record, err := range store.RecordsLenient(eventlog.Seq(o.from), eventlog.Seq(o.to)) {
		if ctx.Err() != nil {
			break
		}
		if err == nil {
			err = o.line(out, record)
			if err != nil {
				return err
			}
			continue
		}
		damaged = true
		if err := out.Flush(); err != nil {
			return err
		}
		fmt.Fprintln(o.ErrOut, "damaged:", oneLine(err.Error()))
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if damaged {
		return errFound
	}
	return interrupted(ctx)
}

// line prints one record.
func (o *dumpOptions) line(out *bufio.Writer, r eventlog.Record) error {
	entry := entryOf(r)
	if o.output == "json" {
		data, err := json.Marshal(entry)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(out, "%s\n", asciiControl(data))
		return err
	}
	_, err := fmt.Fprintf(out, "%6d  %s  %-13s %s%s\n", entry.Seq, o.timestamp(entry.Time), entry.Kind,
		printable(entry.subject()), printable(entry.Summary))
	return err
}
