package mdstore

import (
	"strconv"

	"arbor/mdstore/mdoc"
)

func refs(d *mdoc.Doc, section string) []Ref {
	var out []Ref
	for i, it := range d.Items(section) {
		if !it.Listed {
			continue
		}
		if r := ParseRef(it.Text); r.Target != "" {
			r.Index, r.Span, r.Line = i, it.Span, it.Line
			out = append(out, r)
		}
	}
	return out
}

func logEntries(d *mdoc.Doc, texts ...string) []LogEntry {
	items := d.Items(SecLog, texts...)
	out := make([]LogEntry, 0, len(items))
	for _, it := range items {
		e := LogEntry{Event: it.Text}
		if it.Listed {
			e = ParseLog(it.Text)
		}
		e.Span, e.Line = it.Span, it.Line
		out = append(out, e)
	}
	return out
}

// A reader takes typed values out of front matter and collects what is wrong with them.
type reader struct {
	doc      *mdoc.Doc
	problems []mdoc.Diagnostic
}

func (r *reader) complain(key, code, text string) {
	line, col := r.doc.FieldPosition(key)
	r.problems = append(r.problems, mdoc.Diagnostic{File: r.doc.Name(), Line: line, Col: col, Code: code, Text: text})
}

// text returns a scalar's text, "" for null, absent and nested values; a nested one is a problem.
func (r *reader) text(key string) string {
	f, ok := r.doc.Field(key)
	if ok && f.Kind == mdoc.Nested {
		r.complain(key, CodeFieldInvalid, key+" is a list or a mapping; one plain value is expected")
	}
	return f.Value
}

func (r *reader) id(folder string) ID {
	if id := ID(r.text(KeyID)); id.Valid() {
		return id
	} else if len(r.problems) == 0 {
		r.complain(KeyID, CodeIDMissing, "id is "+quoted(string(id))+"; one to 128 letters, digits, '.', '_' and '-' are an id")
		r.problems[len(r.problems)-1].Fix = idFix(folder)
	}
	return ID(folder)
}

// idFix says what check --fix does about a missing id; "" if the file's place gives none.
func idFix(name string) string {
	if !ID(name).Valid() {
		return ""
	}
	return "write the folder's name as id"
}

func (r *reader) integer(key string) int64 {
	f, ok := r.doc.Field(key)
	if !ok || f.Kind == mdoc.Null {
		return 0
	}
	n, err := strconv.ParseInt(f.Value, 10, 64)
	if err != nil {
		r.complain(key, CodeFieldInvalid, key+" is "+strconv.Quote(f.Value)+"; Unix milliseconds are expected")
		return 0
	}
	return n
}
