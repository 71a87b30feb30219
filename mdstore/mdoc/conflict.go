package mdoc

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
)

// unfinished returns the offset where a file shows an unfinished merge, or -1, and what to do about it.
func unfinished(src []byte) (at int, what string) {
	if from, to := conflict(src); from >= 0 {
		return from, fmt.Sprintf("an unfinished merge: conflict markers from here to line %d; "+
			"choose the lines to keep and remove the markers", lineNumber(src, to))
	}
	if at := leftover(src, true); at >= 0 {
		return at, "an unfinished merge: a conflict marker is left here; choose the lines to keep and remove it"
	}
	if at := strayDivider(src); at >= 0 {
		return at, "an unfinished merge: the line ======= makes a heading of the section's text; " +
			"remove it, or begin the heading with #"
	}
	return -1, ""
}

// conflict returns the offsets of the markers that open and close the first hunk, or -1. Such a pair of markers counts
// anywhere, also in code, because git writes it anywhere.
func conflict(src []byte) (from, to int) {
	h, ok := hunkIn(src, 0)
	if !ok {
		return -1, -1
	}
	return h.open, h.shut
}

// A hunk holds the offsets of the marker lines of one conflict. base equals middle if the conflict shows no base text.
// middle equals shut if the line between the sides is missing.
type hunk struct{ open, base, middle, shut int }

// hunkIn returns the first hunk of src at or behind from. All markers of a hunk have the same length, seven or more.
func hunkIn(src []byte, from int) (h hunk, ok bool) {
	for open := lineWith(src, from, "<<<<<<<"); open >= 0; open = lineWith(src, lineEnd(src, open), "<<<<<<<") {
		line := src[open:lineEnd(src, open)]
		size := len(line) - len(bytes.TrimLeft(line, "<"))
		if size == len(line) || line[size] != ' ' {
			continue
		}
		shut := lineWith(src, open, strings.Repeat(">", size)+" ")
		if shut < 0 {
			continue
		}
		h = hunk{open, shut, shut, shut}
		for at := lineEnd(src, open); at < shut; at = lineEnd(src, at) {
			line := src[at:cutEOL(src, lineEnd(src, at))]
			switch {
			case string(line) == strings.Repeat("=", size):
				h.middle = at
				h.base = min(h.base, at)
				return h, true
			case h.base == shut && bytes.HasPrefix(append(line[:len(line):len(line)], ' '), []byte(strings.Repeat("|", size)+" ")):
				h.base = at
			}
		}
		return h, true
	}
	return hunk{}, false
}

// A Side says which text of a conflict to take.
type Side int

// The sides. Base is empty if the conflict shows no base text. Undecided keeps all texts, with the markers.
const (
	Ours Side = iota
	Theirs
	Base
	Undecided
)

// Of returns src with each conflict replaced by the text of side s. Without conflicts it returns src itself.
func (s Side) Of(src []byte) []byte { return Pick(src, func(int) Side { return s }) }

// Pick is like Of, but asks side which text to take of conflict i, counted from 0.
func Pick(src []byte, side func(i int) Side) []byte {
	var out []byte
	at, n := 0, 0
	for h, ok := hunkIn(src, 0); ok; h, ok = hunkIn(src, at) {
		from, to := h.open, min(h.base, h.middle)
		switch s := side(n); s {
		case Theirs:
			from, to = h.middle, h.shut
		case Base:
			from, to = h.base, h.middle
		case Undecided:
			out = append(out, src[at:lineEnd(src, h.shut)]...)
			at, n = lineEnd(src, h.shut), n+1
			continue
		}
		n++
		out = append(out, src[at:h.open]...)
		if from < to {
			out = append(out, src[lineEnd(src, from):to]...)
		}
		at = lineEnd(src, h.shut)
	}
	if at == 0 {
		return src
	}
	return append(out, src[at:]...)
}

// lineWith returns the offset of the first line that begins with mark, at or behind from, or -1.
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

// leftover returns the offset of the first single conflict marker, which a half-resolved conflict leaves behind, or -1.
// A marker in code is text. So is a line of a table, or of a quote with seven levels. file is false for a text without
// front matter.
func leftover(src []byte, file bool) int {
	first := -1
	var code []Span // computed for the first marker
	for _, sign := range []string{"<<<<<<<", ">>>>>>>", "|||||||"} {
		for at := lineWith(src, 0, sign); at >= 0; at = lineWith(src, lineEnd(src, at), sign) {
			if !marker(src, at) || sign != "<<<<<<<" && besideSameSign(src, at) {
				continue
			}
			if code == nil {
				code = codeOf(src, file)
			}
			if !slices.ContainsFunc(code, func(s Span) bool { return at >= s.Start && at < s.End }) {
				if first < 0 || at < first {
					first = at
				}
				break
			}
		}
	}
	return first
}

// marker reports whether the line at an offset is a conflict marker: seven times <, > or |, and behind them nothing,
// or a blank and a name.
func marker(src []byte, at int) bool {
	line := src[at:cutEOL(src, lineEnd(src, at))]
	return len(line) >= 7 && (line[0] == '<' || line[0] == '>' || line[0] == '|') &&
		bytes.Count(line[:7], line[:1]) == 7 && (len(line) == 7 || line[7] == ' ')
}

// besideSameSign reports whether the line above or below the one at an offset begins with the same sign.
func besideSameSign(src []byte, at int) bool {
	next := lineEnd(src, at)
	return next < len(src) && src[next] == src[at] || at > 0 && src[lineStart(src, at-1)] == src[at]
}

// codeOf returns the spans of the top-level code blocks. If the body is beyond the limits, it returns the whole body as
// one span. It always returns at least one span, which may be empty.
func codeOf(src []byte, file bool) []Span {
	body := 0
	if file {
		body = split(src).body
	}
	if checkBody(src[body:]) != nil {
		return []Span{{body, len(src)}}
	}
	code := make([]Span, 1)
	for _, k := range parseBlocks(src, body) {
		if k.kind == fenceBlock || k.kind == htmlBlock && k.html == ast.HTMLBlockType1 {
			code = append(code, k.span)
		}
	}
	return code
}

const divider = "=======" // between the sides of a conflict

// strayDivider returns the offset of a divider that a conflict left behind in a section's text, or -1. Such a divider
// makes a heading of the text above it, so that the section is empty, and more text follows in the next line. A heading
// as long as the divider counts as intended.
func strayDivider(src []byte) int {
	at := lineWith(src, 0, divider)
	for at >= 0 && !isDivider(src, at) {
		at = lineWith(src, lineEnd(src, at), divider)
	}
	if at < 0 {
		return -1
	}
	body := split(src).body
	if checkBody(src[body:]) != nil {
		return -1
	}
	blocks := parseBlocks(src, body)
	for i := 1; i+1 < len(blocks); i++ {
		above, k, below := &blocks[i-1], &blocks[i], &blocks[i+1]
		if above.kind != headingBlock || above.level != 2 || k.kind != headingBlock || k.level != 1 || k.marks >= 0 {
			continue
		}
		if below.kind == headingBlock || below.span.Start != k.lines.End || utf8.RuneCountInString(k.title) == len(divider) {
			continue
		}
		if at := lineStart(src, k.lines.End-1); isDivider(src, at) {
			return at
		}
	}
	return -1
}

func isDivider(src []byte, at int) bool {
	return string(src[at:cutEOL(src, lineEnd(src, at))]) == divider
}

// withRules returns a copy of src in which a thematic break of the same length replaces each conflict marker and each
// line between two sides. Otherwise the Markdown parser would join such a line with the lines around it, or make a
// heading of them.
func withRules(src []byte) []byte {
	out := bytes.Clone(src)
	for at := 0; at < len(src); at = lineEnd(src, at) {
		if marker(src, at) || isDivider(src, at) {
			line := out[at:cutEOL(src, lineEnd(src, at))]
			copy(line, bytes.Repeat([]byte{'*'}, len(line)))
		}
	}
	return out
}
