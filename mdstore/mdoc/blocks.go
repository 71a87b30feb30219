package mdoc

import "bytes"

// readBlocks returns the top-level blocks of src behind base, in their order, as parseBlocks does.
func readBlocks(src []byte, base int, form *Form) []block {
	if blocks, ok := scanBlocks(src, base, form); ok {
		return blocks
	}
	return parseBlocks(src, base)
}

// A blockScan reads a body in which every line has one unmistakable form: a heading with #, a line of text, one of a
// quote, an item of a list that is not indented, a line indented enough to belong to the item above, a fence that is
// closed, a blank line. Such are nearly all bodies, and the Markdown parser takes ten times as long for them.
// Anything else is the parser's, for the whole body; tests hold the two equal.
type blockScan struct {
	src   []byte
	form  *Form
	end   int  // behind the last line that is not blank, without its line end
	blank bool // the line before is blank
	in    where
	mark  byte // of the list that is open: the last of its markers' bytes
	under int  // what a line must be indented by to belong to the item above
	lazy  bool // the line before is text of an item, which goes on with a line of text that is not indented

	blocks []block
	items  []item // of all lists
}

// where is what the line before has left open.
type where uint8

const (
	outside where = iota
	inParagraph
	inList
	inQuote
)

// scanBlocks is parseBlocks for bodies of unmistakable lines, and not ok for any other. What it finds is put together in a scratch, so that as much room is made
// for it as it takes.
func scanBlocks(src []byte, base int, form *Form) (blocks []block, ok bool) {
	room := takeScratch()
	s := blockScan{src: src, form: form, blocks: room.blocks[:0], items: room.items[:0]}
	if ok = s.run(base); ok {
		blocks = s.found()
	}
	clear(s.blocks) // their titles
	room.blocks, room.items = s.blocks, s.items
	room.back()
	return blocks, ok
}

func (s *blockScan) run(at int) bool {
	for at < len(s.src) {
		end := lineEnd(s.src, at)
		next, ok := s.line(at, cutEOL(s.src, end), end)
		if !ok {
			return false
		}
		at = next
	}
	s.close()
	return true
}

// line reads the line from at to end, whose line end reaches to next. A fence is read as a whole.
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
		if s.blank, s.lazy = true, false; s.in == inParagraph {
			s.in = outside
		}
		return next, true
	}
	if indent -= at; indent > 0 {
		if s.in != inList || indent < s.under || !within(line) {
			return 0, false
		}
		s.end, s.blank, s.lazy = end, false, false
		return next, true
	}
	behind = next
	what, width := lineForm(line)
	if line[0] == '[' && s.in == inParagraph {
		what = textForm // a definition is one at the start of a paragraph only
	}
	switch what {
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

// open ends the block before and begins another one, after which nothing is open.
func (s *blockScan) open(at int, k block) {
	s.close()
	s.in, s.lazy = outside, false
	k.span.Start = at
	if k.kind != headingBlock {
		k.marks = -1
	}
	if k.kind != listBlock {
		k.number = -1
	}
	s.blocks = append(s.blocks, k)
}

// close ends the last block where the last line that is not blank does.
func (s *blockScan) close() {
	n := len(s.blocks)
	if n == 0 {
		return
	}
	s.blocks[n-1].span.End = s.end
	if s.blocks[n-1].kind == listBlock {
		s.items[len(s.items)-1].span.End = s.end
	}
}

func (s *blockScan) text(at int) bool {
	switch {
	case s.in == inParagraph, s.lazy:
	case (s.in == inList || s.in == inQuote) && !s.blank:
		return false // it may go on with what is said there
	default:
		s.open(at, block{})
		s.in = inParagraph
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
	s.open(at, block{kind: headingBlock, lines: Span{at, next}, level: level, marks: at, title: s.form.title(title)})
	return true
}

func (s *blockScan) item(at, end, width int) bool {
	mark := s.src[at : at+width]
	text := s.src[at+width+1 : end]
	if len(text) == 0 || !within(text) {
		return false
	}
	number, ordered := markNumber(mark)
	if s.in == inParagraph && ordered && number != 1 {
		return true // no such number interrupts a paragraph
	}
	if s.in != inList || s.mark != mark[width-1] {
		s.open(at, block{kind: listBlock, number: number})
		s.in, s.mark = inList, mark[width-1]
	} else {
		s.close()
	}
	s.under, s.lazy = width+1, saysText(text)
	s.items = append(s.items, item{span: Span{Start: at}, marker: Span{at, at + width}, offset: width + 1})
	k := &s.blocks[len(s.blocks)-1]
	last := len(s.items)
	k.items = s.items[last-len(k.items)-1 : last : last]
	return true
}

// quote reads a line that begins with >.
func (s *blockScan) quote(at int, line []byte) bool {
	for len(line) > 0 && (line[0] == '>' || line[0] == ' ') {
		line = line[1:]
	}
	if len(line) > 0 && !within(line) {
		return false
	}
	if s.in != inQuote || s.blank {
		s.open(at, block{})
		s.in = inQuote
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

// fence returns the offset behind the line that closes a fence and where that line ends, or 0 where none does for certain.
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
