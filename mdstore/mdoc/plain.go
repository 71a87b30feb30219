package mdoc

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// scanPlain reads front matter whose lines all have a form that every version of YAML reads alike: a word, a colon, and
// a text, a number or a quoted text, perhaps with a comment. Nearly all front matter is of this form, and the YAML
// parser takes thirty times as long for it. ok is false for any other front matter. Tests and the check of each edit
// make sure that the result equals the parser's.
func scanPlain(text []byte, s Span) (fields []Field, ok bool) {
	src := string(text[s.Start:s.End])
	fields = make([]Field, 0, min(bytes.Count(text[s.Start:s.End], []byte{'\n'}), maxFrontMatterNodes/2))
	line := lineNumber(text, s.Start)
	at := s.Start
	for raw := range strings.Lines(src) {
		f, kind := plainLine(strings.TrimSuffix(strings.TrimSuffix(raw, "\n"), "\r"))
		switch kind {
		case notPlain:
			return nil, false
		case plainField:
			f.Span.Start += at
			f.Span.End += at
			f.Line = line
			if 2*len(fields)+3 > maxFrontMatterNodes || hasKey(fields, f.Key) {
				return nil, false // the YAML parser's code reports it
			}
			fields = append(fields, f)
		}
		at += len(raw)
		line++
	}
	return fields, true
}

func hasKey(fields []Field, key string) bool {
	for i := range fields {
		if fields[i].Key == key {
			return true
		}
	}
	return false
}

type plainKind uint8

const (
	notPlain   plainKind = iota
	plainEmpty           // a blank line or a comment
	plainField
)

// plainLine reads one line without its line end. The span is relative to it.
func plainLine(line string) (f Field, kind plainKind) {
	if strings.Trim(line, " ") == "" {
		return f, plainEmpty
	}
	if line[0] == '#' {
		if !printable(line) {
			return f, notPlain
		}
		return f, plainEmpty
	}
	k := 0
	for k < len(line) && wordByte(line[k], k) {
		k++
	}
	if k == 0 || k > 128 || k == len(line) || line[k] != ':' {
		return f, notPlain
	}
	f.Key = line[:k]
	k++
	f.Span = Span{k, k}
	if k == len(line) {
		return f, plainField
	}
	if line[k] != ' ' {
		return f, notPlain
	}
	v := k
	for v < len(line) && line[v] == ' ' {
		v++
	}
	if v == len(line) {
		return f, plainField
	}
	rest := line[v:]
	switch rest[0] {
	case '#':
		if !printable(rest) {
			return f, notPlain
		}
		return f, plainField
	case '"', '\'':
		end := 1 + strings.IndexByte(rest[1:], rest[0])
		if end == 0 || !printable(rest) || !endsPlain(rest[end+1:]) ||
			rest[0] == '"' && strings.IndexByte(rest[:end], '\\') >= 0 {
			return f, notPlain
		}
		f.Kind, f.Value, f.Span = String, rest[1:end], Span{v, v + end + 1}
		return f, plainField
	}
	end := plainEnd(rest)
	if end < 0 || !printable(rest[end:]) {
		return f, notPlain
	}
	valueKind, ok := plainValue(rest[:end])
	if !ok {
		return f, notPlain
	}
	f.Kind, f.Span = valueKind, Span{v, v + end}
	if valueKind != Null {
		f.Value = rest[:end]
	}
	return f, plainField
}

// wordByte reports whether c may be byte i of a plain key.
func wordByte(c byte, i int) bool {
	switch {
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_':
		return true
	}
	return i > 0 && (c >= '0' && c <= '9' || c == '-')
}

// endsPlain reports whether only blanks, or a blank and a comment, follow a quoted value.
func endsPlain(rest string) bool {
	t := strings.TrimLeft(rest, " ")
	return t == "" || t[0] == '#' && len(t) < len(rest)
}

// plainEnd returns the length of the unquoted value at the start of rest, or -1 if a
// colon in it makes it something else.
func plainEnd(rest string) int {
	end := len(rest)
	if k := strings.Index(rest, " #"); k >= 0 {
		end = k
	}
	end = len(strings.TrimRight(rest[:end], " "))
	v := rest[:end]
	if v == "" || v[end-1] == ':' || strings.Contains(v, ": ") {
		return -1
	}
	return end
}

// plainValue returns the kind of an unquoted value; ok is false if some version of YAML reads another kind.
func plainValue(v string) (kind Kind, ok bool) {
	switch c := v[0]; {
	case c >= '0' && c <= '9':
		if len(v) > 18 || c == '0' && len(v) > 1 || strings.Trim(v, "0123456789") != "" {
			return 0, false
		}
		return Int, true
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_', c == '/', c >= utf8.RuneSelf:
		if !printable(v) {
			return 0, false
		}
	default:
		return 0, false
	}
	switch v {
	case "true", "false":
		return Bool, true
	case "null":
		return Null, true
	}
	return String, !strings.EqualFold(v, "true") && !strings.EqualFold(v, "false") && !strings.EqualFold(v, "null")
}

// printable reports whether each character of s stands for itself in YAML.
func printable(s string) bool {
	return utf8.ValidString(s) && strings.IndexFunc(s, unprintable) < 0
}

// unprintable reports whether YAML does not allow r within a line, or ends the line
// there: controls, tabs, line and paragraph separators, byte order marks.
func unprintable(r rune) bool {
	switch {
	case r < 0x20, r >= 0x7f && r < 0xa0:
		return true
	}
	return r == 0x2028 || r == 0x2029 || r == 0xfeff || r == 0xfffe || r == 0xffff
}
