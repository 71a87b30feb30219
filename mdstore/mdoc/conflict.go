package mdoc

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
)

// unfinished returns where a file shows that a merge of it is unfinished, and what is to be done about it, or -1.
func unfinished(src []byte) (at int, what string) {
	if from, to := conflict(src); from >= 0 {
		return from, fmt.Sprintf("an unfinished merge: conflict markers from here to line %d; choose the lines to keep and remove the markers", lineNumber(src, to))
	}
	if at := leftover(src, true); at >= 0 {
		return at, "an unfinished merge: a conflict marker is left here; choose the lines to keep and remove it"
	}
	if at := parting(src); at >= 0 {
		return at, "an unfinished merge: the line ======= makes a heading of the section's text; remove it, or begin the heading with #"
	}
	return -1, ""
}

// conflict returns the offsets of the first conflict marker that opens a hunk and of
// the one that closes it, or -1. Both together count wherever they stand, in code too: git writes them so.
func conflict(src []byte) (from, to int) {
	from = lineWith(src, 0, "<<<<<<< ")
	if from < 0 {
		return -1, -1
	}
	to = lineWith(src, from, ">>>>>>> ")
	if to < 0 {
		return -1, -1
	}
	return from, to
}

// lineWith returns the offset of the first line at or behind from that begins with mark, or -1.
func lineWith(src []byte, from int, mark string) int {
	for i := from; ; {
		k := bytes.Index(src[i:], []byte(mark))
		if k < 0 {
			return -1
		}
		i += k
		if i == 0 || src[i-1] == '\n' || i == len(byteOrderMark) && bytes.HasPrefix(src, byteOrderMark) {
			return i
		}
		i++
	}
}

// leftover returns the offset of the first conflict marker of a file, or of a text for one, whose others are gone, or -1. One in code is text,
// as are lines of a quote of seven levels and rows of a table.
func leftover(src []byte, file bool) int {
	first := -1
	var code []Span
	for _, sign := range []string{"<<<<<<<", ">>>>>>>", "|||||||"} {
		for at := lineWith(src, 0, sign); at >= 0; at = lineWith(src, lineEnd(src, at), sign) {
			if !marker(src, at) || sign != "<<<<<<<" && besideSuch(src, at) {
				continue
			}
			if code == nil {
				code = codeOf(src, file)
			}
			if !inside(code, at) {
				if first < 0 || at < first {
					first = at
				}
				break
			}
		}
	}
	return first
}

// marker reports whether the line at an offset is of seven signs that git begins one with, and a name or nothing behind them.
func marker(src []byte, at int) bool {
	line := src[at:cutEOL(src, lineEnd(src, at))]
	return len(line) >= 7 && (line[0] == '<' || line[0] == '>' || line[0] == '|') &&
		bytes.Count(line[:7], line[:1]) == 7 && (len(line) == 7 || line[7] == ' ')
}

// besideSuch reports whether a line above or below the one at an offset begins with the same sign.
func besideSuch(src []byte, at int) bool {
	next := lineEnd(src, at)
	return next < len(src) && src[next] == src[at] || at > 0 && src[lineStart(src, at-1)] == src[at]
}

// codeOf returns where code stands at the top level, in their order; all of a body that is beyond the limits, and at least one span.
func codeOf(src []byte, file bool) []Span {
	body := 0
	if file {
		body = split(src).body
	}
	if checkBody(src[body:]) != nil {
		return []Span{{body, len(src)}}
	}
	code := make([]Span, 1) // nothing stands in the first
	for _, k := range readBlocks(src, body, nil) {
		if k.kind == fenceBlock || k.kind == htmlBlock && k.html == ast.HTMLBlockType1 {
			code = append(code, k.span)
		}
	}
	return code
}

func inside(spans []Span, at int) bool {
	for _, s := range spans {
		if at >= s.Start && at < s.End {
			return true
		}
	}
	return false
}

const sides = "=======" // parts the sides of a conflict

// parting returns the offset of a line that has parted the sides of a conflict in a section's text, or -1. It makes a heading of the side above, so that
// the section reads empty, while the side below follows at once. A heading whose underline is as long as it is has been meant.
func parting(src []byte) int {
	at := lineWith(src, 0, sides)
	for at >= 0 && !isSides(src, at) {
		at = lineWith(src, lineEnd(src, at), sides)
	}
	if at < 0 {
		return -1
	}
	body := split(src).body
	if checkBody(src[body:]) != nil {
		return -1
	}
	blocks := readBlocks(src, body, nil)
	for i := 1; i+1 < len(blocks); i++ {
		above, k, below := &blocks[i-1], &blocks[i], &blocks[i+1]
		if above.kind != headingBlock || above.level != 2 || k.kind != headingBlock || k.level != 1 || k.marks >= 0 {
			continue
		}
		if below.kind == headingBlock || below.span.Start != k.lines.End || utf8.RuneCountInString(k.title) == len(sides) {
			continue
		}
		if at := lineStart(src, k.lines.End-1); isSides(src, at) {
			return at
		}
	}
	return -1
}

func isSides(src []byte, at int) bool { return string(src[at:cutEOL(src, lineEnd(src, at))]) == sides }

// withRules returns src, of which a merge is unfinished, with a rule in the place of each line that git has put there: one that stays where it is would join
// the lines around it, or make a heading of them. Offsets in it hold for src too.
func withRules(src []byte) []byte {
	out := bytes.Clone(src)
	rule := func(at int) {
		for i := range out[at:cutEOL(src, lineEnd(src, at))] {
			out[at+i] = '*'
		}
	}
	open, between := false, -1 // a hunk whose sides are not parted yet; a line that may part those of one without a beginning
	for at := 0; at < len(src); at = lineEnd(src, at) {
		switch {
		case isSides(src, at) && open:
			open = false
			rule(at)
		case isSides(src, at):
			between = at
		case !marker(src, at):
		case src[at] == '>':
			if between >= 0 {
				rule(between)
			}
			open, between = false, -1
			rule(at)
		default:
			open, between = true, -1
			rule(at)
		}
	}
	if at := parting(src); at >= 0 {
		rule(at)
	}
	return out
}
