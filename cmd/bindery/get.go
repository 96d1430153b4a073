package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"bindery/api"
	"bindery/eventlog"
	"bindery/projector"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/duration"
)

// getOptions are the options of `get`.
type getOptions struct {
	*globals
	kind eventlog.Resource
	id   *projector.ID // nil: all of them
}

func newGet(g *globals) *cobra.Command {
	o := &getOptions{globals: g}
	return &cobra.Command{
		Use:   "get pvc|pv [NAME]",
		Short: "List claims or volumes as the log shows them",
		Example: `  bindery get pvc -A
  bindery get pv nfs-pv -o wide
  bindery get pvc -n shop -o json --log ./data`,
		RunE: func(c *cobra.Command, args []string) error {
			if err := o.complete(args); err != nil {
				return err
			}
			return o.run(c.Context())
		},
	}
}

// complete reads the arguments.
func (o *getOptions) complete(args []string) (err error) {
	if len(args) == 0 {
		return badName("no kind is named: pvc or pv")
	}
	if len(args) == 1 && !strings.Contains(args[0], "/") {
		o.kind, err = parseKind(args[0])
		return err
	}
	if o.allNamespaces {
		return usage("leave -A away", "a claim that is named is in one namespace")
	}
	id, err := parseSubject(args, o.namespace)
	o.kind, o.id = id.Resource, &id
	return err
}

// run asks and prints.
func (o *getOptions) run(ctx context.Context) error {
	reader, done, err := o.reader(ctx)
	if err != nil {
		return err
	}
	defer done()
	if o.kind == eventlog.ResourceVolume {
		return o.volumes(ctx, reader)
	}
	return o.claims(ctx, reader)
}

// claims prints claims.
func (o *getOptions) claims(ctx context.Context, reader api.Reader) error {
	namespace := ""
	var err error
	switch {
	case o.id != nil:
		namespace = o.id.Namespace
	case !o.allNamespaces:
		if namespace, err = o.namespace(); err != nil {
			return err
		}
	}
	list, err := reader.Claims(ctx, namespace)
	if err != nil {
		return err
	}
	if o.id != nil {
		list.Items = slices.DeleteFunc(list.Items, func(c api.Claim) bool { return c.Name != o.id.Name })
		if len(list.Items) == 0 {
			return o.absent(list.AsOf)
		}
	}
	names := []string{}
	for _, c := range list.Items {
		names = append(names, projector.ClaimID(c.Namespace, c.Name).String())
	}
	return o.print(list, func() error { return o.claimTable(list, namespace) }, names)
}

// claimTable prints claims for people.
func (o *getOptions) claimTable(raw api.ClaimList, namespace string) error {
	list, err := cleaned(raw)
	if err != nil {
		return err
	}
	if len(list.Items) == 0 {
		where := "the log shows no claims"
		if namespace != "" {
			where += " in namespace " + namespace
		}
		return o.empty(where)
	}
	columns := []column{
		{name: "Name"}, {name: "Status"}, {name: "State"}, {name: "Volume"}, {name: "Capacity"}, {name: "Access Modes"},
		{name: "StorageClass"}, {name: "Age"}, {name: "VolumeMode", wide: true}, {name: "Rule", wide: true},
		{name: "Seq", wide: true}, {name: "Decision", wide: true},
	}
	if o.allNamespaces {
		columns = append([]column{{name: "Namespace"}}, columns...)
	}
	var rows [][]any
	for _, c := range list.Items {
		row := []any{
			c.Name, c.Phase, c.State, c.Volume, c.Capacity, shortModes(c.AccessModes),
			c.Class, o.age(c.Created), c.VolumeMode, c.Rule, c.Seq, number(c.Decision),
		}
		if o.allNamespaces {
			row = append([]any{c.Namespace}, row...)
		}
		rows = append(rows, row)
	}
	return o.table(columns, rows)
}

// volumes prints volumes.
func (o *getOptions) volumes(ctx context.Context, reader api.Reader) error {
	list, err := reader.Volumes(ctx)
	if err != nil {
		return err
	}
	if o.id != nil {
		list.Items = slices.DeleteFunc(list.Items, func(v api.Volume) bool { return v.Name != o.id.Name })
		if len(list.Items) == 0 {
			return o.absent(list.AsOf)
		}
	}
	names := []string{}
	for _, v := range list.Items {
		names = append(names, projector.VolumeID(v.Name).String())
	}
	return o.print(list, func() error { return o.volumeTable(list) }, names)
}

// volumeTable prints volumes for people.
func (o *getOptions) volumeTable(raw api.VolumeList) error {
	list, err := cleaned(raw)
	if err != nil {
		return err
	}
	if len(list.Items) == 0 {
		return o.empty("the log shows no volumes")
	}
	columns := []column{
		{name: "Name"}, {name: "Capacity"}, {name: "Access Modes"}, {name: "Reclaim Policy"}, {name: "Status"},
		{name: "Claim"}, {name: "StorageClass"}, {name: "Age"}, {name: "VolumeMode", wide: true},
		{name: "Seq", wide: true}, {name: "Decision", wide: true},
	}
	var rows [][]any
	for _, v := range list.Items {
		rows = append(rows, []any{
			v.Name, v.Capacity, shortModes(v.AccessModes), v.ReclaimPolicy, v.Phase,
			v.Claim, v.Class, o.age(v.Created), v.VolumeMode, v.Seq, number(v.Decision),
		})
	}
	return o.table(columns, rows)
}

// absent is the error that the named object is not in the log.
func (o *getOptions) absent(asOf uint64) error {
	return &api.Fault{Code: api.CodeNotFound, Err: fmt.Errorf("the log shows no %s (as of seq %d)", o.id, asOf)}
}

// empty says that there is nothing to list, which is no failure.
func (g *globals) empty(what string) error {
	if g.quiet {
		return nil
	}
	_, err := fmt.Fprintln(g.ErrOut, what)
	return err
}

// age is how long ago an object was made, in kubectl's short form.
func (g *globals) age(created *time.Time) string {
	if created == nil {
		return "<unknown>"
	}
	return duration.HumanDuration(g.now().Sub(*created))
}

// number is a seq, or nothing when there is none.
func number(n uint64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

// shortModes are access modes as kubectl shortens them.
func shortModes(modes []string) string {
	short := map[string]string{
		"ReadWriteOnce": "RWO", "ReadOnlyMany": "ROX", "ReadWriteMany": "RWX", "ReadWriteOncePod": "RWOP",
	}
	var out []string
	for _, mode := range modes {
		if s, ok := short[mode]; ok {
			mode = s
		}
		if !slices.Contains(out, mode) {
			out = append(out, mode)
		}
	}
	return strings.Join(out, ",")
}
