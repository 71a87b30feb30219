package importtanmi

import (
	"fmt"
	"strings"
	"unicode"
)

// maxAlike is how many warnings of one kind are spelled out for a workspace; the rest is counted.
const maxAlike = 20

// maxWarning is the greatest length of a warning in bytes.
const maxWarning = 1000

// A report collects what was not taken over exactly.
type report struct {
	lines []string
	kinds []*kind // of the workspace that is being read
}

// A kind is the warnings of one format.
type kind struct {
	format string
	first  string
	n      int
}

func (r *report) begin() { r.kinds = nil }

// warn adds a line about the file or folder at path.
func (r *report) warn(path, format string, args ...any) {
	var k *kind
	for _, old := range r.kinds {
		if old.format == format {
			k = old
		}
	}
	if k == nil {
		k = &kind{format: format}
		r.kinds = append(r.kinds, k)
	}
	k.n++
	if k.n > maxAlike {
		return
	}
	line := oneLine(path+": "+fmt.Sprintf(format, args...), maxWarning)
	if k.n == 1 {
		k.first = line
	}
	r.lines = append(r.lines, line)
}

// end counts the warnings of the workspace that were not spelled out.
func (r *report) end() {
	for _, k := range r.kinds {
		if k.n > maxAlike {
			r.lines = append(r.lines, fmt.Sprintf("%d more like this one: %s", k.n-maxAlike, k.first))
		}
	}
	r.kinds = nil
}

// oneLine returns s without control characters, cut to limit bytes.
func oneLine(s string, limit int) string {
	s = strings.Map(func(c rune) rune {
		if unicode.IsControl(c) || c == '\u2028' || c == '\u2029' {
			return ' '
		}
		return c
	}, strings.ToValidUTF8(s, "\uFFFD"))
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + "…"
}

// names lists the first few of many names.
func names[T ~string](all []T) string {
	const few = 8
	var b strings.Builder
	for i, s := range all {
		if i == few {
			fmt.Fprintf(&b, " and %d more", len(all)-few)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(oneLine(string(s), 80))
	}
	return b.String()
}

// quote quotes a text of any length for a warning.
func quote(s string) string { return fmt.Sprintf("%q", oneLine(s, 80)) }
