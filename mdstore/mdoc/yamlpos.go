package mdoc

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// positions turns the YAML parser's lines and columns into offsets, and finds
// where values end, which the parser does not say.
type positions struct {
	text  []byte
	span  Span
	lines []int // offsets of the lines as YAML counts them
}

// newPositions indexes the lines of the YAML text at s. In YAML a line ends at LF,
// CRLF, CR, NEL, LS and PS, even within quotes.
func newPositions(text []byte, s Span) *positions {
	first := s.Start
	if bytes.HasPrefix(text[s.Start:s.End], byteOrderMark) {
		first += len(byteOrderMark) // not counted as a column
	}
	p := &positions{text: text, span: s, lines: []int{first}}
	for i := s.Start; i < s.End; {
		n := breakLen(text[i:s.End])
		if n == 0 {
			i++
			continue
		}
		i += n
		p.lines = append(p.lines, i)
	}
	return p
}

func breakLen(b []byte) int {
	switch {
	case b[0] == '\r' && len(b) > 1 && b[1] == '\n':
		return 2
	case b[0] == '\r' || b[0] == '\n':
		return 1
	case b[0] == 0xc2 && len(b) > 1 && b[1] == 0x85: // U+0085
		return 2
	case b[0] == 0xe2 && len(b) > 2 && b[1] == 0x80 && (b[2] == 0xa8 || b[2] == 0xa9): // U+2028, U+2029
		return 3
	}
	return 0
}

// offset returns the offset of a 1-based YAML line and column; columns count characters.
func (p *positions) offset(line, col int) int {
	if line < 1 || line > len(p.lines) {
		return p.span.End
	}
	i := p.lines[line-1]
	for ; col > 1 && i < p.span.End; col-- {
		_, n := utf8.DecodeRune(p.text[i:p.span.End])
		i += n
	}
	return min(i, p.span.End)
}

// fileLine returns the 1-based line of the file in which a YAML line begins.
func (p *positions) fileLine(line int) int { return lineNumber(p.text, p.offset(line, 1)) }

// value returns the bytes of a value; ok is true if it is a scalar whose bytes are certain.
// keyCol is the number of columns before the key, next the offset of the next key.
func (p *positions) value(n *yaml.Node, keyCol, next int) (at Span, ok bool) {
	s := p.offset(n.Line, n.Column)
	b := p.text[:p.span.End]
	if n.Kind != yaml.ScalarNode {
		return Span{s, p.nestedEnd(s, next)}, false
	}
	if n.Anchor != "" || n.Style&yaml.TaggedStyle != 0 {
		return p.marked(n, s, next)
	}
	switch n.Style {
	case yaml.DoubleQuotedStyle, yaml.SingleQuotedStyle:
		return p.quoted(s)
	case yaml.LiteralStyle, yaml.FoldedStyle:
		return p.block(s, keyCol, next)
	}
	if n.Value == "" {
		// Absent: its place is behind the colon. A key that is written as ? key may have no colon.
		return Span{s, s}, bytes.HasSuffix(bytes.TrimRight(b[:s], " \t"), []byte{':'})
	}
	return p.plain(n.Value, s, next)
}

// marked returns the bytes of a value with its tag and anchor. ok is true if they are unquoted and in one line, and the
// tag is none of YAML's own.
func (p *positions) marked(n *yaml.Node, s, next int) (at Span, ok bool) {
	b := p.text[:p.span.End]
	e, last := s, s
	for e < len(b) && (b[e] == '!' || b[e] == '&') {
		for e < len(b) && !strings.ContainsRune(" \t\r\n", rune(b[e])) {
			e++
		}
		for last = e; e < len(b) && (b[e] == ' ' || b[e] == '\t'); {
			e++
		}
	}
	switch v, ok := p.plain(n.Value, e, next); {
	case last == s || bytes.HasPrefix(b[s:], []byte("!!")) || n.Style&^yaml.TaggedStyle != 0:
	case n.Value == "" && blank(b[last:lineEnd(b, last)]):
		return Span{s, last}, true
	case n.Value != "" && ok && v.End <= lineEnd(b, s):
		return Span{s, v.End}, true
	}
	return Span{s, p.nestedEnd(s, next)}, false
}

// quoted returns the bytes of a value in quotes.
func (p *positions) quoted(s int) (Span, bool) {
	b := p.text[:p.span.End]
	if s == len(b) || b[s] != '"' && b[s] != '\'' {
		return Span{s, s}, false
	}
	for e := s + 1; e < len(b); e++ {
		doubled := e+1 < len(b) && b[e] == '\'' && b[e+1] == '\''
		switch {
		case b[s] == '"' && b[e] == '\\', b[s] == '\'' && doubled:
			e++
		case b[e] == b[s]:
			return Span{s, e + 1}, true
		}
	}
	return Span{s, s}, false
}

// plain returns the bytes of an unquoted value, confirmed against its text.
func (p *positions) plain(value string, s, next int) (Span, bool) {
	b := p.text[:p.span.End]
	if bytes.HasPrefix(b[s:], []byte(value)) {
		e := s + len(value)
		rest := b[e:lineEnd(b, e)]
		t := bytes.TrimLeft(rest, " \t")
		if blank(t) || len(t) < len(rest) && t[0] == '#' {
			return Span{s, e}, true
		}
	}
	// Over several lines: to the last one before a comment or the next key.
	end := s
	for e := s; e < next; {
		le := min(lineEnd(b, e), next)
		line := b[e:le]
		t := bytes.TrimLeft(line, " \t")
		if len(t) > 0 && t[0] == '#' {
			break
		}
		k := bytes.Index(line, []byte(" #"))
		if k >= 0 {
			line = line[:k]
		}
		if !blank(line) {
			end = e + len(bytes.TrimRight(line, " \t\r\n"))
		}
		if k >= 0 {
			break
		}
		e = le
	}
	return Span{s, end}, slices.Equal(strings.Fields(string(b[s:end])), strings.Fields(value))
}

// block returns the bytes of a block scalar, from its indicator to the end of its last line that is not blank.
func (p *positions) block(s, keyCol, next int) (Span, bool) {
	b := p.text[:p.span.End]
	if s == len(b) || b[s] != '|' && b[s] != '>' {
		return Span{s, s}, false
	}
	indent := 0
	end := s + 1
	for end < len(b) && strings.IndexByte("+-123456789", b[end]) >= 0 {
		if b[end] >= '1' && b[end] <= '9' {
			indent = keyCol + int(b[end]-'0')
		}
		end++
	}
	for e := lineEnd(b, s); e < next; {
		le := min(lineEnd(b, e), next)
		line := b[e:cutEOL(b, le)]
		if !blank(line) {
			lead := len(line) - len(bytes.TrimLeft(line, " "))
			if indent == 0 {
				indent = max(lead, keyCol+1)
			}
			if lead < indent {
				break
			}
			end = e + len(line)
		}
		e = le
	}
	return Span{s, end}, true
}

// nestedEnd returns where a list or mapping that begins at s ends: before the
// blanks and comments in front of the next key.
func (p *positions) nestedEnd(s, next int) int {
	b := p.text
	end := s
	for e := s; e < next; {
		le := min(lineEnd(b, e), next)
		if t := bytes.TrimLeft(b[e:le], " \t"); !blank(t) && (t[0] != '#' || e == s) {
			end = e + len(bytes.TrimRight(b[e:le], " \t\r\n"))
		}
		e = le
	}
	return end
}
