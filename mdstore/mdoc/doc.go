package mdoc

import (
	"bytes"
	"fmt"
	"sync"
)

// Doc is one document: its bytes, and an index over them.
type Doc struct {
	name   string
	src    []byte
	text   []byte // what is read: src, or a copy without damage; shorter for a file that is too large, and for one with conflicts
	shape  []byte // the text from which the body's structure is read, of the same length; nil: text itself
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

// Parse reads a document. It always returns a Doc; what cannot be read is a diagnostic, and the Doc is then closed to
// edits. name is the file's name in diagnostics and errors. form may be nil. The caller must not modify src and form
// afterwards. The body is parsed at its first use.
func Parse(name string, src []byte, form *Form) (*Doc, []Diagnostic) {
	d := &Doc{name: name, src: src, text: src, form: form}
	var found []Diagnostic
	if most := form.most(); len(src) > most {
		// The front matter is at the top. The rest is not read.
		d.opaque = true
		d.text = src[:lineStart(src, 2*MaxFrontMatterBytes)]
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
	switch {
	case d.parts.found:
		fields, problems := readFront(d.text, d.parts.front)
		d.fields = fields
		for _, p := range problems {
			if p.Code != CodeFrontMatter || len(damaged) == 0 { // else a consequence of the damage, which is reported
				found = append(found, p)
			}
		}
	case d.parts.open >= 0:
		found = append(found, problemAt(d.text, d.parts.open, CodeNoFrontMatter,
			"the front matter that begins here never ends; close it with a line ---"))
	case isUTF16(src): // which says all
	default:
		found = append(found, problemAt(d.text, 0, CodeNoFrontMatter,
			"the file does not begin with front matter; put its fields between two lines ---"))
	}
	if !d.opaque {
		if over := checkBody(d.text[d.parts.body:]); over != nil {
			d.opaque = true
			found = append(found, problemAt(d.text, d.parts.body+over.at, CodeTooLarge, over.text))
		}
	}
	for i := range found {
		found[i].File = name
	}
	if len(found) > 0 {
		d.closed = new(found[0])
	}
	return d, found
}

// Name returns the name that the document was parsed under.
func (d *Doc) Name() string { return d.name }

// Bytes returns the source, which must not be modified.
func (d *Doc) Bytes() []byte { return d.src }

// Readable returns the bytes that spans refer to: the source, or what is read of it where it is closed to edits, as the side
// ours of a conflict.
func (d *Doc) Readable() []byte { return d.text }

// Front returns the bytes of the front matter with the lines that begin and end it, and all that stands before them.
func (d *Doc) Front() []byte { return d.text[:d.parts.body] }

// Editable returns nil, or the *UnreadableError that closes the document to edits.
func (d *Doc) Editable() error {
	if d.closed == nil {
		return nil
	}
	return &UnreadableError{*d.closed}
}

// Closed returns a document with the same content that is closed to edits because of
// why: the file has another content now.
func (d *Doc) Closed(why Diagnostic) *Doc {
	return &Doc{name: d.name, src: d.src, text: d.text, shape: d.shape, form: d.form, parts: d.parts,
		fields: d.fields, opaque: d.opaque, closed: &why}
}

// Fields returns the front matter's entries in their order, without those whose key
// is a list or a mapping. The slice must not be modified.
func (d *Doc) Fields() []Field { return d.fields }

// Field returns the entry with that key, the first if a damaged file has several.
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

// FieldPosition returns the line and column of the value of a front matter key; those
// of the key's line if the value is absent or its bytes are not known; those of the
// front matter if there is no such key; zeros if there is no front matter.
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
