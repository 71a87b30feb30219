package mdoc

import "bytes"

// A lineKind is the form of a line that is not indented, as far as it has only one.
type lineKind uint8

const (
	otherForm   lineKind = iota // any other
	textForm                    // text, behind which no line of a paragraph is anything else
	headingForm                 // # and a blank
	itemForm                    // a marker and a blank
	quoteForm                   // of a quote
	fenceForm                   // opens a fence
)

// lineForm returns the form of a line that does not begin with a blank, and how many of its first bytes make it so.
func lineForm(line []byte) (what lineKind, width int) {
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
		case next > ' ' && c == '+', next >= '0' && c == '-' && next != ':' && next != '|', next > ' ' && c == '*' && !rule(line):
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
func numberForm(line []byte) (what lineKind, width int) {
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

// rule reports whether a line is of nothing but -, *, _ and blanks, as the lines are that part or underline.
func rule(line []byte) bool {
	for _, c := range line {
		if c != '-' && c != '*' && c != '_' && c > ' ' {
			return false
		}
	}
	return true
}

// labels reports whether a text that begins with [ may begin with the definition of a link.
func labels(text []byte) bool {
	k := bytes.IndexByte(text, ']')
	return k < 0 || k+1 < len(text) && text[k+1] == ':' || bytes.IndexByte(text[:k], '\\') >= 0
}

// saysText reports whether what an item says in its first line is plain text.
func saysText(line []byte) bool {
	what, _ := lineForm(line)
	return what == textForm && line[0] != '['
}

// within reports whether a line that stands in a list item, without what is before it there, leaves the item what it is. One that is or
// holds an empty item might not, nor one that might define a link, as an item of nothing else is empty.
func within(line []byte) bool {
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
