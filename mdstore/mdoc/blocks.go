package mdoc

import "bytes"

// readBlocks returns the top-level blocks of src behind base, in their order. It asks the
// Markdown parser only if scanBlocks gives up.
func readBlocks(src []byte, base int) []block {
	if blocks, ok := scanBlocks(src, base); ok {
		return blocks
	}
	return parseBlocks(src, base)
}

// A blockScan reads a body whose lines all have one unmistakable form: a heading with #,
// a line of text, of a quote, an item of a list that is not indented, a line indented
// enough to belong to the item above, a closed fence, a blank line. Nearly all bodies are
// like this, and the Markdown parser takes ten times as long for them. Any other line
// makes the whole body the parser's. Tests hold the results of both equal.
type blockScan struct {
	src   []byte
	end   int  // behind the last line that is not blank, without its line end
	blank bool // the line before is blank
	state scanState
	mark  byte // the last byte of the markers of the open list
	under int  // the indentation with which a line belongs to the item above
	lazy  bool // the line before is text of an item, which a line of text continues without indentation

	blocks []block
}

// A scanState says which block the line before has left open.
type scanState uint8

const (
	outside scanState = iota
	inParagraph
	inList
	inQuote
)

// scanBlocks returns the blocks of a body of unmistakable lines; ok is false for any other.
func scanBlocks(src []byte, base int) (blocks []block, ok bool) {
	s := blockScan{src: src, blocks: make([]block, 0, 16)}
	for at := base; at < len(src); {
		end := lineEnd(src, at)
		if at, ok = s.line(at, cutEOL(src, end), end); !ok {
			return nil, false
		}
	}
	s.close()
	return s.blocks, true
}

// line reads the line from at to end, whose line end reaches to next, and returns where the
// next line begins. It reads a fence as a whole.
func (s *blockScan) line(at, end, next int) (behind int, ok bool) {
	indent := at
	for indent < end && s.src[indent] == ' ' {
		indent++
	}
	line := s.src[indent:end]
	if indent == end || line[0] == '\t' {
		if !blank(line) {
			return 0, false
		}
		s.blank, s.lazy = true, false
		if s.state == inParagraph {
			s.state = outside
		}
		return next, true
	}
	if indent -= at; indent > 0 {
		if s.state != inList || indent < s.under || !keepsItem(line) {
			return 0, false
		}
		s.end, s.blank, s.lazy = end, false, false
		return next, true
	}
	behind = next
	form, width := lineForm(line)
	if line[0] == '[' && s.state == inParagraph {
		form = textForm // a definition cannot interrupt a paragraph
	}
	switch form {
	case textForm:
		ok = s.text(at)
	case headingForm:
		ok = s.heading(at, end, next, width)
	case itemForm:
		ok = s.item(at, end, width)
	case quoteForm:
		ok = s.quote(at, line)
	case fenceForm:
		behind, end = s.fence(next, line[0], width)
		ok = behind > 0
		s.open(at, block{kind: fenceBlock})
	}
	s.end, s.blank = end, false
	return behind, ok
}

// open closes the last block and begins another one.
func (s *blockScan) open(at int, k block) {
	s.close()
	s.state, s.lazy = outside, false
	k.span.Start = at
	if k.kind != headingBlock {
		k.marks = -1
	}
	if k.kind != listBlock {
		k.number = -1
	}
	s.blocks = append(s.blocks, k)
}

// close ends the last block, and its last item, behind the last line that is not blank.
func (s *blockScan) close() {
	n := len(s.blocks)
	if n == 0 {
		return
	}
	k := &s.blocks[n-1]
	k.span.End = s.end
	if len(k.items) > 0 {
		k.items[len(k.items)-1].span.End = s.end
	}
}

func (s *blockScan) text(at int) bool {
	switch {
	case s.state == inParagraph, s.lazy:
	case (s.state == inList || s.state == inQuote) && !s.blank:
		return false // it may continue the list or quote
	default:
		s.open(at, block{})
		s.state = inParagraph
	}
	return true
}

func (s *blockScan) heading(at, end, next, level int) bool {
	title := bytes.Trim(s.src[at+level:end], " ")
	if len(title) == 0 || title[len(title)-1] == '#' {
		return false
	}
	for _, c := range title {
		if c < ' ' {
			return false
		}
	}
	s.open(at, block{kind: headingBlock, lines: Span{at, next}, level: level, marks: at, title: string(title)})
	return true
}

func (s *blockScan) item(at, end, width int) bool {
	mark := s.src[at : at+width]
	text := s.src[at+width+1 : end]
	if len(text) == 0 || !keepsItem(text) {
		return false
	}
	number, ordered := markNumber(mark)
	if s.state == inParagraph && ordered && number != 1 {
		return true // only the number 1 interrupts a paragraph
	}
	if s.state != inList || s.mark != mark[width-1] {
		s.open(at, block{kind: listBlock, number: number})
		s.state, s.mark = inList, mark[width-1]
	} else {
		s.close()
	}
	form, _ := lineForm(text)
	s.under, s.lazy = width+1, form == textForm && text[0] != '['
	k := &s.blocks[len(s.blocks)-1]
	k.items = append(k.items, item{span: Span{Start: at}, marker: Span{at, at + width}, offset: width + 1})
	return true
}

// quote reads a line that begins with >.
func (s *blockScan) quote(at int, line []byte) bool {
	line = bytes.TrimLeft(line, "> ")
	if len(line) > 0 && !keepsItem(line) {
		return false
	}
	if s.state != inQuote || s.blank {
		s.open(at, block{})
		s.state = inQuote
	}
	return true
}

// markNumber returns the number of an ordered list's marker, -1 for a bullet.
func markNumber(mark []byte) (n int, ordered bool) {
	if len(mark) == 1 {
		return -1, false
	}
	for _, c := range mark[:len(mark)-1] {
		n = 10*n + int(c-'0')
	}
	return n, true
}

// fence returns the offset behind the line that closes a fence, and the end of that line
// without its line end; 0 if no line closes it for certain.
func (s *blockScan) fence(at int, char byte, width int) (behind, end int) {
	for at < len(s.src) {
		next := lineEnd(s.src, at)
		end := cutEOL(s.src, next)
		i := at
		for i < end && i-at < 3 && s.src[i] == ' ' {
			i++
		}
		run := i
		for run < end && s.src[run] == char {
			run++
		}
		if run-i >= width {
			rest := bytes.TrimLeft(s.src[run:end], " \t")
			switch {
			case len(rest) == 0:
				return next, end
			case rest[0] < ' ':
				return 0, 0
			}
		}
		at = next
	}
	return 0, 0
}
