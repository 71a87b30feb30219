package mdoc

import (
	"bytes"
	"fmt"
	"sync"
)

// Doc is one document: its bytes, and an index over them.
type Doc struct {
	name string
	src  []byte
	// text is what this package reads: src, or a copy without damage. It is shorter than src for a file that is too
	// large, and for one with conflicts.
	text   []byte
	shape  []byte // the source of the body's structure, as long as text; nil means text itself
	form   *Form
	parts  parts
	fields []Field
	closed *Diagnostic // the first problem; nil if the document is open to edits
	opaque bool        // the body is beyond the limits and is not parsed

	parseBody  sync.Once
	outline    *outline
	parseFront sync.Once
	front      *front // for edits
}

// Parse reads a document. It always returns a Doc. If it returns diagnostics, the Doc is closed to edits and holds what
// could be read. name is the file's name in diagnostics and errors. form may be nil. The caller must not modify src and
// form afterwards. The body is parsed at its first use.
func Parse(name string, src []byte, form *Form) (*Doc, []Diagnostic) {
	d := &Doc{name: name, src: src, text: src, form: form}
	var found []Diagnostic
	if most := form.most(); len(src) > most {
		// The front matter is at the top. The rest is not read.
		d.opaque = true
		d.text = src[:lineStart(src, 2*maxFrontMatterBytes)]
		found = append(found, Diagnostic{Code: CodeTooLarge, Text: fmt.Sprintf(
			"the file has %d bytes, the limit is %d", len(src), most)})
	}
	readable, damaged := damage(d.text)
	d.text = readable
	if from, _ := conflict(readable); from >= 0 {
		d.text = Ours.Of(readable)
	} else if n := len(damaged); n > 0 && damaged[n-1].Code == CodeConflictMarkers {
		d.shape = withRules(readable)
	}
	found = append(found, damaged...)

	d.parts = split(d.text)
	over := (*limitError)(nil)
	if !d.opaque {
		if over = checkBody(d.text[d.parts.body:]); over != nil {
			d.opaque = true
		}
	}
	switch {
	case d.parts.found:
		fields, problems := readFront(d.text, d.parts.front)
		d.fields = fields
		for _, p := range problems {
			if p.Code != CodeFrontMatter || len(damaged) == 0 { // otherwise the damage, already reported, is the cause
				found = append(found, p)
			}
		}
	case d.parts.open >= 0:
		found = append(found, problemAt(d.text, d.parts.open, CodeNoFrontMatter,
			"the front matter that begins here never ends; close it with a line ---"))
	case d.bare():
	case isUTF16(src): // the diagnostic of the damage suffices
	default:
		found = append(found, problemAt(d.text, 0, CodeNoFrontMatter,
			"the file does not begin with front matter: its keys between two lines ---; a node needs no key but title"))
	}
	if over != nil {
		found = append(found, problemAt(d.text, d.parts.body+over.at, CodeTooLarge, over.text))
	}
	for i := range found {
		found[i].File = name
	}
	if len(found) > 0 {
		d.closed = new(found[0])
	}
	return d, found
}

// bare reports whether the form lets the file be without front matter: its first heading is of level 1.
func (d *Doc) bare() bool {
	if d.form == nil || !d.form.Bare || d.parts.open >= 0 {
		return false
	}
	all := d.Headings()
	return len(all) > 0 && all[0].Level == 1
}

// Heading returns the text of the document's first heading if that is of level 1, else "".
func (d *Doc) Heading() string {
	if all := d.Headings(); len(all) > 0 && all[0].Level == 1 {
		return all[0].Title
	}
	return ""
}

// Name returns the name that the document was parsed under.
func (d *Doc) Name() string { return d.name }

// Bytes returns the source, which must not be modified.
func (d *Doc) Bytes() []byte { return d.src }

// Readable returns the bytes that spans refer to. They are the source, unless damage closes the document to edits: then
// they are the text that Parse reads in its place, for instance with our side of each conflict.
func (d *Doc) Readable() []byte { return d.text }

// Front returns all bytes before the body: the front matter with its two delimiter lines, and anything before them.
func (d *Doc) Front() []byte { return d.text[:d.parts.body] }

// Editable returns nil, or the *UnreadableError that closes the document to edits.
func (d *Doc) Editable() error {
	if d.closed == nil {
		return nil
	}
	return &UnreadableError{*d.closed}
}

// Closed returns a document with the same content that is closed to edits, with why as the reason. It is for a document
// whose file has other content by now.
func (d *Doc) Closed(why Diagnostic) *Doc {
	return &Doc{name: d.name, src: d.src, text: d.text, shape: d.shape, form: d.form, parts: d.parts,
		fields: d.fields, opaque: d.opaque, closed: &why}
}

// Fields returns the front matter's entries in their order, without those whose key
// is a list or a mapping. The slice must not be modified.
func (d *Doc) Fields() []Field { return d.fields }

// Field returns the entry with that key. If a damaged file has several, it returns the first.
func (d *Doc) Field(key string) (Field, bool) {
	for _, f := range d.fields {
		if f.Key == key {
			return f, true
		}
	}
	return Field{}, false
}

// Lines returns the 1-based numbers of the first and last line of a span; blank lines at its end are not counted.
func (d *Doc) Lines(s Span) (first, last int) {
	s = d.clamp(s)
	first = lineNumber(d.text, s.Start)
	return first, first + bytes.Count(bytes.TrimRight(d.text[s.Start:s.End], " \t\r\n"), []byte{'\n'})
}

// clamp returns the part of a span that is inside the document.
func (d *Doc) clamp(s Span) Span {
	start := min(max(s.Start, 0), len(d.text))
	return Span{start, min(max(s.End, start), len(d.text))}
}

// FieldPosition returns the line and column of the value of a front matter key. If the value is absent or its bytes are
// not known, it returns the start of the key's line. Without such a key it returns the start of the front matter, and
// without front matter zeros.
func (d *Doc) FieldPosition(key string) (line, col int) {
	switch f, ok := d.Field(key); {
	case ok && f.Span.Len() > 0:
		return position(d.text, f.Span.Start)
	case ok:
		return f.Line, 1
	case d.parts.open >= 0:
		return position(d.text, d.parts.open)
	}
	return 0, 0
}

// ItemPosition returns the line and column of an item, without the blanks before it.
func (d *Doc) ItemPosition(s Span) (line, col int) {
	s = d.clamp(s)
	return position(d.text, s.End-len(bytes.TrimLeft(d.text[s.Start:s.End], " \t")))
}

// lineOf returns the 1-based number of the line that holds the offset.
func (d *Doc) lineOf(at int) int { return lineNumber(d.text, at) }
