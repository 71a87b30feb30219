package mdoc

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// A Box is a task box: a list item of any depth whose text begins with [ ], [x] or [X].
type Box struct {
	Text    string // the first paragraph behind the box, in one line
	Done    bool
	Section string // the canonical name
	Span    Span   // from the start of the item's line to the end of its first paragraph, without the line end
	Line    int    // 1-based
	Top     bool   // the item is in no other item, and stands before the first subheading of its section

	mark int // offset of the character between the brackets
}

// Boxes returns the task boxes of every section of that name, in the order of the file. Boxes in quotes and code, and
// those without a text, are not among them.
func (d *Doc) Boxes(section string) (out []Box) {
	if !mayHaveBoxes(d.text) {
		return nil
	}
	line, counted := 1, 0
	for s := range d.named(section) {
		own := d.own(s)
		for i := range d.body().blocks {
			k := &d.body().blocks[i]
			if k.span.Start < s.Body.Start || k.span.Start >= s.Body.End {
				continue
			}
			for _, b := range k.boxes {
				line += bytes.Count(d.text[counted:b.Span.Start], []byte{'\n'})
				counted = b.Span.Start
				b.Section, b.Line, b.Top = s.Name, line, b.Top && b.Span.Start < own.End
				out = append(out, b)
			}
		}
	}
	return out
}

// Numbered returns what Text does, with a number after each box: "- [ ] 1. text". The numbers of an ordered list are
// left out.
func (d *Doc) Numbered(section string) string {
	boxes := d.Boxes(section)
	n, all := 0, []string(nil)
	for s := range d.named(section) {
		c := core(d.text, s.Body)
		var b strings.Builder
		at := c.Start
		for ; n < len(boxes) && boxes[n].mark < c.End; n++ {
			behind := boxes[n].mark + len("x]")
			b.WriteString(bulleted(d.lf(Span{at, behind})) + " " + strconv.Itoa(n+1) + ".")
			at = behind
		}
		b.WriteString(d.lf(Span{at, c.End}))
		if b.Len() > 0 {
			all = append(all, b.String())
		}
	}
	return strings.Join(all, "\n\n")
}

// bulleted returns a text that ends with a box, with a dash for the number of an ordered list before the box.
func bulleted(text string) string {
	box := strings.LastIndexByte(text, '[')
	blanks := len(strings.TrimRight(text[:box], " \t"))
	begin := len(strings.TrimRight(strings.TrimRight(text[:blanks], ".)"), "0123456789"))
	if begin == blanks || !strings.ContainsAny(text[begin:blanks], ".)") {
		return text
	}
	return text[:begin] + "-" + text[blanks:]
}

func mayHaveBoxes(src []byte) bool {
	is := func(box string) bool { return bytes.Contains(src, []byte(box)) }
	return is("[ ]") || is("[x]") || is("[X]")
}

// Tick computes the edit that ticks or unticks a box of the document: one character between the brackets.
func (d *Doc) Tick(b Box, done bool) (Patch, error) {
	o := op{do: tickBox, name: b.Section, index: b.mark, text: " "}
	if done {
		o.text = "x"
	}
	return d.patch(o, nil)
}

// addTick adds a tick to the plan of a section. A box that is ticked already keeps its character.
func (p *plan) addTick(s *sectionPlan, o op) error {
	boxes := p.doc.Boxes(s.name)
	i := slices.IndexFunc(boxes, func(b Box) bool { return b.mark == o.index })
	if i < 0 {
		return p.doc.refuse(0, "section %s has no box there", s.name)
	}
	if s.ticks == nil {
		s.ticks = map[int]byte{}
	}
	if delete(s.ticks, o.index); boxes[i].Done != (o.text == "x") {
		s.ticks[o.index] = o.text[0]
	}
	return nil
}

// checkTicks compares the sections of one name with those before their boxes were ticked.
func (p *plan) checkTicks(s *sectionPlan, after *Doc, now []*Section) *EditError {
	for i, at := range s.at {
		was, is := bytes.Clone(p.doc.text[at.Body.Start:at.Body.End]), after.text[now[i].Body.Start:now[i].Body.End]
		for mark, c := range s.ticks {
			if mark >= at.Body.Start && mark < at.Body.End {
				was[mark-at.Body.Start] = c
			}
		}
		if !bytes.Equal(was, is) {
			return p.doc.refuse(at.Line, "ticking would change more of section %s than its boxes", s.name)
		}
	}
	was, is := p.doc.Boxes(s.name), after.Boxes(s.name)
	same := func(a, b Box) bool {
		if c, ticked := s.ticks[a.mark]; ticked {
			a.Done = c == 'x'
		}
		return a.Text == b.Text && a.Done == b.Done
	}
	if !slices.EqualFunc(was, is, same) {
		return p.doc.refuse(0, "the boxes of section %s would not read back as ticked", s.name)
	}
	return nil
}

// boxesOf returns the task boxes of a list of any depth. base is the offset of the parsed text in src.
func boxesOf(src []byte, base int, list ast.Node) (out []Box) {
	depth := 0
	_ = ast.Walk(list, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the walker has no error
		switch n.(type) {
		case *ast.Blockquote:
			return ast.WalkSkipChildren, nil
		case *ast.ListItem:
			if !entering {
				depth--
				break
			}
			depth++
			if b, ok := boxOf(src, base, n.FirstChild()); ok {
				b.Top = depth == 1
				out = append(out, b)
			}
		}
		return ast.WalkContinue, nil
	})
	return out
}

// boxOf reads the first block of a list item.
func boxOf(src []byte, base int, n ast.Node) (b Box, ok bool) {
	switch n.(type) {
	case *ast.TextBlock, *ast.Paragraph:
	default:
		return b, false
	}
	lines := n.Lines()
	if lines.Len() == 0 {
		return b, false
	}
	at := base + lines.At(0).Start
	if at+4 > len(src) || src[at] != '[' || src[at+2] != ']' || src[at+3] != ' ' && src[at+3] != '\t' {
		return b, false
	}
	switch src[at+1] {
	case 'x', 'X':
		b.Done = true
	case ' ':
	default:
		return b, false
	}
	text := ""
	for i := range lines.Len() {
		s := lines.At(i)
		text += " " + string(src[base+s.Start:base+s.Stop])
	}
	b.Text = strings.Join(strings.Fields(text[len(" [ ]"):]), " ")
	end := base + lines.At(lines.Len()-1).Stop
	b.Span, b.mark = Span{lineStart(src, at), end - len(src[at:end]) + len(bytes.TrimRight(src[at:end], " \t\r\n"))}, at+1
	return b, b.Text != ""
}
