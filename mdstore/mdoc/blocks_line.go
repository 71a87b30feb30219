package mdoc

import "bytes"

// A lineKind is the form of a line that is not indented. otherForm is any line whose
// meaning depends on more than the line.
type lineKind uint8

const (
	otherForm   lineKind = iota
	textForm             // text, also within a paragraph
	headingForm          // # and a blank
	itemForm             // a list marker and a blank
	quoteForm            // >
	fenceForm            // opens a fence
)

// lineForm returns the form of a line that does not begin with a blank, and the width of
// its marker.
func lineForm(line []byte) (form lineKind, width int) {
	switch c := line[0]; {
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= 0x80:
		return textForm, 0
	case c >= '0' && c <= '9':
		return numberForm(line)
	}
	next := byte('\n')
	if len(line) > 1 {
		next = line[1]
	}
	switch c := line[0]; c {
	case '#':
		for width < len(line) && line[width] == '#' {
			width++
		}
		switch {
		case width == len(line) || line[width] < ' ':
		case line[width] == ' ' && width <= 6:
			return headingForm, width
		default:
			return textForm, 0
		}
	case '-', '+', '*':
		switch {
		case next == ' ' && !rule(line):
			return itemForm, 1
		case c == '+' && next > ' ',
			c == '-' && next >= '0' && next != ':' && next != '|',
			c == '*' && next > ' ' && !rule(line):
			return textForm, 0
		}
	case '_':
		if !rule(line) {
			return textForm, 0
		}
	case '`', '~':
		for width < len(line) && line[width] == c {
			width++
		}
		switch {
		case width < 3:
			return textForm, 0
		case c == '~' || bytes.IndexByte(line[width:], '`') < 0:
			return fenceForm, width
		}
	case '>':
		return quoteForm, 1
	case '[':
		if !labels(line) {
			return textForm, 0
		}
	case '!', '"', '$', '%', '&', '\'', '(', ')', ',', '.', '/', ';', '?', '@', '\\', ']', '^', '{', '}':
		return textForm, 0
	}
	return otherForm, 0
}

// numberForm is lineForm for a line that begins with a digit.
func numberForm(line []byte) (form lineKind, width int) {
	for width < len(line) && line[width] >= '0' && line[width] <= '9' {
		width++
	}
	switch {
	case width == len(line) || line[width] != '.' && line[width] != ')':
		return textForm, 0
	case width+1 == len(line) || line[width+1] < ' ' || width > 9:
		return otherForm, 0
	case line[width+1] == ' ':
		return itemForm, width + 1
	}
	return textForm, 0
}

// rule reports whether a line consists of -, *, _ and blanks, as thematic breaks and
// underlines do.
func rule(line []byte) bool {
	for _, c := range line {
		if c != '-' && c != '*' && c != '_' && c > ' ' {
			return false
		}
	}
	return true
}

// labels reports whether a text that begins with [ may begin with a link definition.
func labels(text []byte) bool {
	k := bytes.IndexByte(text, ']')
	return k < 0 || k+1 < len(text) && text[k+1] == ':' || bytes.IndexByte(text[:k], '\\') >= 0
}

// keepsItem reports whether a line in a list item or quote, without what is before it
// there, leaves the list or quote as it is. An empty item may not, nor a link definition,
// because an item of only a definition is empty.
func keepsItem(line []byte) bool {
	for {
		width := listMarkerLen(line)
		if width == 0 {
			break
		}
		if line = bytes.TrimLeft(line[width:], " "); len(line) == 0 {
			return false
		}
	}
	switch {
	case line[0] <= ' ', line[0] == '>':
		return false
	case line[0] == '[':
		return !labels(line)
	}
	return true
}
