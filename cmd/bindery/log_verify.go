package main

import (
	"context"
	"errors"
	"fmt"

	"bindery/api"
	"bindery/eventlog"

	"github.com/spf13/cobra"
)

// verifyAnswer is what `log verify` prints.
type verifyAnswer struct {
	APIVersion string        `json:"apiVersion"`
	Kind       string        `json:"kind"`
	Log        string        `json:"log"`
	Cluster    string        `json:"cluster"`
	First      uint64        `json:"first"`
	Head       uint64        `json:"head"`
	Records    uint64        `json:"records"`
	Blocks     uint64        `json:"blocks"`
	Chain      string        `json:"chain"`
	Damaged    []damageRange `json:"damaged"`
}

// damageRange is a range of records that cannot be trusted.
type damageRange struct {
	First uint64 `json:"first"`
	Last  uint64 `json:"last"` // 0: not known
	Error string `json:"error"`
}

func newLogVerify(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "verify --log DIR",
		Short: "Check that every byte of a log directory is what was written",
		Long: `Check that every byte of a log directory is what was written: checksums,
numbers without holes, the hash of each record, the chain through all blocks.
Damage is named by its records, and the exit code is 3.`,
		Example: "  bindery log verify --log ./data",
		Args:    noArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			dir, err := g.needLog("log verify")
			if err != nil {
				return err
			}
			return g.verify(c.Context(), dir)
		},
	}
}

// verify checks the directory and prints what it found.
func (g *globals) verify(ctx context.Context, dir string) error {
	store, err := eventlog.OpenReadOnly(dir, eventlog.Options{})
	if err != nil {
		return foundIfDamaged(err)
	}
	defer store.Close()
	report, err := store.Verify(ctx, nil)
	if err != nil {
		return errors.Join(interrupted(ctx), err)
	}
	answer := verifyAnswer{
		APIVersion: api.Version, Kind: "LogVerification",
		Log: report.Identity.ID, Cluster: report.Identity.ClusterName,
		First: uint64(report.First), Head: uint64(report.Head),
		Records: report.Records, Blocks: report.Blocks, Chain: report.Chain.String(), Damaged: []damageRange{},
	}
	for _, d := range report.Damaged {
		answer.Damaged = append(answer.Damaged, damageRange{uint64(d.First), uint64(d.Last), d.Err.Error()})
	}
	if err := g.print(answer, func() error { return g.verifyText(answer) }, nil); err != nil {
		return err
	}
	if report.OK() {
		return nil
	}
	first := report.Damaged[0].Err
	if more := len(report.Damaged) - 1; more > 0 {
		first = fmt.Errorf("%w; and %d more damaged ranges", first, more)
	}
	return &found{&api.Fault{Code: api.CodeDamaged, Err: first, Advice: damagedAdvice}}
}

const damagedAdvice = "keep the directory as it is; restore it from a copy, or start a new log in an empty directory"

// foundIfDamaged makes damage that already keeps the log from opening a
// finding of verify, not a failure.
func foundIfDamaged(err error) error {
	fault := api.FaultOf(err)
	if fault.Code != api.CodeDamaged {
		return err
	}
	fault.Advice = damagedAdvice
	return &found{fault}
}

// verifyText prints the verification for people.
func (g *globals) verifyText(raw verifyAnswer) error {
	a, err := cleaned(raw)
	if err != nil {
		return err
	}
	for _, d := range a.Damaged {
		if _, err := fmt.Fprintf(g.Out, "damaged: seq %d to %d: %s\n", d.First, d.Last, d.Error); err != nil {
			return err
		}
	}
	word := "ok"
	if len(a.Damaged) > 0 {
		word = "sound"
	}
	_, err = fmt.Fprintf(g.Out, "%s: %d records in %d blocks, seq %d to %d, log %s, chain %s\n",
		word, a.Records, a.Blocks, a.First, a.Head, a.Log, a.Chain)
	return err
}
