package mdoc

import (
	"bytes"
	"strings"

	"gopkg.in/yaml.v3"
)

// Front matter that is not YAML is still read if each line is a comment, a key at the first column with a value behind
// it, or belongs to such a key: people and other programs write title: Fix: the thing, or assignee: @ann, without
// quotes.
//
// Each key is then read by itself. Its lines mean what YAML says if they are YAML, whether or not other lines are
// wrong: a number is a number, [a] is a list and a comment is a comment. The value of any other line is the text behind
// the colon. A value of several lines must be YAML; it is read and kept, and only a person can change it.

// readLines fills the entries key by key, and reports whether it found entries and every line has that form. If not,
// the entries hold what could be read.
func (f *front) readLines() bool {
	whole := true
	for at := f.span.Start; at < f.span.End; {
		end := lineEnd(f.text, at)
		line := Span{at, cutEOL(f.text, end)}
		t := bytes.TrimLeft(f.text[line.Start:line.End], " \t")
		if len(t) == 0 || t[0] == '#' {
			at = end
			continue
		}
		if len(f.entries) == maxFrontMatterNodes/2 {
			return false
		}
		e, ok := readLine(f.text, line)
		sound := ok
		if at = f.belongEnd(end); at > end && ok {
			e, sound = f.readSeveral(e, Span{line.Start, at})
		}
		if ok {
			f.entries = append(f.entries, e)
		}
		whole = whole && sound
	}
	return whole && len(f.entries) > 0
}

// belongEnd returns where the lines end that belong to the key above offset at: indented ones and items of a list, with
// blank lines and comments between them.
func (f *front) belongEnd(at int) int {
	last := at
	for at < f.span.End {
		end := lineEnd(f.text, at)
		line := f.text[at:cutEOL(f.text, end)]
		t := bytes.TrimLeft(line, " \t")
		at = end
		switch {
		case len(t) == 0 || t[0] == '#':
		case len(t) < len(line), bytes.HasPrefix(t, []byte("- ")), string(t) == "-":
			last = end
		default:
			return last
		}
	}
	return last
}

// readSeveral reads a key with the lines that belong to it, which must be YAML; e is the key with its first line alone.
func (f *front) readSeveral(e entry, s Span) (entry, bool) {
	root, err := decodeYAML(f.text[s.Start:s.End])
	if err != nil || root == nil || root.Kind != yaml.MappingNode || len(root.Content) != 2 ||
		countNodes(root) > maxFrontMatterNodes {
		return e, false
	}
	e = entriesOf(f.text, s, root, newPositions(f.text, s))[0]
	e.located = false
	return e, true
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
