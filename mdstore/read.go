package mdstore

import (
	"strconv"
	"strings"

	"arbor/mdstore/mdoc"
)

// A Problem is what keeps a node or workspace from going on, and what to do about it.
type Problem struct {
	Text     string `json:"problem"`
	NextStep string `json:"nextStep,omitempty"`
}

// IsZero reports whether there is no problem.
func (p Problem) IsZero() bool { return p == Problem{} }

// Body returns the text of the section that holds the problem.
func (p Problem) Body() string {
	if p.NextStep == "" {
		return p.Text
	}
	if p.Text == "" {
		return "### " + NextStep + "\n\n" + p.NextStep
	}
	return p.Text + "\n\n### " + NextStep + "\n\n" + p.NextStep
}

// problemOf splits the Problem section at its last level-3 heading that names the next step: a text that holds such a heading
// of its own, written together with a next step, reads back as it was written.
func problemOf(d *mdoc.Doc) Problem {
	s, ok := d.Section(SecProblem)
	if !ok {
		return Problem{}
	}
	cut := mdoc.Heading{}
	for _, h := range d.Headings() {
		if h.Level == 3 && h.Span.Start >= s.Body.Start && h.Span.End <= s.Body.End && (strings.EqualFold(h.Title, NextStep) || h.Title == nextStepAlias) {
			cut = h
		}
	}
	if cut.Level == 0 {
		return Problem{Text: d.Text(SecProblem)}
	}
	return Problem{Text: d.Slice(mdoc.Span{Start: s.Body.Start, End: cut.Span.Start}), NextStep: d.Slice(mdoc.Span{Start: cut.Span.End, End: s.Body.End})}
}

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

func logEntries(d *mdoc.Doc) []LogEntry {
	items := d.Items(SecLog)
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
	line := 0
	if f, ok := r.doc.Field(key); ok {
		line = f.Line
	}
	r.problems = append(r.problems, mdoc.Diagnostic{File: r.doc.Name(), Line: line, Code: code, Text: text})
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
		if ID(folder).Valid() {
			r.problems[len(r.problems)-1].Fix = "write the folder's name as id"
		}
	}
	return ID(folder)
}

func (r *reader) flag(key string) bool {
	f, ok := r.doc.Field(key)
	if ok && f.Kind != mdoc.Bool && f.Kind != mdoc.Null {
		r.complain(key, CodeFieldInvalid, key+" is "+strconv.Quote(f.Value)+"; true or false is expected")
	}
	return f.Kind == mdoc.Bool && (f.Value == "true" || f.Value == "True" || f.Value == "TRUE")
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
