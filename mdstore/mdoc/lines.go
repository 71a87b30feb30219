package mdoc

import "bytes"

// Only a line feed ends a line here, as for the Markdown parser. A file with lone carriage returns is closed to edits.

// lineEnd returns the offset behind the line feed that ends the line at i.
func lineEnd(b []byte, i int) int {
	if k := bytes.IndexByte(b[i:], '\n'); k >= 0 {
		return i + k + 1
	}
	return len(b)
}

// lineStart returns the offset of the first byte of the line that holds i.
func lineStart(b []byte, i int) int { return bytes.LastIndexByte(b[:i], '\n') + 1 }

// lineNumber returns the 1-based number of the line that holds i.
func lineNumber(b []byte, i int) int { return 1 + bytes.Count(b[:i], []byte{'\n'}) }

// position returns the 1-based line and column of an offset, the column in bytes.
func position(b []byte, i int) (line, col int) {
	i = min(max(i, 0), len(b))
	return lineNumber(b, i), i - lineStart(b, i) + 1
}

// cutEOL returns end without the line end before it.
func cutEOL(b []byte, end int) int {
	if end > 0 && b[end-1] == '\n' {
		end--
		if end > 0 && b[end-1] == '\r' {
			end--
		}
	}
	return end
}

// eolAt returns the line end for a line inserted at i: that of the line before, or of the
// first line if there is none before.
func eolAt(b []byte, i int) string {
	k := bytes.LastIndexByte(b[:i], '\n')
	if k < 0 {
		k = bytes.IndexByte(b, '\n')
	}
	if k > 0 && b[k-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// eolOf returns the line end of the line that holds i, or eolAt if it has none.
func eolOf(b []byte, i int) string {
	e := lineEnd(b, i)
	if e == 0 || b[e-1] != '\n' {
		return eolAt(b, i)
	}
	return string(b[cutEOL(b, e):e])
}

// blank reports whether a line holds only spaces and tabs. A no-break space is text, as for Markdown.
func blank(line []byte) bool {
	for _, c := range line {
		if c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return false
		}
	}
	return true
}

// core returns the part of s from its first line that is not blank to its last one, without
// the final line end; an empty span at s.Start if all lines are blank.
func core(b []byte, s Span) Span {
	start := s.Start
	for start < s.End {
		e := min(lineEnd(b, start), s.End)
		if !blank(b[start:e]) {
			break
		}
		start = e
	}
	end := s.End
	for end > start {
		ls := max(lineStart(b[:end], end-1), start)
		if !blank(b[ls:end]) {
			return Span{start, cutEOL(b, end)}
		}
		end = ls
	}
	return Span{s.Start, s.Start}
}
