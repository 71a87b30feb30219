package mdoc

import (
	"strings"
	"unicode/utf8"
)

// What a byte is to Field.common.
const (
	keyStart   = 1 << iota // begins a key
	keyByte                // stands in one
	valueStart             // begins a plain text
	valueByte              // stands in one and means nothing else
	digitByte
)

var byteClass = func() (class [256]uint8) {
	for i := range class {
		c := byte(i)
		if wordByte(c, 0) {
			class[i] |= keyStart | valueStart
		}
		if wordByte(c, 1) {
			class[i] |= keyByte
		}
		if c == '/' || c >= utf8.RuneSelf {
			class[i] |= valueStart
		}
		if c >= 0x20 && c < 0x7f && c != '#' && c != ':' {
			class[i] |= valueByte
		}
		if c >= '0' && c <= '9' {
			class[i] |= digitByte
		}
	}
	return class
}()

// common reads the line at an offset where it is of the form that nearly all lines have: a key, a colon, one blank and a
// number, a word or several, and nothing behind them. next is the offset behind the line, 0 for any other line,
// which is plainLine's. What it reads, plainLine reads alike.
func (f *Field) common(all string, at int) (next int) {
	k := at
	if byteClass[all[k]]&keyStart == 0 {
		return 0
	}
	for k < len(all) && byteClass[all[k]]&keyByte != 0 {
		k++
	}
	v := k + 2
	if k-at > 128 || v >= len(all) || all[k] != ':' || all[k+1] != ' ' {
		return 0
	}
	end := v
	switch class := byteClass[all[v]]; {
	case class&digitByte != 0:
		for end < len(all) && byteClass[all[end]]&digitByte != 0 {
			end++
		}
		if end-v > 18 || all[v] == '0' && end-v > 1 {
			return 0
		}
		f.Kind = Int
	case class&valueStart != 0:
		if end = commonText(all, v); end < 0 {
			return 0
		}
		f.Kind = String
	default:
		return 0
	}
	switch {
	case end == len(all):
		next = end
	case all[end] == '\n':
		next = end + 1
	case all[end] == '\r' && end+1 < len(all) && all[end+1] == '\n':
		next = end + 2
	default:
		return 0
	}
	f.Key, f.Value, f.Span = all[at:k], all[v:end], Span{v, end}
	if n := end - v; f.Kind == String && (n == 4 || n == 5) {
		switch {
		case f.Value == "null":
			f.Kind, f.Value = Null, ""
		case f.Value == "true" || f.Value == "false":
			f.Kind = Bool
		case strings.EqualFold(f.Value, "null") || strings.EqualFold(f.Value, "true") || strings.EqualFold(f.Value, "false"):
			return 0
		}
	}
	return next
}

// commonText returns the end of the text at v, or -1 where it is none without doubt.
func commonText(all string, v int) int {
	end := v
	for end < len(all) {
		c := all[end]
		switch {
		case byteClass[c]&valueByte != 0:
			end++
			continue
		case c == ':':
			if end+1 == len(all) || byteClass[all[end+1]]&valueByte == 0 || all[end+1] == ' ' {
				return -1
			}
			end++
			continue
		case c == '#':
			if all[end-1] == ' ' {
				return -1
			}
			end++
			continue
		case c >= utf8.RuneSelf:
			n := printableRune(all[end:])
			if n == 0 {
				return -1
			}
			end += n
			continue
		case c != '\n' && c != '\r':
			return -1
		}
		break
	}
	if all[end-1] == ' ' {
		return -1
	}
	return end
}
