package cli

import (
	"strings"

	"arbor/context/render"
	"arbor/mdstore/mdoc"
)

// listLines is the greatest number of lines that a listing takes without --all.
const listLines = 200

// A cell is one field of a table, painted as its status or with an SGR parameter.
type cell struct {
	text   string
	status string // paints as this status
	sgr    string
	wide   int // columns, once the table has measured them
}

// table draws rows in columns that are aligned whatever width their characters have. The last column is as wide as it
// is; on a terminal it is cut at the edge. The head is drawn on terminals only, so that scripts find nothing but
// rows.
func (sh *shell) table(head []string, rows [][]cell) string {
	if len(rows) == 0 {
		return ""
	}
	style := sh.style()
	all := make([][]cell, 0, len(rows)+1)
	if sh.term.out {
		h := make([]cell, len(head))
		for i, s := range head {
			h[i] = cell{text: s, sgr: "2"}
		}
		all = append(all, h)
	}
	all = append(all, rows...)
	widths := make([]int, len(head))
	for _, r := range all {
		for i := range r {
			r[i].text = render.Visible(r[i].text)
			r[i].wide = render.Columns(r[i].text)
			widths[i] = max(widths[i], r[i].wide)
		}
	}
	var b strings.Builder
	for _, r := range all {
		last := len(r) - 1
		for last > 0 && r[last].text == "" {
			last--
		}
		at := 0
		for i, c := range r[:last+1] {
			if room := style.Width - at; i == last && style.Width > 0 {
				c.text = render.Truncate(c.text, max(1, room), style.ASCII)
			}
			b.WriteString(c.paint(style))
			if i < last {
				b.WriteString(strings.Repeat(" ", widths[i]-c.wide+2))
			}
			at += widths[i] + 2
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func (c cell) paint(style render.Style) string {
	if c.status != "" {
		return style.PaintStatus(c.status, c.text)
	}
	return style.Paint(c.sgr, c.text)
}

// boundedTable prints the rows of a table that fit, with -q only their first column.
func (sh *shell) boundedTable(what string, head []string, rows [][]cell) error {
	if !sh.flags.quiet {
		return sh.bounded(lines(sh.table(head, rows)), "lines", "--all brings the rest")
	}
	var ids []string
	for _, r := range rows {
		ids = append(ids, render.Visible(r[0].text))
	}
	return sh.bounded(ids, what, "--all brings the rest")
}

// lines returns the lines of a drawing.
func lines(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(s, "\n"), "\n")
}

// bounded prints the lines of a listing that fit, and says what brings the others.
func (sh *shell) bounded(lines []string, what, rest string) error {
	shown := lines
	if room := listLines - 1; !sh.flags.all && len(lines) > listLines {
		shown = lines[:room]
	}
	if err := sh.print(strings.Join(shown, "\n")); err != nil {
		return err
	}
	if n := len(lines) - len(shown); n > 0 {
		sh.warn("%d of %d %s; %s", len(shown), len(lines), what, rest)
	}
	return nil
}

// damage tells what is wrong with the file that something was printed from.
func (sh *shell) damage(ds []mdoc.Diagnostic) {
	for _, d := range ds {
		sh.warn("!! %s", render.Visible(d.String()))
	}
}
