package setup

import (
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// A splice replaces a range of bytes.
type splice struct {
	start, end int
	text       string
}

// with returns the text after splices that do not overlap.
func (t *text) with(all ...splice) (*text, error) {
	slices.SortStableFunc(all, func(a, b splice) int { return a.start - b.start })
	var b strings.Builder
	if t.bom {
		b.WriteString(byteOrderMark)
	}
	at := 0
	for _, s := range all {
		b.WriteString(t.src[at:s.start])
		b.WriteString(s.text)
		at = s.end
	}
	b.WriteString(t.src[at:])
	return parse(t.name, b.String())
}

// fill returns the text of a file that held nothing but white space with a value in it. It does not end in a line end, as the file did not.
func (t *text) fill(v value) (*text, error) {
	l := layout{spread: true, unit: "  ", nl: t.nl(len(t.src)), gap: " "}
	return t.with(splice{len(t.src), len(t.src), l.write(v)})
}

// add returns the text with a value put at the end of a container: as its member with that key, or as its element where key is "". It looks as what is
// there: a container that has its brackets in one line keeps them there, and a comma after the last one is followed by another one.
func (t *text) add(c *hujson.Value, key string, v value) (*text, error) {
	open, end, all := slots(c)
	own := t.closes(open, end) // the closing bracket has a line of its own, before which a line can be put
	l := layout{unit: t.unit(c), nl: t.nl(end), gap: " ", indent: t.indent(open)}
	if own {
		l.indent = t.indent(end)
	}
	l.indent += l.unit
	var out []splice
	comma, spread := "", own
	at := open + 1 // after the last thing in the container that is no white space
	if n := len(all); n > 0 {
		last := all[n-1]
		if t.leads(last.start) {
			l.indent, spread = t.indent(last.start), true
		}
		if last.comma < 0 {
			out = append(out, splice{last.end, last.end, ","})
		} else {
			comma = ","
		}
	}
	at += len(strings.TrimRight(t.src[at:end], white))
	l.spread = spread
	if !spread {
		l.gap = t.gap()
	}
	text := l.member(key, v) + comma
	switch {
	case own:
		at = t.lineStart(end)
		text = l.indent + text + l.nl
	case spread:
		text = l.nl + l.indent + text
	case len(all) > 0:
		text = l.gap + text
	case at > open+1: // a comment
		text = " " + text
	default:
		text = t.src[open+1:end] + text // as much white space before it as after it
	}
	return t.with(append(out, splice{at, at, text})...)
}

// cut returns the text without the i-th member or element of a container: the way back from add. Comments stay.
func (t *text) cut(c *hujson.Value, i int) (*text, error) {
	open, _, all := slots(c)
	s := all[i]
	if i > 0 {
		open = all[i-1].comma
	}
	end := s.end
	var out []splice
	switch {
	case s.comma >= 0:
		if blank(t.src[s.end:s.comma]) {
			end = s.comma + 1
		} else {
			out = append(out, splice{s.comma, s.comma + 1, ""})
		}
	case i > 0:
		out = append(out, splice{all[i-1].comma, all[i-1].comma + 1, ""})
	}
	rest := strings.TrimLeft(t.src[end:], " \t\r")
	after := len(t.src) - len(rest)
	switch {
	case t.leads(s.start) && strings.HasPrefix(rest, "\n"):
		return t.with(append(out, splice{t.lineStart(s.start), after + 1, ""})...) // its lines
	case i == len(all)-1:
		start := len(strings.TrimRight(t.src[:s.start], white))
		if inLineComment(t.src[open+1 : start]) {
			start = s.start
		}
		return t.with(append(out, splice{start, end, ""})...)
	case strings.HasPrefix(rest, "\n"):
		return t.with(append(out, splice{s.start, end, ""})...)
	}
	return t.with(append(out, splice{s.start, after, ""})...)
}

// swap returns the text with another value in the place of one.
func (t *text) swap(old *hujson.Value, v value) (*text, error) {
	spread := strings.Contains(t.src[old.StartOffset:old.EndOffset], "\n")
	l := layout{spread: spread, indent: t.indent(old.StartOffset), unit: t.unit(old), nl: t.nl(old.EndOffset), gap: " "}
	if !spread {
		l.gap = t.gap()
	}
	return t.with(splice{old.StartOffset, old.EndOffset, l.write(v)})
}

func blank(s string) bool { return strings.Trim(s, white) == "" }

// inLineComment reports whether white space and comments end within a comment that lasts to the end of its line.
func inLineComment(s string) bool {
	for {
		switch s = strings.TrimLeft(s, white); {
		case s == "":
			return false
		case strings.HasPrefix(s, "/*"):
			_, s, _ = strings.Cut(s[2:], "*/")
		default:
			var ended bool
			if _, s, ended = strings.Cut(s, "\n"); !ended {
				return true
			}
		}
	}
}
