package render

import (
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"arbor/mdstore/pattern"
)

// Visible returns s as one line that is safe to print: escape sequences, control characters, characters that change the
// direction of writing and invalid UTF-8 are left out; line ends and tabs become spaces.
func Visible(s string) string { return visible(s, false) }

// VisibleLines is Visible for text of several lines: it keeps line feeds and tabs.
func VisibleLines(s string) string { return visible(s, true) }

func visible(s string, lines bool) string {
	if clean(s, lines) {
		return s
	}
	s = escapes().ReplaceAllString(strings.ToValidUTF8(s, ""), "")
	if !lines {
		s = spaces.Replace(s)
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t':
			return r
		case r == '\u2028', r == '\u2029':
			return ' '
		case Unprintable(r):
			return -1
		}
		return r
	}, s)
}

// escapes are the escape sequences of terminals: those of CSI, with parameters and a final byte; those with a text up
// to BEL or ST; and ESC with its parameters. If a sequence has no end, only its introducer matches, so that it does not
// swallow the text after it.
var escapes = pattern.Of(`(?:\x1b\[|\x{9b})(?:[ -?]*[@-~])?` +
	`|(?:\x1b[\]PX^_]|[\x{90}\x{98}\x{9d}-\x{9f}])(?:[^\n]*?(?:\x07|\x1b\\|\x{9c}))?` +
	`|\x1b(?:[ -/]*[0-~])?`)

// spaces replaces line ends and tabs by spaces.
var spaces = strings.NewReplacer("\r\n", " ", "\r", " ", "\n", " ", "\t", " ")

// clean reports whether s has nothing to leave out, as nearly all texts; with lines, line feeds and tabs stay.
func clean(s string, lines bool) bool {
	for _, r := range s {
		if lines && (r == '\n' || r == '\t') {
			continue
		}
		if Unprintable(r) || r == utf8.RuneError || r == '\u2028' || r == '\u2029' {
			return false
		}
	}
	return true
}

// Unprintable reports whether r controls a terminal instead of being printed: a control character, line feed and tab
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

// Columns returns the number of columns that s takes on a terminal.
func Columns(s string) int {
	for _, c := range []byte(s) {
		if c < 0x20 || c >= 0x7f {
			return uniseg.StringWidth(s)
		}
	}
	return len(s)
}

// Truncate returns s; if it is wider than columns, it is shortened to that and ends in an ellipsis. It never cuts a
// user-perceived character.
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

// quote matches what a line begins with and each of its further lines begins with too: blanks and the marks of quotes.
var quote = pattern.Of(`^[ \t>]*`)

// Wrap breaks lines that are wider than columns at blanks. The rest of a line gets the same indentation, and two
// columns more in an item of a list. Longer words stay whole. Colours have no width.
func Wrap(s string, columns int) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		if Columns(unpainted(line)) > columns {
			line = wrapLine(line, columns)
		}
		b.WriteString(line)
	}
	return b.String()
}

func wrapLine(line string, columns int) string {
	lead := quote().FindString(line)
	out, rest := lead, line[len(lead):]
	if strings.HasPrefix(rest, "- ") {
		lead += "  "
	}
	left := Columns(lead)
	at, blanks := Columns(out), "" // blanks: before the next word
	for word := range strings.SplitSeq(rest, " ") {
		wide := Columns(unpainted(word))
		if at > left && at+len(blanks)+wide > columns && word != "" {
			out, at, blanks = out+"\n"+lead, left, ""
		}
		if word != "" {
			out, at, blanks = out+blanks+word, at+len(blanks)+wide, ""
		}
		blanks += " "
	}
	return out
}

// unpainted returns s without colours and without the end of its line.
func unpainted(s string) string {
	return strings.TrimRight(painted().ReplaceAllString(s, ""), "\n")
}

var painted = pattern.Of("\x1b\\[[0-9;]*m")
