package merge

import (
	"slices"

	"arbor/mdstore/mdoc"
)

// Marked reports whether a text has the marks of a conflict: a line that begins with seven or more of "<" and a
// blank, and below it one of as many of ">".
func Marked(data []byte) bool { return len(mdoc.Ours.Of(data)) != len(data) }

// conflictsIn returns the conflicts that a file with marks has, by field and section.
func (m *merging) conflictsIn(data []byte) (out []Conflict) {
	if !Marked(data) {
		return nil
	}
	o, _ := m.parse(mdoc.Ours.Of(lf(data)))
	t, _ := m.parse(mdoc.Theirs.Of(lf(data)))
	names := []string{""}
	for _, d := range []*mdoc.Doc{o, t} {
		for _, s := range d.Sections() {
			names = append(names, s.Name)
		}
	}
	for _, f := range slices.Backward(o.Fields()) { // a conflict is in a key that both have
		names = slices.Insert(names, 0, f.Key)
	}
	seen := map[string]bool{}
	for _, what := range names {
		c := Conflict{What: what, Base: said(m.doc[base], what), Ours: said(o, what), Theirs: said(t, what)}
		if !seen[what] && c.Ours != c.Theirs {
			out = append(out, c)
		}
		seen[what] = true
	}
	if len(out) == 0 { // they differ only in how they are written
		out = append(out, Conflict{Base: string(m.doc[base].Bytes()), Ours: string(o.Bytes()), Theirs: string(t.Bytes())})
	}
	return out
}

// said returns the text of a key or section in a document; "" names the text above the sections.
func said(d *mdoc.Doc, what string) string {
	switch f, ok := d.Field(what); {
	case ok && f.Kind == mdoc.Nested:
		return d.Slice(f.Span)
	case ok:
		return f.Value
	case what != "":
		return d.Text(what)
	}
	end := len(d.Readable())
	if s := d.Sections(); len(s) > 0 {
		end = s[0].Heading.Start
	}
	return d.Slice(mdoc.Span{Start: len(d.Front()), End: end})
}
