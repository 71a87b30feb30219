package mdoc

import (
	"bytes"
	"slices"
	"sort"
	"strings"
)

// Items returns the items of every section of that name, in the order of the file. If texts are given, it returns only
// the items whose bytes contain one of them. Blank lines at the start of an item are not part of its text.
func (d *Doc) Items(name string, texts ...string) []Item {
	var out []Item
	line, counted := 1, 0
	for s := range d.named(name) {
		for _, p := range d.places(s) {
			in := func(t string) bool { return bytes.Contains(d.text[p.span.Start:p.span.End], []byte(t)) }
			if len(texts) > 0 && !slices.ContainsFunc(texts, in) {
				continue
			}
			line += bytes.Count(d.text[counted:p.span.Start], []byte{'\n'})
			counted = p.span.Start
			out = append(out, Item{Text: d.itemText(p), Listed: p.item != nil, Span: p.span, Line: line})
		}
	}
	return out
}

// A place is where one item of a section stands.
type place struct {
	span Span
	list *block // nil for a block that is not a list
	item *item  // nil if list is nil
}

// places returns the items of sections.
func (d *Doc) places(sections ...*Section) (out []place) {
	for _, s := range sections {
		out = append(out, d.body().places(d.own(s))...)
	}
	return out
}

// places returns the items in one part of the body.
func (o *outline) places(own Span) (out []place) {
	first := sort.Search(len(o.blocks), func(i int) bool { return o.blocks[i].span.Start >= own.Start })
	for i := first; i < len(o.blocks) && o.blocks[i].span.Start < own.End; i++ {
		k := &o.blocks[i]
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

// itemText returns the text of the item or block at a place.
func (d *Doc) itemText(p place) string {
	if p.item == nil {
		return d.lf(p.span)
	}
	return itemText(d.text, *p.item)
}

// ListsUnder finds the headings in text that have one of the names, at any level, in any case and with or without a
// colon. It returns the texts of the list items between each of them and the next heading, without empty items.
func ListsUnder(text string, names ...string) []string {
	d, _ := Parse("", []byte("---\n---\n\n"+text), nil)
	var out []string
	for i, h := range d.Headings() {
		title := strings.TrimRight(strings.TrimSpace(h.Title), ":： ")
		if !slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, title) }) {
			continue
		}
		own := Span{h.Span.End, len(d.text)}
		if i+1 < len(d.Headings()) {
			own.End = d.Headings()[i+1].Span.Start
		}
		for _, p := range d.body().places(own) {
			if p.item == nil {
				continue
			}
			if t := d.itemText(p); t != "" {
				out = append(out, t)
			}
		}
	}
	return out
}

// itemText returns an item's text without its marker and the indentation that the marker demands.
func itemText(src []byte, it item) string {
	var b strings.Builder
	b.Grow(it.span.Len())
	indent := it.marker.End - it.span.Start // also in columns, because only spaces indent a marker
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

// outdent writes a line without the first cols columns of its blanks. The line begins at the given column. If the cut
// falls within a tab, the rest of the tab becomes spaces.
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
