package mdstore

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

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
	return placeID(folder)
}

// idFix says what check --fix does about a missing id.
func idFix(name string) string {
	if !ID(name).Valid() {
		return "write " + string(placeID(name)) + " as id, made of the folder's name"
	}
	return "write the folder's name as id"
}

// placeID returns the id of a file that states none: the name of its place, or one that is made of it.
func placeID(name string) ID {
	if ID(name).Valid() {
		return ID(name)
	}
	return madeID(name)
}

// madeID returns an id that is made of a text which is none.
func madeID(name string) ID {
	words := strings.FieldsFunc(name, func(r rune) bool { return r > 127 || !IDByte(byte(r)) })
	sum := sha256.Sum256([]byte(name))
	made := strings.TrimLeft(strings.Join(words, "-"), ".")
	made = made[:min(len(made), MaxID-9)] + "-" + hex.EncodeToString(sum[:4])
	return ID(strings.TrimLeft(made, "-"))
}

func (r *reader) integer(key string) int64 {
	f, ok := r.doc.Field(key)
	if !ok || f.Kind == mdoc.Null {
		return 0
	}
	ms, ok := Milliseconds(f.Value)
	if !ok {
		r.complain(key, CodeFieldInvalid, key+" is "+strconv.Quote(f.Value)+"; "+timeForm+" are expected")
	}
	return ms
}

// timeForm says what Milliseconds reads.
const timeForm = "Unix milliseconds, or a time such as 2026-12-01T10:00:00,"

// Milliseconds reads the value of a key for a time: Unix milliseconds, or what ParseTime reads.
func Milliseconds(text string) (ms int64, ok bool) {
	if ms, err := strconv.ParseInt(text, 10, 64); err == nil {
		return ms, true
	}
	if at, ok := ParseTime(text); ok {
		return at.UnixMilli(), true
	}
	return 0, false
}
