package search

import (
	"bytes"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// A Part is a unit of search, which matches if all words are in it: a node, an entry, a section.
type Part struct {
	Head
	Text []byte
	At   int // the offset in the file of the text, or of its source if the text was composed
}

// parts returns the parts of a file; without Parts it is a single one: everything after the front matter.
func (f *File) parts(data []byte) []Part {
	if f.Parts == nil {
		at := frontEnd(data)
		return []Part{{f.Head, data[at:], at}}
	}
	return f.Parts(f, data)
}

// frontEnd returns the offset after the front matter; 0 if there is none.
func frontEnd(data []byte) int {
	rest, ok := bytes.CutPrefix(bytes.TrimPrefix(data, []byte("\ufeff")), []byte("---"))
	if i := bytes.Index(rest, []byte("\n---")); ok && i >= 0 {
		end := i + len("\n---")
		if n := bytes.IndexByte(rest[end:], '\n'); n >= 0 {
			return len(data) - len(rest) + end + n + 1
		}
		return len(data)
	}
	return 0
}

// Sections returns the parts of a document: the text above the first heading of level 1 or 2 with the front matter, and
// each such heading with all text up to the next.
func Sections(f *File, data []byte) []Part {
	doc, _ := mdoc.Parse(string(f.Path), data, mdstore.SlotForm) // the form with the greatest limit
	all, rest := []Part{{Head: f.Head}}, f.Head
	if f.In != InDocs {
		all[0].At = frontEnd(data)
	}
	rest.ID, rest.Description = "", ""
	for _, h := range doc.Headings() {
		if h.Level <= 2 && h.Span.Start <= len(data) {
			last := &all[len(all)-1]
			last.Text = data[min(last.At, h.Span.Start):h.Span.Start]
			rest.Title = h.Title
			all = append(all, Part{Head: rest, At: h.Span.End})
		}
	}
	last := &all[len(all)-1]
	last.Text = data[last.At:]
	return all
}

// Entries returns the parts of a slot: each entry together with the slot's description, and the text above them.
func Entries(f *File, data []byte) (all []Part) {
	doc, _ := mdoc.Parse(string(f.Path), data, mdstore.SlotForm) // data is decompressed already
	lines := mdstore.EntryAt(doc)
	for i, e := range mdstore.EntriesOf(doc) {
		p := Part{Head: f.Head, Text: []byte(e.Text), At: lineAt(data, lines[i])}
		if at := bytes.Index(data[p.At:], p.Text); at >= 0 {
			p.At += at
		}
		p.ID, p.Type, p.Description = string(e.ID), e.Type, p.Description+"\n"+e.Title
		if !e.Time.IsZero() {
			p.Time = e.Time.UnixMilli()
		}
		all = append(all, p)
	}
	if above := mdstore.AboveEntries(doc); above != "" || len(all) == 0 {
		all = append(all, Part{f.Head, []byte(above), frontEnd(data)})
	}
	return all
}

// lineAt returns the offset of a line, which is counted from 1.
func lineAt(data []byte, line int) (at int) {
	for ; line > 1; line-- {
		at += bytes.IndexByte(data[at:], '\n') + 1
	}
	return at
}
