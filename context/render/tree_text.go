package render

import (
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// Visible returns s as one line that is safe to print: escape sequences, control characters, characters that change the
// direction of writing and invalid UTF-8 are left out; line ends and tabs become spaces.
func Visible(s string) string { return visible(s, false) }

// VisibleLines is Visible for text of several lines: it keeps line feeds and tabs.
func VisibleLines(s string) string { return visible(s, true) }

func visible(s string, lines bool) string {
	if clean(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch n := escapeLen(s[i:]); {
		case n > 0:
			size = n
		case r == '\n' || r == '\t':
			if !lines {
				r = ' '
			}
			b.WriteRune(r)
		case r == '\u2028' || r == '\u2029' || r == '\r' && !lines && !strings.HasPrefix(s[i+1:], "\n"):
			b.WriteByte(' ')
		case Unprintable(r), r == utf8.RuneError && size == 1:
		default:
			b.WriteString(s[i : i+size])
		}
		i += size
	}
	return b.String()
}

// clean reports whether s has nothing to leave out, as nearly all texts.
func clean(s string) bool {
	for _, r := range s {
		if Unprintable(r) || r == utf8.RuneError || r == '\u2028' || r == '\u2029' {
			return false
		}
	}
	return true
}

// Unprintable reports whether r does something to a terminal instead of showing: a control character, line feed and tab
// included, or one that changes the direction of writing.
func Unprintable(r rune) bool {
	switch {
	case r < 0x20, r >= 0x7f && r <= 0x9f:
		return true
	case r == 0x061c, r == 0x200e, r == 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
		return true
	}
	return false
}

// escapeLen returns the length of the escape sequence at the beginning of s, 0 where there is none. Of a sequence that
// lacks its string terminator only the introducer counts: it must not swallow the text after it.
func escapeLen(s string) int {
	kind, start := byte(0), 0
	switch {
	case len(s) >= 2 && s[0] == 0x1b:
		kind, start = s[1], 2
	case len(s) >= 2 && s[0] == 0xc2 && s[1] >= 0x80 && s[1] <= 0x9f: // the C1 form of ESC and a letter
		kind, start = s[1]-0x40, 2
	default:
		return 0
	}
	switch kind {
	case '[': // CSI: parameters, then one final byte
		for i := start; i < len(s); i++ {
			switch c := s[i]; {
			case c >= 0x40 && c <= 0x7e:
				return i + 1
			case c < 0x20 || c > 0x3f:
				return start
			}
		}
		return start
	case ']', 'P', 'X', '^', '_': // OSC, DCS, SOS, PM, APC: text up to ST or BEL
		for i := start; i < len(s); i++ {
			switch {
			case s[i] == 0x07:
				return i + 1
			case strings.HasPrefix(s[i:], "\x1b\\"), strings.HasPrefix(s[i:], "\u009c"):
				return i + 2
			case s[i] == '\n':
				return start
			}
		}
		return start
	}
	if s[0] == 0x1b && kind >= 0x20 && kind <= 0x2f { // ESC, intermediate bytes, a final byte
		for i := start; i < len(s); i++ {
			if s[i] >= 0x30 && s[i] <= 0x7e {
				return i + 1
			}
			if s[i] < 0x20 || s[i] > 0x2f {
				break
			}
		}
		return 1
	}
	if s[0] == 0x1b && (kind < 0x30 || kind > 0x7e) {
		return 1
	}
	return start
}

// Columns returns the number of columns that s takes on a terminal.
func Columns(s string) int {
	for _, c := range []byte(s) {
		if c < 0x20 || c >= 0x7f {
			return uniseg.StringWidth(s)
		}
	}
	return len(s)
}

// Truncate returns s, shortened to that many columns and ending in an ellipsis where it is wider. It never cuts a
// character that people see as one.
func Truncate(s string, columns int, ascii bool) string {
	if len(s) <= columns || Columns(s) <= columns {
		return s
	}
	dots := "…"
	if ascii {
		dots = "..."
	}
	room := columns - Columns(dots)
	if room < 0 {
		return dots[:min(len(dots), max(0, columns))]
	}
	end, width, state := 0, 0, -1
	for rest := s; rest != ""; {
		cluster, after, w, next := uniseg.FirstGraphemeClusterInString(rest, state)
		if width+w > room {
			break
		}
		end, width, rest, state = end+len(cluster), width+w, after, next
	}
	return strings.TrimRight(s[:end], " ") + dots
}

// EscapeMarkdown returns one line of text with what Markdown would read as markup escaped.
func EscapeMarkdown(s string) string {
	if !strings.ContainsAny(s, "\\`*_[]<>#|~&$") {
		return s
	}
	var b strings.Builder
	for _, c := range []byte(s) {
		if strings.IndexByte("\\`*_[]<>#|~&$", c) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	return b.String()
}
