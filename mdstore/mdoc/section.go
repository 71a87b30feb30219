package mdoc

import (
	"bytes"
	"slices"
	"sort"
	"strings"
)

// body returns the outline of the document, parsed when it is first asked for.
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
	o := &outline{blocks: readBlocks(src, base, form)}
	headings, sections := 0, 0
	for i := range o.blocks {
		if k := &o.blocks[i]; k.kind == headingBlock {
			headings++
			if k.level == 2 {
				sections++
			}
		}
	}
	if headings > 0 {
		o.headings = make([]Heading, 0, headings)
	}
	if sections > 0 {
		o.sections = make([]Section, 0, sections)
	}
	line, counted := 1, 0
	open := false // the last section has no end yet
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
	return o
}

// canonical returns the form's name for a heading's text, or the text itself.
func (f *Form) canonical(title string) string {
	if i := f.index(title); i >= 0 {
		return f.Sections[i].Name
	}
	return title
}

// index returns the place in the form of the section that is called so, or -1.
func (f *Form) index(title string) int {
	if f == nil {
		return -1
	}
	for i := range f.Sections {
		if s := &f.Sections[i]; s.Name == title || slices.Contains(s.Aliases, title) {
			return i // as nearly all are written
		}
	}
	title = strings.TrimSpace(title)
	for i := range f.Sections {
		s := &f.Sections[i]
		if strings.EqualFold(s.Name, title) {
			return i
		}
		for _, a := range s.Aliases {
			if strings.EqualFold(a, title) {
				return i
			}
		}
	}
	return -1
}

// title returns the text of a heading, the form's own where it has the same.
func (f *Form) title(text []byte) string {
	if f != nil {
		for i := range f.Sections {
			s := &f.Sections[i]
			if s.Name == string(text) {
				return s.Name
			}
			for _, a := range s.Aliases {
				if a == string(text) {
					return a
				}
			}
		}
	}
	return string(text)
}

// Headings returns the top-level headings of every level in their order. The
// slice must not be modified.
func (d *Doc) Headings() []Heading { return d.body().headings }

// Sections returns all sections in their order, known or not. The slice must not
// be modified.
func (d *Doc) Sections() []Section { return d.body().sections }

// Section returns the first section of that name, which may be an alias or a
// heading's text.
func (d *Doc) Section(name string) (Section, bool) {
	for s := range d.named(name) {
		return *s, true
	}
	return Section{}, false
}

// Title returns the heading's text of the first section of that name, or the one that it would get where it is missing.
func (d *Doc) Title(name string) string {
	if s, ok := d.Section(name); ok {
		return strings.TrimSpace(s.Title)
	}
	return d.titleFor(name)
}

// named yields every section of that name in their order. Blanks around a name mean nothing.
func (d *Doc) named(name string) func(func(*Section) bool) {
	name = d.standard(name)
	return func(yield func(*Section) bool) {
		sections := d.body().sections
		for i := range sections {
			if sections[i].called(name) && !yield(&sections[i]) {
				return
			}
		}
	}
}

// standard returns the name that sections of that name are called by.
func (d *Doc) standard(name string) string { return strings.TrimSpace(d.form.canonical(name)) }

func (s *Section) called(standard string) bool {
	return strings.EqualFold(strings.TrimSpace(s.Name), standard)
}

// Text returns the text of the section of that name without outer blank lines,
// with LF line ends; where the section stands more than once, all of them,
// parted by a blank line; "" where there is none.
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

// Slice returns the text of a span without outer blank lines, with LF line ends. A
// part of the span that lies outside the document is left out.
func (d *Doc) Slice(s Span) string {
	s.Start = min(max(s.Start, 0), len(d.text))
	s.End = min(max(s.End, s.Start), len(d.text))
	return d.lf(core(d.text, s))
}

// lf returns the bytes of a span with LF line ends.
func (d *Doc) lf(s Span) string {
	all := d.string()[s.Start:s.End]
	if d.returns {
		return strings.ReplaceAll(all, "\r\n", "\n")
	}
	return all
}

// string returns the document's text, which is made a string once: documents are kept for those who ask again.
func (d *Doc) string() string {
	d.spell.Do(func() {
		d.spelled = string(d.text)
		d.returns = strings.IndexByte(d.spelled, '\r') >= 0
	})
	return d.spelled
}

// own returns the part of a section before its first subheading.
func (d *Doc) own(s *Section) Span {
	headings := d.body().headings
	i := sort.Search(len(headings), func(i int) bool { return headings[i].Span.Start >= s.Body.Start })
	if i < len(headings) && headings[i].Span.Start < s.Body.End {
		return Span{s.Body.Start, headings[i].Span.Start}
	}
	return s.Body
}
