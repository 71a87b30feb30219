package mdoc

import (
	"bytes"
	"slices"
	"strings"
)

// A part is a heading of level 1 or 2 with all text up to the next one. The first part is the text before the first
// such heading.
type part struct {
	heading []byte // its lines without the final line end
	level   int    // 0 for the part before the first heading
	line    int
	name    string // the section's canonical name
	text    []byte // without outer blank lines
}

func (d *Doc) partsOf() []part {
	cut := func(s Span) []byte {
		c := core(d.text, s)
		return d.text[c.Start:c.End]
	}
	out := []part{{line: 1}}
	names := map[int]string{} // of sections, by their lines
	for _, s := range d.Sections() {
		names[s.Line] = s.Name
	}
	start := d.parts.body
	for _, h := range d.body().headings {
		if h.Level > 2 {
			continue
		}
		out[len(out)-1].text = cut(Span{start, h.Span.Start})
		out = append(out, part{level: h.Level, line: h.Line, name: names[h.Line],
			heading: d.text[h.Span.Start:cutEOL(d.text, h.Span.End)]})
		start = h.Span.End
	}
	out[len(out)-1].text = cut(Span{start, len(d.text)})
	return out
}

// checkOthers compares everything but the sections that were edited.
func (p *plan) checkOthers(after *Doc) *EditError {
	was := slices.DeleteFunc(p.doc.partsOf(), func(h part) bool {
		return h.level > 0 && slices.Contains(p.dropped, h.line)
	})
	for _, n := range after.partsOf() {
		var s *sectionPlan
		if n.level == 2 {
			s = p.find(strings.TrimSpace(n.name))
		}
		if s != nil && len(s.at) == 0 {
			continue // new; checkSection counts it
		}
		if len(was) == 0 {
			return p.doc.refuse(0, "the edit would make the heading %q of a line that is none now", n.heading)
		}
		if was[0].level != n.level || !bytes.Equal(was[0].heading, n.heading) {
			return p.lostHeading(was[0])
		}
		if s == nil && !bytes.Equal(was[0].text, n.text) {
			return p.doc.refuse(was[0].line, "the edit would change what stands below %q too", n.heading)
		}
		was = was[1:]
	}
	if len(was) > 0 {
		return p.lostHeading(was[0])
	}
	return nil
}

func (p *plan) lostHeading(h part) *EditError {
	if bytes.HasPrefix(h.heading, []byte{' '}) {
		return p.doc.refuse(h.line, "this indented heading would become part of the list before it; "+
			"remove the blanks in front of it")
	}
	return p.doc.refuse(h.line, "the edit would change what the heading %q is", h.heading)
}

// checkSection compares the sections of one name with their plan.
func (p *plan) checkSection(s *sectionPlan, after *Doc) *EditError {
	now := slices.Collect(after.named(s.name))
	want := len(s.at)
	if want == 0 && (len(s.appends) > 0 || s.text != nil && *s.text != "") {
		want = 1
	}
	if len(now) != want {
		return p.doc.refuse(0, "section %s would stand %d times in the file instead of %d", s.name, len(now), want)
	}
	if s.text != nil {
		if after.Text(s.name) != *s.text {
			return p.doc.refuse(0, "the text of section %s would not read back as given", s.name)
		}
		return nil
	}
	if s.ticks != nil {
		return p.checkTicks(s, after, now)
	}
	return p.checkItems(s, after, now)
}

// checkItems compares the items of the sections of one name, and what follows them, with the plan.
func (p *plan) checkItems(s *sectionPlan, after *Doc, now []*Section) *EditError {
	got := after.places(now...)
	n := 0 // how many of got have been looked at
	for i := range s.places {
		was := &s.places[i]
		if s.removes(i) {
			continue
		}
		if n++; n > len(got) {
			continue
		}
		is := got[n-1]
		same := (is.item != nil) == (was.item != nil)
		if text := s.items[i]; text != nil {
			if !same || after.itemText(is) != *text {
				return p.unreadItem(s, *text, p.doc.lineOf(was.span.Start))
			}
			continue
		}
		if !same || !bytes.Equal(after.text[is.span.Start:is.span.End], p.doc.text[was.span.Start:was.span.End]) {
			return p.doc.refuse(p.doc.lineOf(was.span.Start), "the edit would change how this item of section %s reads; "+
				"part it from its neighbours with blank lines", s.name)
		}
	}
	for _, text := range s.appends {
		if n++; n <= len(got) && (got[n-1].item == nil || after.itemText(got[n-1]) != text) {
			return p.unreadItem(s, text, 0)
		}
	}
	if len(got) != n {
		return p.doc.refuse(0, "section %s would have %d items instead of %d; "+
			"leave no blank line in the text of what is no list item", s.name, len(got), n)
	}
	for i := range s.at {
		if !bytes.Equal(p.doc.rest(s.at[i]), after.rest(now[i])) {
			return p.doc.refuse(p.doc.lineOf(p.doc.own(s.at[i]).End),
				"the edit would change what stands below the items of section %s too", s.name)
		}
	}
	return nil
}

func (p *plan) unreadItem(s *sectionPlan, text string, line int) *EditError {
	return p.doc.refuse(line, "%q would not read back as an item of section %s; begin it with a word", text, s.name)
}

// rest returns a section from its first subheading on.
func (d *Doc) rest(s *Section) []byte {
	c := core(d.text, Span{d.own(s).End, s.Body.End})
	return d.text[c.Start:c.End]
}
