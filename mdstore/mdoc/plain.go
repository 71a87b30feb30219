package mdoc

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// scanPlain reads front matter in which every line has one unmistakable form:
// a word, a colon, and a text, number or quoted text that every version of YAML
// reads alike, perhaps with a comment. Such is nearly all front matter, and the
// YAML parser takes thirty times as long for it. Anything else is not ok and is
// the parser's; a test holds the two equal.
func scanPlain(text []byte, s Span) (fields []Field, ok bool) {
	src := text[s.Start:s.End]
	if n := bytes.Count(src, []byte{'\n'}); n > 0 {
		fields = make([]Field, 0, min(n, MaxFrontMatterNodes/2))
	}
	if fields, ok = appendPlain(fields, string(src), s.Start, lineNumber(text, s.Start)); !ok {
		return nil, false
	}
	return fields, true
}

// appendPlain adds the fields of front matter that stands at the offset base of its file, from that line on. Their
// strings are parts of all.
func appendPlain(fields []Field, all string, base, line int) ([]Field, bool) {
	for at := 0; at < len(all); line++ {
		fields = append(fields, Field{})
		n := len(fields) - 1
		f := &fields[n]
		end := f.common(all, at)
		if end == 0 {
			end = len(all)
			if k := strings.IndexByte(all[at:], '\n'); k >= 0 {
				end = at + k + 1
			}
			is, what := plainLine(strings.TrimSuffix(strings.TrimSuffix(all[at:end], "\n"), "\r"))
			switch what {
			case notPlain:
				return fields[:n], false
			case plainSkip:
				fields, at = fields[:n], end
				continue
			}
			is.Span.Start += at
			is.Span.End += at
			*f = is
		}
		f.Span.Start += base
		f.Span.End += base
		f.Line = line
		if 2*n+3 > MaxFrontMatterNodes || holds(fields[:n], f.Key) {
			return fields[:n], false // the parser's to report
		}
		at = end
	}
	return fields, true
}

func holds(fields []Field, key string) bool {
	for i := range fields {
		if fields[i].Key == key {
			return true
		}
	}
	return false
}

type plainKind uint8

const (
	notPlain plainKind = iota
	plainSkip
	plainField
)

// plainLine reads one line without its line end. The span is relative to it.
func plainLine(line string) (f Field, what plainKind) {
	if strings.Trim(line, " ") == "" {
		return f, plainSkip
	}
	if line[0] == '#' {
		if !printable(line) {
			return f, notPlain
		}
		return f, plainSkip
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
	kind, ok := plainValue(rest[:end])
	if !ok {
		return f, notPlain
	}
	f.Kind, f.Span = kind, Span{v, v + end}
	if kind != Null {
		f.Value = rest[:end]
	}
	return f, plainField
}

// wordByte reports whether c may stand at place i of a plain key.
func wordByte(c byte, i int) bool {
	switch {
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_':
		return true
	}
	return i > 0 && (c >= '0' && c <= '9' || c == '-')
}

// endsPlain reports whether nothing follows a quoted value but blanks or a comment behind a blank.
func endsPlain(rest string) bool {
	t := strings.TrimLeft(rest, " ")
	return t == "" || t[0] == '#' && len(t) < len(rest)
}

// plainEnd returns the length of the plain value that rest begins with, or -1
// where a colon in it would make it something else.
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

// plainValue returns the kind of an unquoted value of an unmistakable form.
func plainValue(v string) (Kind, bool) {
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

// printable reports whether s holds only characters that stand for themselves in
// YAML on one line: no controls, tabs, line or paragraph separators, marks of byte
// order.
func printable(s string) bool {
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			if c < 0x20 || c == 0x7f {
				return false
			}
			i++
			continue
		}
		n := printableRune(s[i:])
		if n == 0 {
			return false
		}
		i += n
	}
	return true
}

// printableRune returns the length of the first character of s, which is none of ASCII, or 0 where it may not stand for itself.
func printableRune(s string) int {
	if s[0] >= 0xe3 && s[0] <= 0xec && len(s) > 2 && s[1]&0xc0 == 0x80 && s[2]&0xc0 == 0x80 {
		return 3 // from U+3000 to U+CFFF, as most of what is written in Chinese, Japanese and Korean
	}
	r, n := utf8.DecodeRuneInString(s)
	switch {
	case r == utf8.RuneError && n == 1, r < 0xa0, r == 0x2028, r == 0x2029, r == 0xfeff, r == 0xfffe, r == 0xffff:
		return 0
	}
	return n
}
