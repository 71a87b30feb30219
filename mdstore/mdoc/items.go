package mdoc

import (
	"bytes"
	"slices"
	"sort"
	"strings"
)

// Items returns the items of every section of that name, in the order of the file.
// Blank lines at the start of an item are not part of its text.
func (d *Doc) Items(name string) []Item { return d.ItemsWith(name) }

// ItemsWith returns those of Items whose bytes hold one of the texts, all where none is given. It spares the reading of the others.
func (d *Doc) ItemsWith(name string, texts ...string) []Item {
	var out []Item
	line, counted := 1, 0
	name = d.standard(name)
	sections := d.body().sections // plain loops: every node of a workspace is asked for its items whenever one of them changes
	for i := range sections {
		if !sections[i].called(name) {
			continue
		}
		own := d.own(&sections[i])
		places, all := d.body().places(own), ""
		if len(texts) == 0 {
			all = d.string()[own.Start:own.End] // the items' texts are parts of it
			if out == nil {
				out = make([]Item, 0, len(places))
			}
		}
		for _, p := range places {
			if len(texts) > 0 && !holdsOne(d.text[p.span.Start:p.span.End], texts) {
				continue
			}
			line += bytes.Count(d.text[counted:p.span.Start], []byte{'\n'})
			counted = p.span.Start
			it := Item{Listed: p.item != nil, Span: p.span, Line: line}
			if s, ok := d.verbatim(p); ok && len(texts) == 0 {
				it.Text = all[s.Start-own.Start : s.End-own.Start]
			} else {
				it.Text = d.itemText(p)
			}
			out = append(out, it)
		}
	}
	return out
}

// verbatim returns the bytes at a place that are its text as they stand: those of one line behind a marker and blanks, or
// of a block without carriage returns.
func (d *Doc) verbatim(p place) (s Span, ok bool) {
	s = p.span
	if p.item == nil {
		return s, bytes.IndexByte(d.text[s.Start:s.End], '\r') < 0
	}
	s.Start += p.item.offset
	if s.Start > s.End || !spaces(d.text[p.item.marker.End:s.Start]) {
		return s, false
	}
	line := d.text[s.Start:s.End]
	return s, bytes.IndexByte(line, '\n') < 0 && bytes.IndexByte(line, '\r') < 0
}

func spaces(b []byte) bool {
	for _, c := range b {
		if c != ' ' {
			return false
		}
	}
	return true
}

func holdsOne(b []byte, texts []string) bool {
	for _, t := range texts {
		if bytes.Contains(b, []byte(t)) {
			return true
		}
	}
	return false
}

// A place is where an item stands.
type place struct {
	span Span
	list *block // nil for a block that is no list
	item *item  // nil likewise
}

// places returns the items of one section.
func (d *Doc) places(s *Section) []place { return d.body().places(d.own(s)) }

// placesOf returns the items of several sections.
func (d *Doc) placesOf(sections []*Section) (out []place) {
	if len(sections) == 1 {
		return d.places(sections[0])
	}
	for _, s := range sections {
		out = append(out, d.places(s)...)
	}
	return out
}

// places returns the items in one part of the body.
func (o *outline) places(own Span) (out []place) {
	blocks := o.blocks
	blocks = blocks[sort.Search(len(blocks), func(i int) bool { return blocks[i].span.Start >= own.Start }):]
	blocks = blocks[:sort.Search(len(blocks), func(i int) bool { return blocks[i].span.Start >= own.End })]
	n := 0
	for i := range blocks {
		n += max(1, len(blocks[i].items))
	}
	if n == 0 {
		return nil
	}
	out = make([]place, 0, n)
	for i := range blocks {
		k := &blocks[i]
		if k.kind != listBlock || len(k.items) == 0 {
			out = append(out, place{span: k.span})
			continue
		}
		for j := range k.items {
			out = append(out, place{k.items[j].span, k, &k.items[j]})
		}
	}
	return out
}

// itemText returns the text of what stands at a place.
func (d *Doc) itemText(p place) string {
	if p.item == nil {
		return d.lf(p.span)
	}
	return itemText(d.text, *p.item)
}

// ListsUnder returns the texts of the list items that a text has under headings with one of the names, of any
// level and without regard to case: those that stand before the next heading. Empty items are left out.
func ListsUnder(text string, names ...string) []string {
	text, err := cleanText(text)
	if err != nil {
		return nil
	}
	src := []byte(text)
	o := newOutline(src, 0, nil)
	var out []string
	for i, h := range o.headings {
		if !slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, strings.TrimSpace(h.Title)) }) {
			continue
		}
		own := Span{h.Span.End, len(src)}
		if i+1 < len(o.headings) {
			own.End = o.headings[i+1].Span.Start
		}
		for _, p := range o.places(own) {
			if p.item == nil {
				continue
			}
			if t := itemText(src, *p.item); t != "" {
				out = append(out, t)
			}
		}
	}
	return out
}

// itemText returns an item's text without its marker and the indentation that
// follows from the marker.
func itemText(src []byte, it item) string {
	var b strings.Builder
	b.Grow(it.span.Len())
	indent := it.marker.End - it.span.Start // columns: a marker is indented by spaces
	for at := it.span.Start; at < it.span.End; {
		end := min(lineEnd(src, at), it.span.End)
		line := src[at:cutEOL(src, end)]
		if at == it.span.Start {
			line = src[it.marker.End:cutEOL(src, end)]
			outdent(&b, line, indent, it.offset-indent)
		} else {
			outdent(&b, line, 0, it.offset)
		}
		if end < it.span.End {
			b.WriteByte('\n')
		}
		at = end
	}
	s := b.String()
	if k := strings.IndexByte(s, '\n'); k >= 0 && blank([]byte(s[:k])) {
		c := core([]byte(s), Span{0, len(s)})
		return s[c.Start:c.End]
	}
	return s
}

// outdent writes a line that begins at a column without the first cols columns of its
// blanks; what is left of a tab becomes spaces.
func outdent(b *strings.Builder, line []byte, column, cols int) {
	i := 0
	for cols > 0 && i < len(line) {
		width := 1
		if line[i] == '\t' {
			width = 4 - column%4
		} else if line[i] != ' ' {
			break
		}
		i++
		column += width
		cols -= width
	}
	if cols < 0 {
		b.WriteString(strings.Repeat(" ", -cols))
	}
	b.Write(bytes.TrimSuffix(line[i:], []byte{'\r'}))
}
