package mdoc

import (
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// check proves that the document after the edits differs in what the plan asks for and in nothing else.
// The splice keeps every byte outside the edits; what a byte means may still depend on those before it, so
// both documents are compared as they are read.
func (p *plan) check(after *Doc) error {
	if p.front != nil {
		if err := p.checkFront(after); err != nil {
			return err
		}
	}
	if len(p.sections) == 0 {
		if len(p.doc.src)-p.doc.parts.body != len(after.src)-after.parts.body {
			return p.doc.refuse(0, "the edit would move the end of the front matter")
		}
		return nil // the body has the same bytes, so it reads the same
	}
	what := p.checkOthers(after)
	for _, s := range p.sections {
		if what == "" {
			what = p.checkSection(s, after)
		}
	}
	if what == "" {
		return nil
	}
	if open, ok := openBlock(p.doc.src, p.doc.parts.body); ok {
		return p.doc.refuse(p.doc.lineOf(open.span.Start), "%s that begins here is never closed and hides what follows; close it first", open.name())
	}
	return p.doc.refuse(0, "%s", what)
}

func (k *block) name() string {
	switch k.kind {
	case fenceBlock:
		return "a code fence"
	case htmlBlock:
		return "an HTML block or comment"
	}
	return "a block"
}

// checkFront compares the front matter: the same keys in the same order, the new ones besides, every
// other value unchanged, and the fields that were set read as what they were set to.
func (p *plan) checkFront(after *Doc) error {
	now, problem := parseFront(after.text, after.parts.front)
	if problem != nil {
		return p.doc.refuse(problem.Line, "the edit would break the front matter: %s", problem.Text)
	}
	set := func(key string) *fieldPlan {
		for i := range p.fields {
			if p.fields[i].key == key {
				return &p.fields[i]
			}
		}
		return nil
	}
	was := p.front.entries
	for i := range now.entries {
		e := &now.entries[i]
		want := set(e.Key)
		switch {
		case len(was) > 0 && p.front.sameKey(&was[0], now, e):
			if want != nil && e.listed() {
				if !want.value.Equal(e.Field) {
					return p.doc.refuse(e.Line, "%s would read back as %q", e.Key, e.Value)
				}
			} else if !p.front.sameValue(&was[0], now, e) {
				return p.doc.refuse(was[0].Line, "the edit would change the value of %s too", was[0].Key)
			}
			was = was[1:]
		case want != nil && e.listed() && p.front.find(e.Key) == nil:
			if !want.value.Equal(e.Field) {
				return p.doc.refuse(e.Line, "%s would read back as %q", e.Key, e.Value)
			}
		default:
			return p.doc.refuse(e.Line, "the edit would change the keys of the front matter here")
		}
	}
	if len(was) > 0 {
		return p.doc.refuse(was[0].Line, "the edit would lose the key %s", was[0].Key)
	}
	for _, want := range p.fields {
		if e := now.find(want.key); e == nil || !want.value.Equal(e.Field) {
			return p.doc.refuse(0, "%s would not read back", want.key)
		}
	}
	if !slices.EqualFunc(now.fields(), after.fields, func(a, b Field) bool { return a == b }) {
		return p.doc.refuse(0, "the front matter would read differently by two readers")
	}
	return nil
}

func (f *front) sameKey(a *entry, g *front, b *entry) bool {
	if a.listed() && b.listed() {
		return a.Key == b.Key
	}
	return a.key != nil && b.key != nil && sameNode(a.key, b.key)
}

// sameValue compares a value before and after, as nodes where both are YAML. A file that was no YAML
// may have become some when its one bad line was set.
func (f *front) sameValue(a *entry, g *front, b *entry) bool {
	if !f.lenient && !g.lenient {
		return sameNode(a.val, b.val)
	}
	if a.Kind == Nested && b.Kind == Nested {
		return string(f.text[a.Span.Start:a.Span.End]) == string(g.text[b.Span.Start:b.Span.End])
	}
	return a.Kind == b.Kind && a.Value == b.Value
}

// sameNode compares kind, tag, value, style and anchor, and what an alias stands for.
func sameNode(a, b *yaml.Node) bool {
	if a.Kind != b.Kind || a.Tag != b.Tag || a.Value != b.Value || a.Style != b.Style || a.Anchor != b.Anchor || len(a.Content) != len(b.Content) {
		return false
	}
	if a.Kind == yaml.AliasNode && (a.Alias.Kind != b.Alias.Kind || a.Alias.Value != b.Alias.Value || a.Alias.Tag != b.Alias.Tag) {
		return false
	}
	for i := range a.Content {
		if !sameNode(a.Content[i], b.Content[i]) {
			return false
		}
	}
	return true
}

// A part is a stretch of the body: what stands before the first heading of level 1 or 2, or such a heading
// and all up to the next.
type part struct {
	heading string // its lines without the final line end
	level   int    // 0 before the first
	name    string // the section's canonical name
	text    string // without outer blank lines
}

func (d *Doc) partsOf() []part {
	cut := func(s Span) string {
		c := core(d.text, s)
		return string(d.text[c.Start:c.End])
	}
	out := []part{{}}
	start := d.parts.body
	for _, h := range d.body().headings {
		if h.Level > 2 {
			continue
		}
		out[len(out)-1].text = cut(Span{start, h.Span.Start})
		out = append(out, part{heading: string(d.text[h.Span.Start:cutEOL(d.text, h.Span.End)]), level: h.Level, name: d.form.canonical(h.Title)})
		start = h.Span.End
	}
	out[len(out)-1].text = cut(Span{start, len(d.text)})
	return out
}

// checkOthers compares everything but the sections that were edited; what differs is named, or "".
func (p *plan) checkOthers(after *Doc) string {
	was, now := p.doc.partsOf(), after.partsOf()
	for _, n := range now {
		var s *sectionPlan
		if n.level == 2 {
			s = p.find(strings.TrimSpace(n.name))
		}
		if s != nil && len(s.at) == 0 {
			continue // new; how often it stands is checked with its text
		}
		if len(was) == 0 || was[0].level != n.level || was[0].heading != n.heading {
			return fmt.Sprintf("the edit would change the headings of the file (%q)", n.heading)
		}
		if s == nil && was[0].text != n.text {
			return fmt.Sprintf("the edit would change what stands below %q too", n.heading)
		}
		was = was[1:]
	}
	if len(was) > 0 {
		return fmt.Sprintf("the edit would hide the heading %q", was[0].heading)
	}
	return ""
}

// checkSection compares the sections of one name with what was asked of them.
func (p *plan) checkSection(s *sectionPlan, after *Doc) string {
	var now []*Section
	for at := range after.named(s.name) {
		now = append(now, at)
	}
	want := len(s.at)
	if want == 0 && (len(s.appends) > 0 || s.text != nil && *s.text != "") {
		want = 1
	}
	if len(now) != want {
		return fmt.Sprintf("section %s would stand %d times in the file instead of %d", s.name, len(now), want)
	}
	if s.text != nil {
		if after.Text(s.name) != *s.text {
			return fmt.Sprintf("the text of section %s would not read back as given", s.name)
		}
		return ""
	}
	return p.checkItems(s, after, now)
}

// checkItems compares the items of the sections of one name with what they should be, and what follows them.
func (p *plan) checkItems(s *sectionPlan, after *Doc, now []*Section) string {
	type entry struct {
		raw, text string
		listed    bool
	}
	var want, got []entry
	for i, at := range s.places {
		text, replaced := s.replace[i]
		switch {
		case s.remove[i]:
		case replaced:
			want = append(want, entry{text: text, listed: at.item != nil})
		default:
			want = append(want, entry{raw: string(p.doc.text[at.span.Start:at.span.End]), listed: at.item != nil})
		}
	}
	for _, text := range s.appends {
		want = append(want, entry{text: text, listed: true})
	}
	for _, at := range now {
		for _, pl := range after.places(at) {
			got = append(got, entry{string(after.text[pl.span.Start:pl.span.End]), after.item(pl).Text, pl.item != nil})
		}
	}
	if len(got) != len(want) {
		return fmt.Sprintf("section %s would have %d items instead of %d", s.name, len(got), len(want))
	}
	for i := range want {
		if got[i].listed != want[i].listed || want[i].raw != "" && got[i].raw != want[i].raw || want[i].raw == "" && got[i].text != want[i].text {
			return fmt.Sprintf("item %d of section %s would read back as %q", i, s.name, got[i].text)
		}
	}
	for i := range s.at {
		if a, b := p.doc.rest(s.at[i]), after.rest(now[i]); a != b {
			return fmt.Sprintf("the edit would change what stands below the items of section %s too", s.name)
		}
	}
	return ""
}

// rest returns the part of a section from its first subheading on.
func (d *Doc) rest(s *Section) string {
	c := core(d.text, Span{d.own(s).End, s.Body.End})
	return string(d.text[c.Start:c.End])
}
