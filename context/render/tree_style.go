package render

import (
	"strings"
	"unicode/utf8"
)

// The SGR parameters that trees are painted with.
const (
	bold   = "1"
	dim    = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
	blue   = "34"
	cyan   = "36"
)

// A sign stands for a status in a drawing.
type sign struct{ status, drawn, ascii, color string }

// signs are in the order in which counts are told: what runs, what waits, what is over.
var signs = [...]sign{
	{"implementing", "◐", "[>]", cyan},
	{"validating", "◕", "[?]", blue},
	{"monitoring", "◈", "[*]", blue},
	{"planning", "◇", "[~]", cyan},
	{"pending", "○", "[ ]", ""},
	{"completed", "✓", "[x]", green},
	{"failed", "✗", "[!]", red},
	{"cancelled", "⊘", "[-]", dim},
}

// isSign reports whether r is drawn for a status, and so one column wide.
func isSign(r rune) bool {
	for i := range signs {
		if at, _ := utf8.DecodeRuneInString(signs[i].drawn); at == r {
			return true
		}
	}
	return false
}

// SignOf returns the sign that stands for a status in drawings, one column wide or three in ASCII; a question mark
// stands for what is no status.
func SignOf(status string, ascii bool) string {
	for _, s := range signs {
		if s.status == status {
			if ascii {
				return s.ascii
			}
			return s.drawn
		}
	}
	if ascii {
		return "???"
	}
	return "?"
}

// colorOf returns the SGR parameter of a status; red for what is no status.
func colorOf(status string) string {
	for _, s := range signs {
		if s.status == status {
			return s.color
		}
	}
	return red
}

// Paint returns s between the SGR parameter, such as "1" for bold, and a reset where the style has colours, and s alone elsewhere.
func (st Style) Paint(sgr, s string) string { return st.paint(sgr, s) }

// PaintStatus returns s in the colour of a status where the style has colours.
func (st Style) PaintStatus(status, s string) string { return st.paint(colorOf(status), s) }

func (st Style) paint(sgr, s string) string {
	if !st.Color || sgr == "" || s == "" {
		return s
	}
	return "\x1b[" + sgr + "m" + s + "\x1b[0m"
}

// write writes what paint returns.
func (st Style) write(b *strings.Builder, sgr, s string) {
	if !st.Color || sgr == "" || s == "" {
		b.WriteString(s)
		return
	}
	b.WriteString("\x1b[")
	b.WriteString(sgr)
	b.WriteByte('m')
	b.WriteString(s)
	b.WriteString("\x1b[0m")
}

// pieces are what connectors are made of.
type pieces struct {
	branch, end, stem, blank     string
	columns                      int // that each of these takes
	more, full, empty, separator string
}

func (st Style) pieces() pieces {
	if st.ASCII {
		return pieces{"|-- ", "`-- ", "|   ", "    ", 4, "...", "#", ".", ", "}
	}
	return pieces{"├─ ", "└─ ", "│  ", "   ", 3, "…", "█", "░", " · "}
}
