package mdoc

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
)

// labelled matches the first line of a link definition or footnote; the group is its label in brackets.
var labelled = regexp.MustCompile(`^(\[\^?[^\[\]]+\]):[ \t]*\S`)

// Whole returns the section's text with the tail behind it.
func (s *Section) Whole() Span { return Span{s.Body.Start, s.Tail.End} }

func (s *Section) endAt(at int) { s.Body.End, s.Tail = at, Span{at, at} }

// fileTail returns the tail of the last section, if it ends the document.
func (d *Doc) fileTail() []byte {
	all := d.Sections()
	if len(all) == 0 || all[len(all)-1].Tail.End < len(d.text) {
		return nil
	}
	c := core(d.text, all[len(all)-1].Tail)
	return d.text[c.Start:c.End]
}

// withoutTail returns a text without what stands at its end and is in the tail already: callers give what they read.
func withoutTail(text, tail string) string {
	for {
		c := core([]byte(text), Span{0, len(text)})
		at := pieceAt([]byte(text), c)
		if at < 0 || !strings.Contains(tail, text[at:c.End]) {
			return text[c.Start:c.End]
		}
		text = text[:at]
	}
}

// cutTails ends each section before what belongs to the file: see Section.Tail.
func (o *outline) cutTails(src []byte, base int) {
	for i := range o.sections {
		s := &o.sections[i]
		at := tailAt(src, base, s.Body)
		if at == s.Body.End {
			continue
		}
		s.Body.End, s.Tail.Start = at, at
		for k := range o.blocks {
			o.blocks[k].endBefore(src, at)
		}
	}
}

// endBefore cuts the block off at an offset: the parser counts link definitions as part of the block above them.
func (k *block) endBefore(src []byte, at int) {
	if k.span.Start >= at || k.span.End <= at {
		return
	}
	k.span = core(src, Span{k.span.Start, at})
	for i := range k.items {
		if it := &k.items[i]; it.span.Start < at && it.span.End > at {
			it.span = core(src, Span{it.span.Start, at})
		}
	}
}

// tailAt returns where the tail of a section begins; the end of the section if it has none.
func tailAt(src []byte, base int, s Span) int {
	at := s.End
	for {
		c := core(src, Span{s.Start, at})
		start := pieceAt(src, c)
		if start < 0 || !keptApart(src, base, Span{start, c.End}, s) {
			break
		}
		at = start
	}
	for at < s.End && !begins(src, s.Start, at) { // a line of a paragraph
		at = core(src, Span{lineEnd(src, at), s.End}).Start
	}
	if at < s.End {
		if open, ok := openBlock(src[:at], base); ok && open.kind != headingBlock {
			return s.End // it stands in a fence or comment
		}
	}
	return at
}

// begins reports whether a piece of a tail can begin at an offset: behind a blank line, or with a comment.
func begins(src []byte, start, at int) bool {
	return at == start || blank(src[lineStart(src, at-1):at]) || bytes.HasPrefix(src[at:], []byte("<!--"))
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
		return labelled.Match(line), blank(line) || line[0] == ' ' || line[0] == '\t'
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

// keptApart reports whether a piece at the end of section s belongs to the file: text outside of the section uses it,
// or it stands at the end of the file and is no definition that only this section uses.
func keptApart(src []byte, base int, piece, s Span) bool {
	atEnd := s.End == len(src)
	m := labelled.FindSubmatch(src[piece.Start:lineEnd(src, piece.Start)])
	if m == nil {
		return atEnd
	}
	label := strings.ToLower(string(m[1]))
	uses := func(text []byte) bool {
		rest := strings.ToLower(string(text))
		for {
			i := strings.Index(rest, label)
			if i < 0 {
				return false
			}
			if rest = rest[i+len(label):]; !strings.HasPrefix(rest, ":") {
				return true
			}
		}
	}
	if uses(slices.Concat(src[base:s.Start], []byte("\n"), src[s.End:])) {
		return true
	}
	return atEnd && !uses(src[s.Start:piece.Start])
}
