package mdoc

import (
	"bytes"
	"strings"

	"gopkg.in/yaml.v3"
)

// Front matter that is not YAML is still read if each line is a comment or a key at the first column with a value
// behind it: people and other programs write title: Fix: the thing, or title: [done] the thing, without quotes.
//
// Each line is then read by itself. A line that is YAML means what YAML says, so a number is a number, [a] is a list
// and a comment is a comment, whether or not another line is wrong. The value of any other line is the text behind the
// colon.

// readLines fills the entries line by line, and reports whether it found entries and every line has that form. If not,
// the entries hold what could be read.
func (f *front) readLines() bool {
	whole := true
	for at := f.span.Start; at < f.span.End; {
		end := lineEnd(f.text, at)
		line := Span{at, cutEOL(f.text, end)}
		at = end
		t := bytes.TrimLeft(f.text[line.Start:line.End], " \t")
		if len(t) == 0 || t[0] == '#' {
			continue
		}
		if len(f.entries) == MaxFrontMatterNodes/2 {
			return false
		}
		e, ok := readLine(f.text, line)
		if ok {
			f.entries = append(f.entries, e)
		}
		whole = whole && ok
	}
	return whole && len(f.entries) > 0
}

// readLine reads one line of the form key: value.
func readLine(text []byte, line Span) (entry, bool) {
	b := text[line.Start:line.End]
	if b[0] == ' ' || b[0] == '\t' {
		return entry{}, false
	}
	if root, err := decodeYAML(b); err == nil && root != nil && root.Kind == yaml.MappingNode && len(root.Content) == 2 {
		e := entriesOf(text, line, root, newPositions(text, line))[0]
		return e, e.listed() && e.start == line.Start
	}
	// Not YAML: the key ends at the first colon that a blank follows, and does not begin with an indicator of YAML.
	k := bytes.Index(b, []byte(": "))
	if t := bytes.Index(b, []byte(":\t")); t >= 0 && (k < 0 || t < k) {
		k = t
	}
	if k < 0 || strings.IndexByte("-?:,[]{}#&*!|>'\"%@`<=", b[0]) >= 0 {
		return entry{}, false
	}
	e := entry{start: line.Start, located: true}
	e.Key, e.Line = string(bytes.TrimRight(b[:k], " \t")), lineNumber(text, line.Start)
	value := bytes.Trim(b[k+1:], " \t")
	if len(value) == 0 {
		e.Span = Span{line.Start + k + 1, line.Start + k + 1}
		return e, true
	}
	end := line.Start + len(bytes.TrimRight(b, " \t"))
	e.Kind, e.Value, e.Span = String, string(value), Span{end - len(value), end}
	return e, true
}
