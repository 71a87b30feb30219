package mdoc

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// editText computes the edits of the text of an existing section.
func (p *plan) editText(s *sectionPlan) {
	d, at := p.doc, s.at[0]
	c := core(d.text, at.Body)
	switch {
	case d.lf(c) == *s.text:
	case *s.text == "":
		p.clear(at.Body, c)
	case c.Len() == 0:
		p.fill(at.Body, withEOL(*s.text, eolAt(d.text, at.Body.Start)))
	default:
		eol := eolAt(d.text, c.Start)
		text := withEnds(*s.text, string(d.text[c.Start:c.End]), eol)
		if lineEnd(d.text, c.End) == at.Body.End && at.Body.End < len(d.text) {
			text += eol // there was no blank line before the next heading; the new text may need one
		}
		p.replaceSpan(c, text)
	}
}

// withEnds returns a text with the line ends of the text that it replaces: lines that both begin or end with keep their
// own, the lines between take those of the lines in their place, and further ones get eol.
func withEnds(text, old, eol string) string {
	was, now := strings.SplitAfter(old, "\n"), strings.Split(text, "\n")
	same := func(i, j int) bool { return strings.TrimRight(was[i], "\r\n") == now[j] }
	first, behind := 0, 0
	for first < min(len(was), len(now))-1 && same(first, first) {
		first++
	}
	for behind < min(len(was), len(now))-1-first && same(len(was)-1-behind, len(now)-1-behind) {
		behind++
	}
	var b strings.Builder
	for j, line := range now[:len(now)-1] {
		at := j
		if j >= len(now)-behind {
			at += len(was) - len(now)
		}
		end := eol
		if at < len(was)-1 && (j < len(now)-behind) == (at < len(was)-behind) {
			end = was[at][len(strings.TrimRight(was[at], "\r\n")):]
		}
		b.WriteString(line + end)
	}
	return b.String() + now[len(now)-1]
}

func withEOL(text, eol string) string { return strings.ReplaceAll(text, "\n", eol) }

// fill inserts a text into a part of the document that is blank, with blank lines around
// it. The text has the document's line ends, and no final one.
func (p *plan) fill(s Span, text string) {
	src := p.doc.text
	eol := eolAt(src, s.Start)
	if s.Start > 0 && src[s.Start-1] != '\n' { // the heading is the last line and has no line end
		p.edits = append(p.edits, edit{Span{s.Start, s.Start}, eol + eol + text})
		return
	}
	at, before, behind := s.Start, eol, eol
	if s.Len() > 0 {
		if e := lineEnd(src, s.Start); src[e-1] == '\n' {
			at, before = e, ""
		}
	}
	if at == s.End && at < len(src) {
		behind += eol
	}
	p.edits = append(p.edits, edit{Span{at, at}, before + text + behind})
}

// clear removes the text at c from the part s of the document and leaves one blank line if
// there was one. A file without a final line end stays so.
func (p *plan) clear(s, c Span) {
	src := p.doc.text
	out := Span{c.Start, lineEnd(src, c.End)}
	switch {
	case s.End == len(src):
		out = Span{s.Start, len(src)}
		if src[len(src)-1] != '\n' {
			out.Start = cutEOL(src, s.Start)
		}
	case c.Start > s.Start:
		out.End = s.End
	}
	p.replaceSpan(out, "")
}

// addSections inserts the sections that the document lacks, each before the first known
// section that is later in the form's order, or at the end.
func (p *plan) addSections(added []*sectionPlan) error {
	d := p.doc
	order := func(s *sectionPlan) int {
		if i := d.form.index(s.name); i >= 0 {
			return i
		}
		return int(^uint(0) >> 1)
	}
	slices.SortStableFunc(added, func(a, b *sectionPlan) int { return order(a) - order(b) })
	at, texts := -1, []string(nil)
	flush := func() {
		if len(texts) > 0 {
			p.insertSections(at, texts)
		}
		texts = nil
	}
	for _, s := range added {
		title := d.titleFor(s.name)
		if title == "" || strings.ContainsAny(title, "\r\n\x00") {
			return d.refuse(0, "%q cannot be the heading of a section", s.name)
		}
		place := d.placeFor(order(s))
		if place != at {
			flush()
			at = place
		}
		eol := eolAt(d.text, at)
		text := "## " + title
		switch {
		case len(s.appends) > 0:
			text += eol + eol + newListStyle().list(s.appends, eol)
		case s.text != nil && *s.text != "":
			text += eol + eol + withEOL(*s.text, eol)
		default:
			continue // an empty text for a section that is not there
		}
		texts = append(texts, text)
	}
	flush()
	return nil
}

// insertSections inserts whole sections at the offset, with blank lines between them.
func (p *plan) insertSections(at int, texts []string) {
	src := p.doc.text
	eol := eolAt(src, at)
	text := strings.Join(texts, eol+eol)
	switch {
	case at > 0 && src[at-1] != '\n': // the end of a file whose last line has no line end
		text = eol + eol + text
	case at == 0 || !blank(src[lineStart(src, at-1):at]):
		text = eol + text + eol
	default:
		text += eol
	}
	if at < len(src) {
		text += eol
	}
	p.edits = append(p.edits, edit{Span{at, at}, text})
}

// placeFor returns the offset of the first section whose index in the form is higher than i, or the end.
func (d *Doc) placeFor(i int) int {
	sections := d.body().sections
	for k := range sections {
		if d.form.index(sections[k].Name) > i {
			return sections[k].Heading.Start
		}
	}
	return len(d.text)
}

// titleFor returns the heading for a new section: the standard name, or the first alias if
// all known sections of the document have aliases for headings.
func (d *Doc) titleFor(name string) string {
	i := d.form.index(name)
	if i < 0 {
		return strings.TrimSpace(name)
	}
	form := &d.form.Sections[i]
	aliases := false
	sections := d.body().sections
	for k := range sections {
		j := d.form.index(sections[k].Name)
		if j < 0 {
			continue
		}
		title := strings.TrimSpace(sections[k].Title)
		if strings.EqualFold(d.form.Sections[j].Name, title) || title[0] < utf8.RuneSelf {
			return form.Name // any other English heading gets the standard name
		}
		aliases = true
	}
	if aliases && len(form.Aliases) > 0 {
		return form.Aliases[0]
	}
	return form.Name
}
