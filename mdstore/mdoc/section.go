package mdoc

import (
	"bytes"
	"iter"
	"slices"
	"sort"
	"strings"
)

// body returns the outline of the document, parsed at its first use.
func (d *Doc) body() *outline {
	d.parseBody.Do(func() {
		if d.opaque {
			d.outline = new(outline)
			return
		}
		src := d.text
		if d.shape != nil {
			src = d.shape
		}
		d.outline = newOutline(src, d.parts.body, d.form)
	})
	return d.outline
}

func newOutline(src []byte, base int, form *Form) *outline {
	blocks := parseBlocks(src, base)
	o := &outline{blocks: blocks, headings: make([]Heading, 0, len(blocks)/2), sections: make([]Section, 0, len(blocks)/2)}
	line, counted := 1, 0
	open := false // whether the end of the last section is not known yet
	for i := range o.blocks {
		k := &o.blocks[i]
		if k.kind != headingBlock {
			continue
		}
		line += bytes.Count(src[counted:k.lines.Start], []byte{'\n'})
		counted = k.lines.Start
		o.headings = append(o.headings, Heading{k.level, k.title, k.lines, line})
		if k.level > 2 {
			continue
		}
		if open {
			o.sections[len(o.sections)-1].Body.End = k.lines.Start
		}
		if open = k.level == 2; open {
			o.sections = append(o.sections, Section{
				Name: form.canonical(k.title), Title: k.title,
				Heading: k.lines, Body: Span{k.lines.End, len(src)}, Line: line,
			})
		}
	}
	o.nameNear(form)
	return o
}

// canonical returns the form's name for a heading's text, or the text itself.
func (f *Form) canonical(title string) string {
	if i := f.index(title); i >= 0 {
		return f.Sections[i].Name
	}
	return title
}

// index returns the index in the form of the section with that name or alias, or -1.
func (f *Form) index(title string) int {
	if f == nil {
		return -1
	}
	title = strings.TrimSpace(title)
	is := func(name string) bool { return strings.EqualFold(name, title) }
	return slices.IndexFunc(f.Sections, func(s SectionForm) bool { return is(s.Name) || slices.ContainsFunc(s.Aliases, is) })
}

// Opaque reports whether the body is beyond the limits: it has no headings, sections and items then.
func (d *Doc) Opaque() bool { return d.opaque }

// Headings returns the top-level headings of every level in their order. The slice must not be modified.
func (d *Doc) Headings() []Heading { return d.body().headings }

// Sections returns all sections in their order, also those that the form does not know. The slice must not be modified.
func (d *Doc) Sections() []Section { return d.body().sections }

// Section returns the first section of that name; an alias or the text of a heading is a name too.
func (d *Doc) Section(name string) (Section, bool) {
	for s := range d.named(name) {
		return *s, true
	}
	return Section{}, false
}

// Title returns the heading's text of the first section of that name, or the text that a
// new section of that name would get.
func (d *Doc) Title(name string) string {
	if s, ok := d.Section(name); ok {
		return strings.TrimSpace(s.Title)
	}
	return d.titleFor(name)
}

// named yields every section of that name in their order. Blanks around a name are ignored.
func (d *Doc) named(name string) iter.Seq[*Section] {
	name = strings.TrimSpace(d.form.canonical(name))
	return func(yield func(*Section) bool) {
		sections := d.body().sections
		for i := range sections {
			if strings.EqualFold(strings.TrimSpace(sections[i].Name), name) && !yield(&sections[i]) {
				return
			}
		}
	}
}

// Text returns the text of the section of that name without outer blank lines and with LF line ends. If there are
// several, it joins their texts with a blank line between them. It returns "" if there is none.
func (d *Doc) Text(name string) string {
	text := ""
	for s := range d.named(name) {
		switch t := d.Slice(s.Body); {
		case text == "":
			text = t
		case t != "":
			text += "\n\n" + t
		}
	}
	return text
}

// Slice returns the text of a span without outer blank lines and with LF line ends. The
// part of the span that is outside the document is ignored.
func (d *Doc) Slice(s Span) string { return d.lf(core(d.text, d.clamp(s))) }

// lf returns the bytes of a span with LF line ends.
func (d *Doc) lf(s Span) string {
	return strings.ReplaceAll(string(d.text[s.Start:s.End]), "\r\n", "\n")
}

// Below returns the part of a section from its first subheading on, which has no items.
func (d *Doc) Below(s Section) Span { return Span{d.own(&s).End, s.Body.End} }

// own returns the part of a section before its first subheading.
func (d *Doc) own(s *Section) Span {
	headings := d.body().headings
	i := sort.Search(len(headings), func(i int) bool { return headings[i].Span.Start >= s.Body.Start })
	if i < len(headings) {
		return Span{s.Body.Start, min(headings[i].Span.Start, s.Body.End)}
	}
	return s.Body
}
