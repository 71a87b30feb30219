package main

import "fmt"

// A unit is what a figure counts.
type unit string

// The units.
const (
	inSeconds unit = "s"
	inBytes   unit = "B"
	perSecond unit = "1/s"
	inPieces  unit = ""
)

// A form says how Arbor's figure and the limit's are compared.
type form string

// The forms.
const (
	times   form = "times"   // Arbor's divided by the limit's, at most the target
	atLeast form = "atLeast" // the same, at least the target
	above   form = "above"   // Arbor's less the limit's, at most the target
	alone   form = "alone"   // Arbor's by itself, at most the target
	told    form = "told"    // nothing: the figure is there to be seen
)

// A row is one line of the table.
type row struct {
	Name    string  `json:"operation"`
	Arbor   float64 `json:"arbor"`
	Unit    unit    `json:"unit"`
	Against string  `json:"against,omitempty"` // what the limit is
	Limit   float64 `json:"limit,omitempty"`
	Form    form    `json:"form"`
	Target  float64 `json:"target,omitempty"`
	Note    string  `json:"note,omitempty"`
	Skipped string  `json:"skipped,omitempty"` // why there are no figures
}

// value is what is compared with the target.
func (r row) value() float64 {
	switch r.Form {
	case times, atLeast, told:
		return r.Arbor / r.Limit
	case above:
		return r.Arbor - r.Limit
	}
	return r.Arbor
}

// reached reports whether the row keeps its target.
func (r row) reached() bool {
	if r.Form == atLeast {
		return r.value() >= r.Target
	}
	return r.value() <= r.Target
}

// cells returns the row as the table shows it.
func (r row) cells() []string {
	name := r.Name
	if r.Note != "" {
		name += " (" + r.Note + ")"
	}
	if r.Skipped != "" {
		return []string{name, "", "", "", "", "skipped: " + r.Skipped}
	}
	limit, ratio, target, verdict := "", "", "", ""
	if r.Limit != 0 {
		limit = show(r.Limit, r.Unit) + ", " + r.Against
	}
	switch r.Form {
	case times:
		ratio, target = fmt.Sprintf("%.2f", r.value()), fmt.Sprintf("≤ %.2g", r.Target)
	case atLeast:
		ratio, target = fmt.Sprintf("%.2f", r.value()), fmt.Sprintf("≥ %.2g", r.Target)
	case above:
		ratio, target = signed(r.value(), r.Unit), "≤ "+signed(r.Target, r.Unit)
	case alone:
		target = "≤ " + show(r.Target, r.Unit)
	case told:
		if r.Limit != 0 {
			ratio = fmt.Sprintf("%.2f", r.value())
		}
	}
	if r.Form != told {
		verdict = "no"
		if r.reached() {
			verdict = "yes"
		}
	}
	return []string{name, show(r.Arbor, r.Unit), limit, ratio, target, verdict}
}

// show returns a figure as people write it.
func show(v float64, u unit) string {
	switch {
	case u == inSeconds && v < 1e-3 && v > -1e-3:
		return fmt.Sprintf("%.3g µs", v*1e6)
	case u == inSeconds && v < 0.1:
		return fmt.Sprintf("%.3g ms", v*1e3)
	case u == inSeconds && v < 1:
		return fmt.Sprintf("%.0f ms", v*1e3)
	case u == inSeconds:
		return fmt.Sprintf("%.3g s", v)
	case u == inBytes && v < 1e5:
		return fmt.Sprintf("%.3g kB", v/1e3)
	case u == inBytes:
		return fmt.Sprintf("%.3g MB", v/1e6)
	case u == perSecond:
		return fmt.Sprintf("%.0f/s", v)
	}
	return fmt.Sprintf("%.4g", v)
}

// signed is show with the sign of what is added.
func signed(v float64, u unit) string {
	if v < 0 {
		return "−" + show(-v, u)
	}
	return "+" + show(v, u)
}
