package main

import (
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/cli-runtime/pkg/printers"
	"sigs.k8s.io/yaml"
)

// print writes an answer in the format that -o asks for: json and yaml are the
// answer itself, name is one line per name, all else is the text.
func (g *globals) print(answer any, text func() error, names []string) error {
	switch g.output {
	case "json":
		data, err := json.MarshalIndent(answer, "", "  ")
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(g.Out, "%s\n", asciiControl(data))
		return err
	case "yaml":
		data, err := json.Marshal(answer)
		if err != nil {
			return err
		}
		if data, err = yaml.JSONToYAML(asciiControl(data)); err != nil {
			return err
		}
		// What the emitter leaves bare is shown escaped: a reader of a name that
		// turns the direction of writing gets the escape, not the character.
		_, err = g.Out.Write(asciiControl(data))
		return err
	case "name":
		if names == nil {
			return usage("use -o json", "there is no name in this answer")
		}
		for _, name := range names {
			if _, err := fmt.Fprintln(g.Out, printable(name)); err != nil {
				return err
			}
		}
		return nil
	}
	return text()
}

// column is one column of a table; wide ones show with -o wide only.
type column struct {
	name string
	wide bool
}

// table writes a table the way kubectl does. Cells must be printable already.
func (g *globals) table(columns []column, rows [][]any) error {
	table := &metav1.Table{}
	for _, c := range columns {
		definition := metav1.TableColumnDefinition{Name: c.name, Type: "string"}
		if c.wide {
			definition.Priority = 1
		}
		table.ColumnDefinitions = append(table.ColumnDefinitions, definition)
	}
	for _, cells := range rows {
		table.Rows = append(table.Rows, metav1.TableRow{Cells: cells})
	}
	printer := printers.NewTablePrinter(printers.PrintOptions{Wide: g.output == "wide"})
	return printer.PrintObj(table, g.Out)
}
