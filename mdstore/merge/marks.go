package merge

import (
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// Marked reports whether a text has the marks of a conflict: a line that begins with seven or more of "<" and a blank, and
// below it one of as many of ">".
func Marked(data []byte) bool { return len(mdoc.Ours.Of(data)) != len(data) }

// Ours returns a text with our side of each conflict, Theirs with the other. A text without marks is as it is.
func Ours(data []byte) []byte { return mdoc.Ours.Of(data) }

// Theirs is Ours for the other side.
func Theirs(data []byte) []byte { return mdoc.Theirs.Of(data) }

// ConflictsIn returns what the marks in a file at p tell apart, by field and section. Base is known where marks show it.
func ConflictsIn(p mdstore.Path, data []byte) (out []Conflict) {
	if !Marked(data) {
		return nil
	}
	var form *mdoc.Form
	if kind := mdstore.AllKinds().Of(p); kind != nil {
		form = kind.Form
	}
	side := func(s mdoc.Side) *mdoc.Doc {
		d, _ := mdoc.Parse(string(p), s.Of(lf(data)), form)
		return d
	}
	b, o, t := side(mdoc.Base), side(mdoc.Ours), side(mdoc.Theirs)
	seen := map[string]bool{}
	add := func(what string) {
		c := Conflict{What: what, Base: said(b, what), Ours: said(o, what), Theirs: said(t, what)}
		if !seen[what] && c.Ours != c.Theirs {
			seen[what], out = true, append(out, c)
		}
	}
	for _, d := range []*mdoc.Doc{o, t} {
		for _, f := range d.Fields() {
			add(f.Key)
		}
	}
	add("")
	for _, d := range []*mdoc.Doc{o, t} {
		for _, s := range d.Sections() {
			add(s.Name)
		}
	}
	if len(out) == 0 { // they differ only in how they are written
		out = append(out, Conflict{Base: string(b.Bytes()), Ours: string(o.Bytes()), Theirs: string(t.Bytes())})
	}
	return out
}

// said returns what a document says of a key or in a section, or with "" above its sections.
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
