package mdoc

import "slices"

// dropSections plans to remove sections with their headings if all of their text is removed, item by item or as a
// whole, and the op asks for that.
// Plans for other sections of the same names are not affected.
func (p *plan) dropSections() {
	adds := slices.ContainsFunc(p.sections, func(s *sectionPlan) bool { return len(s.at) == 0 })
	for _, s := range p.sections {
		if s.drop && s.text != nil && *s.text == "" {
			for _, sec := range s.at {
				p.dropHeading(sec, adds)
			}
			s.at, s.text = nil, nil
		}
		if !s.drop || s.text != nil || s.ticks != nil {
			continue
		}
		var at []*Section
		var places []place
		items := map[int]*string{}
		n := 0 // how many places lie before the section
		for i, sec := range s.at {
			end := n
			for end < len(s.places) && s.places[end].span.Start < sec.Body.End {
				end++
			}
			gets := i == len(s.at)-1 && len(s.appends) > 0
			if !gets && p.emptied(s, sec, n, end) {
				p.dropHeading(sec, adds)
			} else {
				at = append(at, sec)
				for k := n; k < end; k++ {
					if text, edited := s.items[k]; edited {
						items[len(places)] = text
					}
					places = append(places, s.places[k])
				}
			}
			n = end
		}
		s.at, s.places, s.items = at, places, items
	}
}

// emptied reports whether a section holds the places from first to before end, all of them are removed, and it holds
// nothing else.
func (p *plan) emptied(s *sectionPlan, sec *Section, first, end int) bool {
	at := sec.Body.Start
	for i := first; i < end; i++ {
		span := s.places[i].span
		if !s.removes(i) || !blank(p.doc.text[at:span.Start]) {
			return false
		}
		at = span.End
	}
	return first < end && blank(p.doc.text[at:sec.Body.End])
}

// dropHeading plans to remove a section. A blank line stays between the texts around it. At the end of the file none
// stays, unless adds says that new sections may follow there.
func (p *plan) dropHeading(s *Section, adds bool) {
	src, out, text := p.doc.text, Span{s.Heading.Start, s.Body.End}, ""
	before := lineStart(src, max(out.Start-1, 0))
	parted := blank(src[before:out.Start])
	switch {
	case out.End < len(src) && !parted:
		text = eolAt(src, out.Start)
	case out.End == len(src) && !adds:
		if parted && before >= p.doc.parts.body {
			out.Start = before
		}
		if src[len(src)-1] != '\n' {
			out.Start = cutEOL(src, out.Start)
		}
	}
	p.dropped = append(p.dropped, s.Line)
	p.replaceSpan(out, text)
}
