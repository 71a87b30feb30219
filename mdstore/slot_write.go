package mdstore

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"arbor/mdstore/mdoc"
)

// A SlotChange is a change of the entries of a slot.
type SlotChange struct {
	Remove []int       // entries, by their number in EntriesOf
	Add    []SlotEntry // each goes behind all that are not younger

	// Adopt returns the id for an entry that a person wrote, which gets a heading with the time Now. Of two entries
	// with the same id, the second gets another one. nil: none gets one.
	Adopt func() (ID, error)
	Now   time.Time
}

// ChangeSlot returns the bytes of a slot after a change; all other bytes stay. If the file cannot hold an entry as
// given, or an open block would swallow the text after it, the error is an *mdoc.EditError.
func ChangeSlot(d *mdoc.Doc, c SlotChange) ([]byte, error) {
	if err := d.Editable(); err != nil {
		return nil, err
	}
	eol := eolOf(d)
	var blocks []slotBlock
	n, met := 0, map[ID]bool{}
	for _, b := range blocksOf(d) {
		if e := b.entry; e != nil {
			n++
			if e.ID != "" && met[e.ID] && c.Adopt != nil { // as after a merge line by line
				b = b.renamed(eol)
			}
			met[e.ID] = true
			if slices.Contains(c.Remove, n-1) {
				continue
			}
			if e.ID == "" && c.Adopt != nil {
				id, err := c.Adopt()
				if err != nil {
					return nil, err
				}
				b = b.adopted(id, c.Now, eol)
			}
		}
		blocks = append(blocks, b)
	}
	add := slices.Clone(c.Add)
	slices.SortStableFunc(add, func(a, b SlotEntry) int { return a.Time.Compare(b.Time) })
	for _, e := range add {
		if err := e.check(d.Name()); err != nil {
			return nil, err
		}
		b, err := newBlock(e, eol)
		if err != nil {
			return nil, err
		}
		blocks = slices.Insert(blocks, placeOf(blocks, e.Time), b)
	}
	return joinBlocks(d, blocks, eol)
}

// eolOf returns the line end of a file: that of its front matter.
func eolOf(d *mdoc.Doc) string {
	if bytes.Contains(d.Front(), []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// placeOf returns the index for a new entry with that time: after the last entry that is not younger.
func placeOf(blocks []slotBlock, at time.Time) int {
	i := len(blocks)
	for i > 1 && blocks[i-1].entry != nil && blocks[i-1].entry.Time.After(at) {
		i--
	}
	return i
}

// check returns an error for an entry that no file can hold.
func (e *SlotEntry) check(file string) error {
	why := ""
	switch {
	case len(e.Text) > MaxEntry:
		why = fmt.Sprintf("the text has %d bytes; an entry may have %d: divide it, or keep it in a file of its own", len(e.Text), MaxEntry)
	case !utf8.ValidString(e.Text) || strings.ContainsRune(e.Text, 0):
		why = "the text holds a NUL byte or is not UTF-8; a slot holds text only"
	case !e.ID.Valid():
		why = fmt.Sprintf("%s is no id of an entry", quoted(string(e.ID)))
	case e.Type == "" || strings.ContainsFunc(e.Type, func(r rune) bool { return r != '_' && r != '-' && (r > 127 || !IDByte(byte(r))) }):
		why = fmt.Sprintf("%s is no type of an entry; letters, digits, _ and - are one", quoted(e.Type))
	}
	for key := range e.Meta {
		if !ID(key).Valid() || strings.Contains(key, "--") {
			why = fmt.Sprintf("%s is no key of metadata; letters, digits, _, - and . are one", quoted(key))
		}
	}
	if why == "" {
		return nil
	}
	return &mdoc.EditError{File: file, Text: why}
}

// headingOf returns the heading of an entry with a number of marks.
func (e *SlotEntry) headingOf(level int) string {
	head := strings.Repeat("#", level) + " " + string(e.ID) + dot + e.Type + dot + e.Time.UTC().Format(time.RFC3339)
	if e.Title != "" {
		head += dot + e.Title
	}
	return head
}

// newBlock returns a new entry as it is stored.
func newBlock(e SlotEntry, eol string) (slotBlock, error) {
	e.Time = e.Time.UTC().Truncate(time.Second)
	meta, err := metaText(e.Meta)
	if err != nil {
		return slotBlock{}, err
	}
	body := Verbatim(e.Text)
	if body == e.Text {
		body = strings.ReplaceAll(body, "\n", eol)
	}
	raw := e.headingOf(2) + eol + eol + strings.ReplaceAll(meta, "\n", eol)
	if body != "" {
		raw += body + eol
	}
	return slotBlock{raw: raw, heading: mdoc.Heading{Level: 2}, entry: &e}, nil
}

// adopted returns a person's entry with a heading of ours that keeps theirs, if it reads back so.
func (b slotBlock) adopted(id ID, now time.Time, eol string) slotBlock {
	e := *b.entry
	e.ID, e.Time = id, now.UTC().Truncate(time.Second)
	raw := e.headingOf(b.heading.Level) + eol + b.raw[b.heading.Span.Len():]
	d, _ := mdoc.Parse("", []byte("---\n---\n"+raw), SlotForm)
	if after := EntriesOf(d); len(after) != 1 || after[0].Title != e.Title || after[0].Text != e.Text {
		return b
	}
	b.raw, b.entry = raw, &e
	return b
}

// joinBlocks returns a file of d's front matter and the blocks, with a blank line above each, and checks that all of
// them read back.
func joinBlocks(d *mdoc.Doc, blocks []slotBlock, eol string) ([]byte, error) {
	out := bytes.Clone(d.Front())
	var want []SlotEntry
	for i, b := range blocks {
		if i > 0 {
			for len(out) > 0 && !bytes.HasSuffix(out, []byte(eol+eol)) {
				out = append(out, eol...)
			}
		}
		out = append(out, b.raw...)
		if b.entry != nil {
			want = append(want, *b.entry)
		}
	}
	after, wrong := mdoc.Parse(d.Name(), out, SlotForm)
	if len(wrong) > 0 {
		return nil, &mdoc.EditError{File: d.Name(), Text: "the slot cannot hold this: " + wrong[0].Text}
	}
	if !slices.EqualFunc(EntriesOf(after), want, SlotEntry.same) || AboveEntries(after) != FromVerbatim(blocks[0].raw) {
		return nil, &mdoc.EditError{File: d.Name(), Text: "an entry would not read back as it was given; the usual cause is a code fence or " +
			"HTML block that is open at the end of an entry that a person wrote: close it"}
	}
	return out, nil
}

// same reports whether two entries say the same.
func (e SlotEntry) same(o SlotEntry) bool {
	a, errA := metaText(e.Meta)
	b, errB := metaText(o.Meta)
	return errA == nil && errB == nil && a == b && e.ID == o.ID && e.Type == o.Type && e.Time.Equal(o.Time) && e.Title == o.Title && e.Text == o.Text
}
