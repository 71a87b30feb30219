package render

import (
	"arbor/statemachine"
	"slices"
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
type sign struct {
	status              statemachine.Status
	drawn, ascii, color string
}

// signs are in the order of a legend: running, waiting, and ended nodes. A status without a row has a plain sign.
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

// signOf returns the sign of a status; a red question mark for an unknown status.
func signOf(status statemachine.Status) sign {
	for _, s := range signs {
		if s.status == status {
			return s
		}
	}
	if slices.Contains(statemachine.AllStatuses(), status) {
		return sign{status, "•", "[.]", ""}
	}
	return sign{status, "?", "???", red}
}

// SignOf returns the sign of a status in drawings, one column wide or three in ASCII.
func SignOf(status statemachine.Status, ascii bool) string {
	s := signOf(status)
	if ascii {
		return s.ascii
	}
	return s.drawn
}

// ColorOf returns the SGR parameter that a status is painted with; "" for none.
func ColorOf(status statemachine.Status) string { return signOf(status).color }

// Paint returns s between the SGR parameter, such as "1" for bold, and a reset if the style has colours, or else just
// s.
func (st Style) Paint(sgr, s string) string {
	if !st.Color || sgr == "" || s == "" {
		return s
	}
	return "\x1b[" + sgr + "m" + s + "\x1b[0m"
}

// PaintStatus returns s in the colour of a status if the style has colours.
func (st Style) PaintStatus(status statemachine.Status, s string) string {
	return st.Paint(signOf(status).color, s)
}

// pieces are the parts of connectors and other marks.
type pieces struct {
	branch, end, stem, blank     string
	columns                      int // of each of these
	more, full, empty, separator string
}

func (st Style) pieces() pieces {
	if st.ASCII {
		return pieces{"|-- ", "`-- ", "|   ", "    ", 4, "...", "#", ".", ", "}
	}
	return pieces{"├─ ", "└─ ", "│  ", "   ", 3, "…", "█", "░", " · "}
}
