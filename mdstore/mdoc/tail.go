package mdoc

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// labelled matches the first line of a link definition or footnote; the group is its label in brackets.
var labelled = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(\[\^?[^\[\]]+\]):[ \t]*\S`)
})

// KeepTail returns a text for a section with what belongs to the whole file at its end: link definitions and footnotes
// that other text or the new one uses, and at the end of the file also those that no text uses, comments, and blocks
// between two %%. kept is what was added; "" if there is nothing, or the text has it.
func (d *Doc) KeepTail(section, text string) (whole, kept string) {
	s, ok := d.Section(section)
	if !ok || d.opaque {
		return text, ""
	}
	at := s.Body.End
	for {
		c := core(d.text, Span{s.Body.Start, at})
		start := pieceAt(d.text, c)
		if start < 0 || start > s.Body.Start && !begins(d.text, start) || !d.belongs(Span{start, c.End}, s.Body, text) {
			break
		}
		at = start
		if piece := d.lf(Span{start, c.End}); !strings.Contains(text, strings.TrimSpace(piece)) {
			kept = strings.TrimSpace(piece) + pieceEnd(d.text, c.End) + kept
		}
	}
	kept = strings.TrimSpace(kept)
	if open, ok := openBlock(d.text[:at], d.parts.body); kept == "" || ok && open.kind != headingBlock {
		return text, "" // it stands in a fence or comment
	}
	return strings.TrimSpace(strings.TrimRight(text, " \t\r\n") + "\n\n" + kept), kept
}

// pieceEnd returns what parts a piece from the next one: a blank line, if there is one.
func pieceEnd(src []byte, end int) string {
	if next := lineEnd(src, end); next < len(src) && blank(src[next:lineEnd(src, next)]) {
		return "\n\n"
	}
	return "\n"
}

// begins reports whether a piece can begin at an offset: behind a blank line or another piece, or with a comment.
func begins(src []byte, at int) bool {
	line := src[lineStart(src, at-1):at]
	return blank(line) || labelled().Match(line) || bytes.HasPrefix(src[at:], []byte("<!--"))
}

// pieceAt returns where the definition, comment or block of %% begins that a text ends with, or -1.
func pieceAt(src []byte, c Span) int {
	all := src[c.Start:c.End]
	text := bytes.TrimRight(all, " \t\r\n")
	switch {
	case bytes.HasSuffix(text, []byte("-->")):
		at := bytes.LastIndex(text, []byte("<!--"))
		if at < 0 || lineStart(all, at) != at || bytes.Index(text[at:], []byte("-->")) != len(text)-at-len("-->") {
			return -1
		}
		return c.Start + at
	case bytes.HasSuffix(text, []byte("%%")):
		last := lineStart(text, len(text))
		if len(text)-last > len("%%") && bytes.HasPrefix(text[last:], []byte("%%")) {
			return c.Start + last
		}
		return lineUp(src, Span{c.Start, c.Start + last}, func(line []byte) (is, goOn bool) {
			return bytes.HasPrefix(line, []byte("%%")), true
		})
	}
	return lineUp(src, c, func(line []byte) (is, goOn bool) {
		return labelled().Match(line), blank(line) || line[0] == ' ' || line[0] == '\t'
	})
}

// lineUp returns the start of the last line of a text that look accepts, or -1; look says whether to go on above it.
func lineUp(src []byte, c Span, look func([]byte) (is, goOn bool)) int {
	for end := c.End; end > c.Start; {
		at := max(lineStart(src, end-1), c.Start)
		is, goOn := look(src[at:end])
		if is {
			return at
		}
		if !goOn {
			return -1
		}
		end = at
	}
	return -1
}

// belongs reports whether a piece at the end of section s is the file's: text outside of the section or the new text
// uses it, or it stands at the end of the file and is no definition that only the section's old text uses.
func (d *Doc) belongs(piece, s Span, text string) bool {
	atEnd := s.End == len(d.text)
	m := labelled().FindSubmatch(d.text[piece.Start:lineEnd(d.text, piece.Start)])
	if m == nil {
		return atEnd
	}
	label := strings.ToLower(string(m[1]))
	uses := func(text []byte) bool {
		for rest := strings.ToLower(string(text)); ; {
			_, behind, found := strings.Cut(rest, label)
			if !found {
				return false
			}
			if !strings.HasPrefix(behind, ":") {
				return true
			}
			rest = behind
		}
	}
	others := slices.Concat(d.text[d.parts.body:s.Start], []byte("\n"), d.text[s.End:], []byte("\n"), []byte(text))
	return uses(others) || atEnd && !uses(d.text[s.Start:piece.Start])
}
