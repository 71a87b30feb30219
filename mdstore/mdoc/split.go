package mdoc

import "bytes"

var byteOrderMark = []byte("\xef\xbb\xbf")

// parts are the outer parts of a file.
type parts struct {
	front Span // the lines between the delimiters
	body  int  // offset behind the closing delimiter's line, or behind the byte order mark
	open  int  // offset of the opening delimiter; -1 if there is none
	found bool // the front matter has both delimiters
}

// split finds the front matter. The opening delimiter is the first line that is not blank:
// --- and blanks behind it. The closing one is --- or ... and blanks behind it. Both begin
// at the first column; an indented --- is a line of a block scalar.
func split(src []byte) parts {
	i := 0
	if bytes.HasPrefix(src, byteOrderMark) {
		i = len(byteOrderMark)
	}
	p := parts{body: i, open: -1}
	for i < len(src) {
		e := lineEnd(src, i)
		if !blank(src[i:e]) {
			break
		}
		i = e
	}
	first := lineEnd(src, i)
	if !delimiter(src[i:first], "---") {
		return p
	}
	p.open = i
	for at := first; at < len(src); {
		e := lineEnd(src, at)
		if line := src[at:e]; delimiter(line, "---") || delimiter(line, "...") {
			return parts{front: Span{first, at}, body: e, open: i, found: true}
		}
		at = e
	}
	return p
}

func delimiter(line []byte, mark string) bool {
	return len(line) >= 3 && string(line[:3]) == mark && blank(line[3:])
}
