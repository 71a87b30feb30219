package ui

import (
	"strings"

	"arbor/context/render"
)

// The SGR parameters that this package paints with, besides those of package render.
const (
	bold     = "1"
	dim      = "2"
	reversed = "7"
	red      = "31"
	green    = "32"
	yellow   = "33"
)

// A span is text without control characters, and the SGR parameter that it is painted with.
type span struct{ text, sgr string }

// line returns spans as a line of exactly so many columns: cut with a sign, or filled with blanks. over is a parameter
// for the whole line; "" for none.
func (m *Model) line(width int, over string, all ...span) string {
	var b strings.Builder
	left := max(width, 0)
	put := func(text, sgr string) {
		if over != "" && sgr != "" {
			sgr = over + ";" + sgr
		} else if over != "" {
			sgr = over
		}
		b.WriteString(m.style.Paint(sgr, text))
	}
	for _, s := range all {
		text := render.Visible(s.text)
		if render.Columns(text) > left {
			text = render.Truncate(text, left, m.style.ASCII)
		}
		if text != "" {
			put(text, s.sgr)
		}
		left -= render.Columns(text)
		if left <= 0 {
			break
		}
	}
	if left > 0 {
		put(strings.Repeat(" ", left), "")
	}
	return b.String()
}

// sign returns drawn, or ascii if only ASCII can be shown.
func (m *Model) sign(drawn, ascii string) string {
	if m.style.ASCII {
		return ascii
	}
	return drawn
}

// block makes a list of lines exactly so high.
func (m *Model) block(lines []string, width, height int) []string {
	for len(lines) < height {
		lines = append(lines, m.line(width, ""))
	}
	return lines[:height]
}

// window returns the first of n lines to show, so that line at is among height lines that began at top.
func window(top, at, height, n int) int {
	if at < top {
		top = at
	}
	if at >= top+height {
		top = at - height + 1
	}
	return max(0, min(top, n-height))
}
