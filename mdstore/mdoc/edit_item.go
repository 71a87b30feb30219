package mdoc

import (
	"bytes"
	"strconv"
	"strings"
)

// editItems computes the edits of the items of the sections of one name.
func (p *plan) editItems(s *sectionPlan) {
	d, n := p.doc, 0
	for i, at := range s.at {
		places := s.places[n:]
		for k := range places {
			if places[k].span.Start >= at.Body.End {
				places = places[:k]
				break
			}
		}
		for j := range places {
			if text := s.items[n+j]; text != nil {
				p.replaceItem(places[j], *text)
			}
		}
		var appends []string
		if i == len(s.at)-1 {
			appends = s.appends
		}
		p.removeAndAppend(d.own(at), places, func(j int) bool { return s.removes(n + j) }, appends)
		n += len(places)
	}
}

// replaceItem replaces the text of one item, or a block that is not a list item.
func (p *plan) replaceItem(at place, text string) {
	eol := eolOf(p.doc.text, at.span.Start)
	if at.item == nil {
		p.replaceSpan(at.span, withEOL(text, eol))
		return
	}
	style := styleOf(p.doc.text, *at.item)
	p.replaceSpan(Span{at.item.marker.End, at.span.End}, style.pad+style.lines(text, eol))
}

// removeAndAppend removes items of one section, and adds new ones behind the last that remains.
func (p *plan) removeAndAppend(own Span, places []place, removed func(int) bool, appends []string) {
	src := p.doc.text
	last := len(places) - 1 // the last that remains
	for last >= 0 && removed(last) {
		last--
	}
	for i := 0; i < last; i++ {
		if !removed(i) {
			continue
		}
		first := i
		for removed(i + 1) {
			i++
		}
		p.replaceSpan(p.between(places, first, i), "")
	}
	style := newListStyle()
	if len(appends) > 0 {
		if k := lastListed(places, last); k >= 0 {
			style = styleOf(src, *places[k].item)
			style = style.next()
		}
	}
	eol := eolAt(src, own.Start)
	switch {
	case len(places) == 0:
		if len(appends) > 0 {
			p.fill(own, style.list(appends, eol))
		}
	case last < 0:
		all := Span{places[0].span.Start, places[len(places)-1].span.End}
		if len(appends) == 0 {
			p.clear(own, all)
			break
		}
		if style.number >= 0 && places[0].list != nil && places[0].list.number >= 0 {
			style.number = places[0].list.number
		}
		p.replaceSpan(all, style.list(appends, eolOf(src, all.Start)))
	default:
		at := places[last].span.End
		if len(appends) > 0 {
			eol = eolOf(src, at) // of the line before the new one
			gap := eol
			if places[last].item == nil {
				gap += eol
			}
			part := ""
			if underlinedBehind(src, places[len(places)-1].span.End) {
				part = eol // otherwise the heading's text would become part of the item
			}
			p.edits = append(p.edits, edit{Span{at, at}, gap + style.list(appends, eol) + part})
		}
		p.replaceSpan(Span{at, places[len(places)-1].span.End}, "")
	}
}

// underlinedBehind reports whether a setext heading begins in the line after offset at, which lies in the last line of
// a section.
func underlinedBehind(src []byte, at int) bool {
	next := lineEnd(src, at)
	line := bytes.TrimSpace(src[next:lineEnd(src, next)])
	return len(line) > 0 && line[0] != '#'
}

// between returns the span to remove for the places first to last, if a place that remains follows them. The span
// includes the blank lines before or behind the places. Blank lines between a list and another block stay.
func (p *plan) between(places []place, first, last int) Span {
	src, next := p.doc.text, places[last+1]
	behind := lineEnd(src, places[last].span.End)
	sameList := next.list != nil && next.list == places[last].list
	if first == 0 || sameList || behind == next.span.Start {
		return Span{places[first].span.Start, next.span.Start}
	}
	return Span{lineEnd(src, places[first-1].span.End), behind}
}

// lastListed returns the index of the last list item among the places up to last, or among all places if last is -1. It
// returns -1 if there is none.
func lastListed(places []place, last int) int {
	if last < 0 {
		last = len(places) - 1
	}
	for last >= 0 && places[last].item == nil {
		last--
	}
	return last
}

// A listStyle is how the items of a list are written.
type listStyle struct {
	indent string // before the marker
	marker string // -, + or *; . or ) behind a number
	number int    // of the next item; -1 for bullets
	pad    string // between marker and text
}

func newListStyle() listStyle { return listStyle{marker: "-", number: -1, pad: " "} }

// styleOf returns how one item is written. The pad is one blank if a blank line or code follows the marker.
func styleOf(src []byte, it item) listStyle {
	mark := string(src[it.marker.Start:it.marker.End])
	s := listStyle{indent: string(src[it.span.Start:it.marker.Start]), marker: mark, number: -1, pad: " "}
	if k := len(mark) - 1; k > 0 {
		s.marker = mark[k:]
		s.number, _ = strconv.Atoi(mark[:k])
	}
	width := it.offset - (it.marker.End - it.span.Start)
	pad := string(src[it.marker.End:min(it.marker.End+max(width, 0), it.span.End)])
	if width > 0 && pad == strings.Repeat(" ", width) {
		s.pad = pad
	}
	return s
}

// next returns the style of the next item: the same, with the number one higher.
func (s listStyle) next() listStyle {
	if s.number >= 0 {
		s.number++
	}
	return s
}

// list returns items as lines without a final line end.
func (s listStyle) list(items []string, eol string) string {
	var b strings.Builder
	for i, text := range items {
		if i > 0 {
			b.WriteString(eol)
		}
		b.WriteString(s.indent + s.mark() + s.pad + s.lines(text, eol))
		s = s.next()
	}
	return b.String()
}

func (s listStyle) mark() string {
	if s.number < 0 {
		return s.marker
	}
	return strconv.Itoa(s.number) + s.marker
}

// lines returns an item's text with indented continuation lines.
func (s listStyle) lines(text, eol string) string {
	indent := strings.Repeat(" ", len(s.indent)+len(s.mark())+len(s.pad))
	all := strings.Split(text, "\n")
	for i := 1; i < len(all); i++ {
		if all[i] != "" {
			all[i] = indent + all[i]
		}
	}
	return strings.Join(all, eol)
}
