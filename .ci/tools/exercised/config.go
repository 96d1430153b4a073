package main

import (
	"bufio"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"
)

// kinds are what is counted, in the order of the closing line and the floors.
var kinds = []string{"rule", "fault", "protection"}

// config says which passed tests count as what, and the floors.
type config struct {
	patterns []pattern
	floors   map[string][3]int // by suite, in the order of kinds
	skips    int               // tests that may be skipped
}

// pattern is one line "KIND PACKAGE TEST": the package is exact, the test is
// matched element by element with path.Match. Where the last element is a
// wildcard, what it matched is the thing's name, so that the same rule met by
// two tests counts once; otherwise the whole test name is.
type pattern struct {
	kind, pkg string
	elements  []string
}

// match reports whether the test is one that the pattern names.
func (p pattern) match(pkg, test string) bool {
	parts := strings.Split(test, "/")
	if pkg != p.pkg || len(parts) != len(p.elements) {
		return false
	}
	for i, element := range p.elements {
		if ok, err := path.Match(element, parts[i]); err != nil || !ok {
			return false
		}
	}
	return true
}

// name is what the test is counted as.
func (p pattern) name(pkg, test string) string {
	if p.elements[len(p.elements)-1] == "*" {
		return path.Base(test)
	}
	return pkg + " " + test
}

// parseConfig reads the config: patterns, "floor SUITE N N N", "skips N",
// comments and empty lines.
func parseConfig(r io.Reader) (config, error) {
	conf := config{floors: map[string][3]int{}}
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		text, _, _ := strings.Cut(lines.Text(), "#")
		fields := strings.Fields(text)
		if len(fields) == 0 {
			continue
		}
		if err := conf.line(fields); err != nil {
			return conf, fmt.Errorf("line %d: %w", n, err)
		}
	}
	return conf, lines.Err()
}

// line takes one line's fields.
func (c *config) line(fields []string) error {
	switch {
	case fields[0] == "skips" && len(fields) == 2:
		n, err := strconv.Atoi(fields[1])
		c.skips = n
		return err
	case fields[0] == "floor" && len(fields) == 5:
		var floor [3]int
		for i := range floor {
			n, err := strconv.Atoi(fields[2+i])
			if err != nil {
				return err
			}
			floor[i] = n
		}
		c.floors[fields[1]] = floor
		return nil
	case len(fields) == 3:
		for _, kind := range kinds {
			if kind == fields[0] {
				elements := strings.Split(fields[2], "/")
				c.patterns = append(c.patterns, pattern{kind, fields[1], elements})
				return nil
			}
		}
	}
	return fmt.Errorf("not understood: %s", strings.Join(fields, " "))
}
