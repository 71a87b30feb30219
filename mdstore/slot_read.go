package mdstore

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"arbor/mdstore/mdoc"
)

// MaxSlot is the size in bytes that a slot's file may have, and MaxEntry that of one text in it.
const (
	MaxSlot  = 64 << 20
	MaxEntry = 10 << 20
)

// IsSlot reports whether the files of a kind are slots, compressed or not; archived ones are none.
func (k *Kind) IsSlot() bool { return k == SlotKind || k == ZippedSlotKind }

// SlotName returns the name of a slot: from its front matter, or else from its file name.
func SlotName(p *Page) string {
	base := strings.TrimSuffix(strings.TrimSuffix(p.Path.Base(), Zipped), ".md")
	return cmp.Or(p.Field(KeyName), base)
}

// SlotGroup returns the group of a slot: the folder that it lies in, below that of all slots; "" for that one itself.
func SlotGroup(p *Page) string {
	_, rest, _ := strings.Cut(string(p.Path.Dir())+"/", "/"+p.Kind.Place.Dir+"/")
	return strings.TrimSuffix(rest, "/")
}

// SlotOf reads a slot with its entries, in the order of time. It uses the document.
func SlotOf(p *Page) Slot {
	s := SlotHead(p)
	s.Entries = ByTime(EntriesOf(p.Doc()))
	for _, f := range p.Doc().Fields() {
		if value, ok := p.Doc().Value(f.Key); ok && SlotKind.Key(f.Key) == nil {
			s.Custom = append(s.Custom, CustomField{f.Key, value})
		}
	}
	return s
}

// SlotHead reads a slot without its entries and its custom fields. It does not use the document.
func SlotHead(p *Page) Slot {
	priority, _ := strconv.Atoi(p.Field(KeyPriority))
	s := Slot{ID: p.ID, Name: SlotName(p), Description: p.Field(KeyDescription), Group: SlotGroup(p), Tags: p.List(KeyTags), Priority: priority,
		Created: p.Time(KeyCreated), Updated: p.Time(KeyUpdated), Contributors: p.List(KeyContributors),
		ProjectPhase: p.Field(KeyPhase), Keywords: p.List(KeyKeywords), Format: p.Field(KeyFormat)}
	return s
}

// EntriesOf returns the entries of a slot's document in the order of the file.
func EntriesOf(d *mdoc.Doc) []SlotEntry {
	var out []SlotEntry
	for _, b := range blocksOf(d) {
		if b.entry != nil {
			out = append(out, *b.entry)
		}
	}
	return out
}

// ByTime returns entries in the order of their times, and those of one time in the order of the file. An entry without
// a time stays after the one that it follows.
func ByTime(all []SlotEntry) []SlotEntry {
	type timed struct {
		e  SlotEntry
		at time.Time
	}
	var rows []timed
	last := time.Time{}
	for _, e := range all {
		if !e.Time.IsZero() {
			last = e.Time
		}
		rows = append(rows, timed{e, last})
	}
	slices.SortStableFunc(rows, func(a, b timed) int { return a.at.Compare(b.at) })
	out := make([]SlotEntry, 0, len(all))
	for _, r := range rows {
		out = append(out, r.e)
	}
	return out
}

// AboveEntries returns what a person wrote above the first heading of a slot; "" for nothing.
func AboveEntries(d *mdoc.Doc) string {
	return FromVerbatim(blocksOf(d)[0].raw)
}

// Holds reports whether now has all entries of was and the text above them.
func Holds(now, was *Page) bool {
	all := EntriesOf(now.Doc())
	missing := func(e SlotEntry) bool {
		return !slices.ContainsFunc(all, func(o SlotEntry) bool {
			return e.same(o) || e.ID == "" && e.Title == o.Title && e.Text == o.Text // it may have got its id since
		})
	}
	return AboveEntries(now.Doc()) == AboveEntries(was.Doc()) && !slices.ContainsFunc(EntriesOf(was.Doc()), missing)
}

// A slotBlock is a part of a slot's body: the text above the first heading, or a heading of level 1 or 2 written with
// #, and all text up to the next one.
type slotBlock struct {
	raw     string
	heading mdoc.Heading // with its place in the file; zero above the first heading
	entry   *SlotEntry   // nil for a block that is no entry: an empty heading, or the text above the first heading
}

// EntryAt returns where the heading of each entry stands, as lines of the file counted from 1, in the order of
// EntriesOf.
func EntryAt(d *mdoc.Doc) []int {
	var out []int
	for _, b := range blocksOf(d) {
		if b.entry != nil {
			out = append(out, b.heading.Line)
		}
	}
	return out
}

// blocksOf cuts the body of a slot. The first block has no heading; together they are the body, byte by byte.
func blocksOf(d *mdoc.Doc) []slotBlock {
	src, at := d.Readable(), len(d.Front())
	out := []slotBlock{{}}
	for _, h := range d.Headings() {
		if h.Level > 2 || !bytes.HasPrefix(bytes.TrimLeft(src[h.Span.Start:h.Span.End], " "), []byte("#")) {
			continue // underlined lines are text: a rule drawn below an entry must not turn its last line into a heading
		}
		out[len(out)-1].raw = string(src[at:h.Span.Start])
		out, at = append(out, slotBlock{heading: h}), h.Span.Start
	}
	out[len(out)-1].raw = string(src[at:])
	for i := range out[1:] {
		b := &out[i+1]
		b.entry = entryOf(b.heading.Title, b.raw[b.heading.Span.Len():])
	}
	return out
}

// dot separates the parts of an entry's heading.
const dot = " · "

// entryOf reads an entry; nil for an empty heading.
func entryOf(title, stored string) *SlotEntry {
	e := &SlotEntry{Type: EntryManual, Title: title}
	parts := strings.SplitN(title, dot, 4)
	if len(parts) >= 3 {
		at, err := time.Parse(time.RFC3339, parts[2])
		if id := ID(parts[0]); err == nil && id.Valid() && parts[1] != "" {
			e.ID, e.Type, e.Time, e.Title = id, parts[1], at.UTC(), strings.Join(parts[3:], "")
		}
	}
	text := strings.TrimLeft(stored, outer)
	if meta, rest, ok := metaOf(text); ok {
		e.Meta, text = meta, rest
	}
	if e.Text = FromVerbatim(text); e.Text == "" && e.ID == "" && e.Title == "" {
		return nil
	}
	return e
}

const (
	metaOpen  = "<!--"
	metaClose = "-->"
)

// metaOf reads the comment that a text begins with, if all its lines are keys with values.
func metaOf(text string) (meta map[string]any, rest string, ok bool) {
	inside, rest, closed := strings.Cut(strings.TrimPrefix(text, metaOpen), metaClose)
	if !closed || !strings.HasPrefix(text, metaOpen) {
		return nil, text, false
	}
	meta = map[string]any{}
	for line := range strings.Lines(strings.TrimSpace(inside)) {
		key, value, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok || key == "" || strings.ContainsAny(key, " \t") {
			return nil, text, false
		}
		meta[key] = value
		if written := any(nil); json.Unmarshal([]byte(value), &written) == nil {
			meta[key] = written
		}
	}
	return meta, rest, len(meta) > 0
}

// metaText returns metadata as it is stored; "" for none.
func metaText(meta map[string]any) (string, error) {
	var lines []string
	for key, value := range meta {
		text, plain := value.(string)
		if plain && (text != strings.TrimSpace(text) || strings.ContainsAny(text, "\r\n") || strings.Contains(text, "--") || json.Valid([]byte(text))) {
			plain = false
		}
		if !plain || text == "" {
			data, err := json.Marshal(value) // it escapes < and >
			if err != nil {
				return "", err
			}
			text = strings.ReplaceAll(string(data), "--", `-\u002d`)
		}
		lines = append(lines, key+": "+text)
	}
	slices.Sort(lines)
	switch len(lines) {
	case 0:
		return "", nil
	case 1:
		return metaOpen + " " + lines[0] + " " + metaClose + "\n", nil
	}
	return metaOpen + "\n" + strings.Join(lines, "\n") + "\n" + metaClose + "\n", nil
}
