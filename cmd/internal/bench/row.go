//go:build unix

package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// A row is one line of the table.
type row struct {
	name    string
	unit    string // of the figures: s, B, 1/s, or nothing for a number
	arbor   float64
	before  float64 // of the program of -before; 0 if there is none
	limit   float64 // what it is compared with; 0 for nothing
	against string  // what the limit is
	more    bool    // the target is what Arbor may have more than the limit; else how many times the limit
	target  float64 // 0 for none
	exact   bool    // the target is 0 and counts
	skipped string  // why there are no figures
}

// value is what is compared with the target.
func (r row) value() float64 {
	switch {
	case r.limit == 0:
		return r.arbor
	case r.more:
		return r.arbor - r.limit
	}
	return r.arbor / r.limit
}

func (r row) cells() []string {
	if r.skipped != "" {
		return []string{r.name, "", "", "", "", "", "skipped: " + r.skipped}
	}
	cells := []string{r.name, show(r.arbor, r.unit), "", "", "", "", ""}
	if r.before != 0 {
		cells[2] = show(r.before, r.unit)
	}
	written := func(v float64) string { return show(v, r.unit) }
	switch {
	case r.limit != 0 && r.more:
		written = func(v float64) string { return strings.Replace("+"+show(v, r.unit), "+-", "−", 1) }
	case r.limit != 0:
		written = func(v float64) string { return fmt.Sprintf("%.2f", v) }
	}
	if r.limit != 0 {
		cells[3], cells[4] = show(r.limit, r.unit)+", "+r.against, written(r.value())
	}
	if r.target != 0 || r.exact {
		cells[5], cells[6] = "≤ "+written(r.target), "no"
		if r.value() <= r.target {
			cells[6] = "yes"
		}
	}
	return cells
}

// show returns a figure as people write it.
func show(v float64, unit string) string {
	switch {
	case unit == "s" && v < 1e-3:
		return fmt.Sprintf("%.3g µs", v*1e6)
	case unit == "s" && v < 1:
		return fmt.Sprintf("%.3g ms", v*1e3)
	case unit == "s":
		return fmt.Sprintf("%.3g s", v)
	case unit == "B" && v < 1e6:
		return fmt.Sprintf("%.3g kB", v/1e3)
	case unit == "B":
		return fmt.Sprintf("%.3g MB", v/1e6)
	case unit == "1/s":
		return fmt.Sprintf("%.0f/s", v)
	}
	return fmt.Sprintf("%.3g", v)
}

// printRows writes the rows as a table in Markdown; with before it has a column for the other program.
func printRows(w io.Writer, rows []row, before bool) {
	lines := [][]string{strings.Split("operation|Arbor|before|limit|ratio|target|reached", "|"), strings.Split("-|-|-|-|-|-|-", "|")}
	for _, r := range rows {
		lines = append(lines, r.cells())
	}
	t := tabwriter.NewWriter(w, 0, 0, 1, ' ', 0)
	for _, line := range lines {
		if !before {
			line = slices.Delete(line, 2, 3)
		}
		fmt.Fprintf(t, "| %s\t|\n", strings.Join(line, "\t| "))
	}
	check(t.Flush())
}
