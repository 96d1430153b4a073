package main

import (
	"context"
	"fmt"

	"bindery/api"

	"github.com/spf13/cobra"
)

func newLog(g *globals) *cobra.Command {
	c := &cobra.Command{
		Use:   "log status | dump | verify",
		Short: "Look at the log itself",
		Example: `  bindery log status
  bindery log dump --log ./data --from 100
  bindery log verify --log ./data`,
	}
	c.AddCommand(newLogStatus(g), newLogDump(g), newLogVerify(g))
	group(c)
	return c
}

func newLogStatus(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:     "status",
		Short:   "Tell what the log is and how far it goes",
		Example: "  bindery log status\n  bindery log status --log ./data -o json",
		Args:    noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return g.logStatus(c.Context())
		},
	}
}

// logStatus asks and prints.
func (g *globals) logStatus(ctx context.Context) error {
	reader, done, err := g.reader(ctx)
	if err != nil {
		return err
	}
	defer done()
	status, err := reader.LogStatus(ctx)
	if err != nil {
		return err
	}
	return g.print(status, func() error { return g.statusText(status) }, []string{"log/" + status.LogID})
}

// statusText prints a status for people.
func (g *globals) statusText(raw api.LogStatus) error {
	s, err := cleaned(raw)
	if err != nil {
		return err
	}
	rows := [][2]string{
		{"log", s.LogID},
		{"cluster", s.Cluster},
		{"cluster uid", s.ClusterUID},
		{"records", fmt.Sprintf("1 to %d, durable to %d", s.Head, s.Durable)},
		{"mode", orNone(s.Mode)},
		{"claims", fmt.Sprint(s.Claims)},
		{"volumes", fmt.Sprint(s.Volumes)},
	}
	for _, gap := range s.Gaps {
		rows = append(rows, [2]string{"gap", fmt.Sprintf("%s versions %d to %d: %s", gap.Resource, gap.From, gap.To, gap.Cause)})
	}
	if s.Failed != "" {
		rows = append(rows, [2]string{"FAILED", s.Failed})
	}
	for _, row := range rows {
		if _, err := fmt.Fprintf(g.Out, "%-12s %s\n", row[0], row[1]); err != nil {
			return err
		}
	}
	return nil
}
