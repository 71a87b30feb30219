package mdoc

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// Doc is one document: its bytes and what stands where in them.
type Doc struct {
	name   string
	src    []byte
	text   []byte // src, or what is read in its place where src is damaged; as long as src but for a file that is too large
	shape  []byte // what the body's structure is read from, as long as text, where that is not text itself
	form   *Form
	parts  parts
	fields []Field
	plain  bool        // all of the front matter is lines of one unmistakable form
	closed *Diagnostic // the first problem; nil where the document is open to edits
	opaque bool        // the body is beyond the limits and is not parsed

	found      atomic.Pointer[[]finding] // what was found in it, by who asked; few ask
	spell      sync.Once
	spelled    string // text, of which what is asked for is a part
	returns    bool   // there are carriage returns in it
	parseBody  sync.Once
	outline    *outline
	parseFront sync.Once
	front      *front // for edits; most documents are never edited
}

// Parse reads a document. It always returns a Doc; what is unreadable is a
// diagnostic, and the Doc is then closed to edits. form may be nil.
// name is the file's name in diagnostics and errors. src and form must not be
// modified afterwards. The body is parsed when it is first asked for.
func Parse(name string, src []byte, form *Form) (*Doc, []Diagnostic) {
	d := &Doc{name: name, src: src, text: src, form: form}
	var found []Diagnostic
	if len(src) > MaxBytes {
		// The front matter is at the top: the rest is not even looked at.
		d.opaque = true
		d.text = src[:lineStart(src, 2*MaxFrontMatterBytes)]
		found = append(found, Diagnostic{File: name, Code: CodeTooLarge,
			Text: fmt.Sprintf("the file has %d bytes, the limit is %d", len(src), MaxBytes)})
	}
	readable, damaged := damage(name, d.text)
	d.text = readable
	if n := len(damaged); n > 0 && damaged[n-1].Code == CodeConflictMarkers {
		d.shape = withRules(readable)
	}
	found = append(found, damaged...)

	d.parts = split(d.text)
	switch {
	case d.parts.found:
		fields, plain, problems := readFront(d.text, d.parts.front)
		d.fields, d.plain = fields, plain
		for _, p := range problems {
			if p.Code == CodeFrontMatter && len(damaged) > 0 {
				continue // a consequence of the damage, and no news beside it
			}
			p.File = name
			found = append(found, p)
		}
	case d.parts.open >= 0:
		line, col := position(d.text, d.parts.open)
		found = append(found, Diagnostic{File: name, Line: line, Col: col, Code: CodeNoFrontMatter,
			Text: "the front matter that begins here never ends; close it with a line ---"})
	default:
		found = append(found, Diagnostic{File: name, Line: 1, Col: 1, Code: CodeNoFrontMatter,
			Text: "the file does not begin with front matter; put its fields between two lines ---"})
	}
	if !d.opaque {
		if over := checkBody(d.text[d.parts.body:]); over != nil {
			d.opaque = true
			line, col := position(d.text, d.parts.body+over.at)
			found = append(found, Diagnostic{File: name, Line: line, Col: col, Code: CodeTooLarge, Text: over.text})
		}
	}
	if len(found) > 0 {
		first := found[0]
		d.closed = &first
	}
	return d, found
}

// A finding is what somebody found in a document.
type finding struct{ key, what any }

// Found returns what find finds in the document, which is kept with it under the key: it is asked for once, as a rule. Nobody may modify what is returned. Keys are
// few: one for each kind of what is found.
func (d *Doc) Found(key any, find func() any) any {
	if what, ok := d.has(key); ok {
		return what
	}
	what := find()
	for {
		old := d.found.Load()
		if first, ok := d.has(key); ok {
			return first // somebody else was faster
		}
		next := []finding{{key, what}}
		if old != nil {
			next = append(next, *old...)
		}
		if d.found.CompareAndSwap(old, &next) {
			return what
		}
	}
}

func (d *Doc) has(key any) (what any, ok bool) {
	if all := d.found.Load(); all != nil {
		for i := range *all {
			if (*all)[i].key == key {
				return (*all)[i].what, true
			}
		}
	}
	return nil, false
}

// Name returns the name that the document was parsed under.
func (d *Doc) Name() string { return d.name }

// Bytes returns the source, which must not be modified.
func (d *Doc) Bytes() []byte { return d.src }

// Editable returns nil, or the *UnreadableError that closes the document to edits.
func (d *Doc) Editable() error {
	if d.closed == nil {
		return nil
	}
	return &UnreadableError{*d.closed}
}

// Closed returns a document that reads as d does and is closed to edits, because the file does not hold it any more.
func (d *Doc) Closed(why Diagnostic) *Doc {
	return &Doc{name: d.name, src: d.src, text: d.text, shape: d.shape, form: d.form, parts: d.parts, fields: d.fields, plain: d.plain, opaque: d.opaque, closed: &why}
}

// Fields returns the front matter's entries in their order. An entry whose key
// is a list or a mapping is kept and not listed. The slice must not be modified.
func (d *Doc) Fields() []Field { return d.fields }

// Field returns the entry with that key, the first where a damaged file has several.
func (d *Doc) Field(key string) (Field, bool) {
	for _, f := range d.fields {
		if f.Key == key {
			return f, true
		}
	}
	return Field{}, false
}

// Lines returns the 1-based numbers of the first and last line of a span; blank
// lines at its end are not counted.
func (d *Doc) Lines(s Span) (first, last int) {
	s.Start = min(max(s.Start, 0), len(d.text))
	s.End = min(max(s.End, s.Start), len(d.text))
	end := s.End
	for end > s.Start && blank(d.text[end-1:end]) {
		end--
	}
	first = lineNumber(d.text, s.Start)
	if end == s.Start {
		return first, first
	}
	return first, first + lineNumber(d.text[s.Start:end], end-s.Start-1) - 1
}

// Position returns the 1-based line and column of an offset, the column in bytes.
func (d *Doc) Position(at int) (line, col int) { return position(d.text, at) }

// FieldPosition returns the line and column where the value of a front matter key stands: those of the key's line where the value is absent or its
// bytes are not known, those of the front matter where there is no such key, and zeros where there is no front matter.
func (d *Doc) FieldPosition(key string) (line, col int) {
	switch f, ok := d.Field(key); {
	case ok && f.Span.Len() > 0:
		return d.Position(f.Span.Start)
	case ok:
		return f.Line, 1
	case d.parts.open >= 0:
		return d.Position(d.parts.open)
	}
	return 0, 0
}

// ItemPosition returns the line and column where an item stands, without the blanks before it.
func (d *Doc) ItemPosition(s Span) (line, col int) {
	at := min(max(s.Start, 0), len(d.text))
	for at < min(s.End, len(d.text)) && (d.text[at] == ' ' || d.text[at] == '\t') {
		at++
	}
	return d.Position(at)
}

// lineOf returns the 1-based number of the line that holds the offset.
func (d *Doc) lineOf(at int) int { return lineNumber(d.text, at) }
