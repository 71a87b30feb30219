package mdoc

import "fmt"

// The limits of a document. A file beyond them is listed, and its front matter is read if that is within its own
// limits, but the file is closed to edits: the YAML and Markdown parsers need more than linear time for such input.
const (
	MaxBytes            = 1 << 20  // bytes in a file, unless its form says otherwise
	maxFrontMatterBytes = 64 << 10 // bytes between the front matter's delimiters
	maxFrontMatterNodes = 512      // YAML nodes: each key, value, list and mapping is one
	MaxContainers       = 64       // markers of quotes and lists at the start of a line
	maxDefinitions      = 2000     // lines of the form [x]: in one run of lines
	maxOpenBlanks       = 1 << 20  // blank lines, each counted once for every list that is open around it
)

// A limitError says which limit a text exceeds and at which offset.
type limitError struct {
	at   int
	text string
}

// checkBody returns an error for the first line of b that exceeds a limit for input of the Markdown parser, or nil.
func checkBody(b []byte) *limitError {
	definitions, depth, blanks := 0, 0, 0
	afterBlank := false
	for at := 0; at < len(b); {
		line := b[at:lineEnd(b, at)]
		markers, nested, rest := containers(line)
		switch {
		case markers > MaxContainers:
			return &limitError{at, fmt.Sprintf("the line begins with more than %d markers of quotes and lists", MaxContainers)}
		case markers == 0 && blank(rest):
			// For a blank line, the parser visits every list that is open around it.
			if blanks += depth; blanks > maxOpenBlanks {
				return &limitError{at, "too many blank lines stand in nested lists"}
			}
			definitions, afterBlank = 0, true
			at += len(line)
			continue
		case definition(rest):
			if definitions++; definitions > maxDefinitions {
				return &limitError{at, fmt.Sprintf("more than %d link definitions stand in one run of lines", maxDefinitions)}
			}
		case blank(rest):
			definitions = 0
		}
		switch indented := line[0] == ' ' || line[0] == '\t'; {
		case indented:
			depth = max(depth, nested)
		case markers > 0 || afterBlank: // a line of text directly below a list may belong to it
			depth = nested
		}
		afterBlank = false
		at += len(line)
	}
	return nil
}

// containers counts the markers of quotes and list items at the start of a line and returns what follows them. nested
// is the greatest depth that the line may have: besides its own markers, every two columns of indentation may stand for
// a list that an earlier line opened.
func containers(line []byte) (markers, nested int, rest []byte) {
	i, indent := 0, 0
	for {
		for i < len(line) && (line[i] == ' ' || line[i] == '\t') {
			if line[i] == '\t' {
				indent += 3
			}
			indent++
			i++
		}
		width := listMarkerLen(line[i:])
		if i < len(line) && line[i] == '>' {
			width = 1
		}
		if width == 0 {
			return markers, nested, line[i:]
		}
		markers++
		nested += 1 + indent/2
		indent = 0
		i += width
	}
}

// listMarkerLen returns the length of the list marker that line begins with, or
// 0. A marker is followed by a blank or the end of the line.
func listMarkerLen(line []byte) int {
	i := 0
	switch {
	case len(line) == 0:
		return 0
	case line[0] == '-' || line[0] == '+' || line[0] == '*':
		i = 1
	default:
		for i < len(line) && i < 9 && line[i] >= '0' && line[i] <= '9' {
			i++
		}
		if i == 0 || i == len(line) || line[i] != '.' && line[i] != ')' {
			return 0
		}
		i++
	}
	if i < len(line) && !blank(line[i:i+1]) {
		return 0
	}
	return i
}

// definition reports whether a line may begin a link reference definition.
func definition(line []byte) bool {
	if len(line) == 0 || line[0] != '[' {
		return false
	}
	for i := 1; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case ']':
			return i+1 < len(line) && line[i+1] == ':'
		}
	}
	return false
}
