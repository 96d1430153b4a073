package main

import (
	"context"
	"fmt"
	"strings"

	"bindery/api"
	"bindery/projector"

	"github.com/spf13/cobra"
)

// whyOptions are the options of `why`.
type whyOptions struct {
	*globals
	id projector.ID
}

func newWhy(g *globals) *cobra.Command {
	o := &whyOptions{globals: g}
	return &cobra.Command{
		Use:   "why pvc/NAME | pv/NAME",
		Short: "Tell why a claim or a volume is as it is",
		Long: `Tell why a claim or a volume is as it is: what was decided and by which rule,
what it waits for, and of each volume that was looked at why it was not taken.`,
		Example: `  bindery why pvc/mysql-pv-claim
  bindery why pvc/mysql-pv-claim -n shop -o json
  bindery why pv/nfs-pv --log ./data`,
		RunE: func(c *cobra.Command, args []string) error {
			if err := o.complete(args); err != nil {
				return err
			}
			return o.run(c.Context())
		},
	}
}

// complete reads the arguments.
func (o *whyOptions) complete(args []string) (err error) {
	o.id, err = parseSubject(args, o.namespace)
	return err
}

// run asks and prints.
func (o *whyOptions) run(ctx context.Context) error {
	reader, done, err := o.reader(ctx)
	if err != nil {
		return err
	}
	defer done()
	answer, err := reader.Why(ctx, o.id)
	if err != nil {
		return err
	}
	return o.print(answer, func() error { return o.text(answer) }, []string{o.id.String()})
}

// text is the answer for people.
func (o *whyOptions) text(raw api.Why) error {
	answer, err := cleaned(raw)
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", objectName(answer.Subject), o.paintState(answer.State))
	fmt.Fprintf(&b, "%s\n", answer.Sentence)
	if len(answer.WaitsFor) > 0 {
		fmt.Fprintf(&b, "Waits for: %s.\n", strings.Join(answer.WaitsFor, "; or "))
	}
	if d := answer.Decision; d != nil {
		fmt.Fprintf(&b, "Decided by rule %s at seq %d (%s), from all that the log held up to seq %d.\n",
			d.Rule, d.Seq, o.timestamp(d.Time), d.Basis)
	}
	for _, gap := range answer.Gaps {
		fmt.Fprintf(&b, "Gap: %s versions %d to %d may have been missed (%s).\n", gap.Resource, gap.From, gap.To, gap.Cause)
	}
	if _, err := fmt.Fprint(o.Out, b.String()); err != nil {
		return err
	}
	if err := o.contest(answer.Contest); err != nil {
		return err
	}
	return o.writes(answer.Writes)
}

// contest is the table of volumes that were looked at.
func (o *whyOptions) contest(contest *api.Contest) error {
	if contest == nil || len(contest.Candidates) == 0 {
		return nil
	}
	fmt.Fprintf(o.Out, "\nVolumes looked at: %d, as of seq %d.\n", contest.Total, contest.Basis)
	var rows [][]any
	for _, c := range contest.Candidates {
		wide := []any{c.Capacity, c.AccessModes, c.Class, c.Phase}
		if len(c.Misses) == 0 {
			rows = append(rows, append([]any{c.Volume, c.Verdict, "", "", "", ""}, wide...))
		}
		for i, miss := range c.Misses {
			row := []any{c.Volume, c.Verdict, miss.What, orNone(miss.Want), orNone(miss.Got), miss.Rule}
			if i > 0 {
				row[0], row[1], wide = "", "", []any{"", "", "", ""}
			}
			rows = append(rows, append(row, wide...))
		}
	}
	columns := []column{
		{name: "Volume"}, {name: "Verdict"}, {name: "Check"}, {name: "Want"}, {name: "Got"}, {name: "Rule"},
		{name: "Capacity", wide: true}, {name: "Access Modes", wide: true}, {name: "StorageClass", wide: true}, {name: "Status", wide: true},
	}
	if err := o.table(columns, rows); err != nil {
		return err
	}
	if contest.Cut > 0 {
		fmt.Fprintf(o.Out, "And %d others.\n", contest.Cut)
	}
	if contest.Beat != "" {
		fmt.Fprintf(o.Out, "%s came before %s: %s.\n", contest.Winner, contest.RunnerUp, contest.Beat)
	}
	if contest.Nearest != "" {
		fmt.Fprintf(o.Out, "Nearest miss: %s.\n", contest.Nearest)
	}
	return nil
}

// writes is the table of what was written to the cluster.
func (o *whyOptions) writes(writes []api.Write) error {
	if len(writes) == 0 {
		return nil
	}
	fmt.Fprintln(o.Out, "\nWritten to the cluster:")
	var rows [][]any
	for _, w := range writes {
		when := ""
		if w.Time != nil {
			when = o.timestamp(*w.Time)
		}
		rows = append(rows, []any{when, w.Object, w.Purpose, w.Result, w.Error})
	}
	return o.table([]column{{name: "Time"}, {name: "Object"}, {name: "Write"}, {name: "Result"}, {name: "Error"}}, rows)
}

// objectName is how people name an object.
func objectName(o api.Object) string {
	if o.Namespace == "" {
		return o.Kind + "/" + o.Name
	}
	return o.Kind + "/" + o.Name + " in namespace " + o.Namespace
}

// orNone shows that a value is empty.
func orNone(s string) string {
	if s == "" {
		return "<none>"
	}
	return s
}

// paintState colours a state on a terminal; the word alone says all.
func (g *globals) paintState(state string) string {
	codes := map[string]string{"Bound": "32", "Waiting": "33", "Blocked": "31", "Deciding": "36"}
	code, ok := codes[state]
	if !ok || !g.color() {
		return state
	}
	return "\x1b[" + code + "m" + state + "\x1b[0m"
}
