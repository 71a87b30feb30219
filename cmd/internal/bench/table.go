package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// printTable writes a table in Markdown whose columns stand below each other.
func printTable(w io.Writer, head []string, lines [][]string) error {
	widths := make([]int, len(head))
	for _, line := range append([][]string{head}, lines...) {
		for i, cell := range line {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	rule := make([]string, len(head))
	for i := range rule {
		rule[i] = strings.Repeat("-", widths[i])
	}
	for _, line := range append([][]string{head, rule}, lines...) {
		for i, cell := range line {
			b.WriteString("| " + cell + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+1))
		}
		b.WriteString("|\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

var heads = []string{"operation", "Arbor", "limit", "ratio", "target", "reached"}

// printRows writes the rows of one run.
func printRows(w io.Writer, rows []row) error {
	var lines [][]string
	for _, r := range rows {
		lines = append(lines, r.cells())
	}
	return printTable(w, heads, lines)
}

// linear is how much more than the number of nodes a figure may grow and still be taken for linear, as none is exact.
const linear = 1.1

// growth returns how many times as large, or as slow, something became.
func growth(from, to float64, u unit) float64 {
	switch {
	case from == to:
		return 1
	case u == perSecond:
		return from / to
	}
	return to / from
}

// printScale writes how the figures of one run became those of another of more nodes. What grows no more than its limit does is linear too: a system may
// need more for each file where there are more of them.
func printScale(w io.Writer, few, many int, a, b []row) error {
	var lines [][]string
	for i, r := range a {
		if i >= len(b) || r.Skipped != "" || b[i].Skipped != "" {
			continue
		}
		small, large := r.cells(), b[i].cells()
		grown, limit := growth(r.Arbor, b[i].Arbor, r.Unit), ""
		most := float64(many) / float64(few)
		if r.Limit > 0 && b[i].Limit > 0 {
			by := growth(r.Limit, b[i].Limit, r.Unit)
			limit, most = fmt.Sprintf("%.2f", by), max(most, by)
		}
		verdict := "no"
		if grown <= most*linear {
			verdict = "yes"
		}
		lines = append(lines, []string{r.Name, small[1], large[1], fmt.Sprintf("%.2f", grown), limit, small[3], large[3], verdict})
	}
	head := []string{"operation", fmt.Sprint(few), fmt.Sprint(many), "times", "limit", fmt.Sprintf("ratio at %d", few), fmt.Sprintf("at %d", many), "linear or better"}
	return printTable(w, head, lines)
}
