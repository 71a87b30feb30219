package mdstore

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"time"

	"arbor/mdstore/diff3"
	"arbor/mdstore/mdoc"
)

// JoinSlotBodies returns the body of a slot that both sides changed, with the line ends eol. Entries are a keyed set in
// the order of time: a change by one side only is in the result, an entry that one side removed and the other changed
// stays, and if both changed an entry differently, both versions stay, one with a new id. The error says why it can
// only be merged as lines.
func JoinSlotBodies(base, ours, theirs *mdoc.Doc, eol string) (string, error) {
	for _, d := range []*mdoc.Doc{base, ours, theirs} {
		if eolOf(d) != eol && len(blocksOf(d)) > 1 {
			return "", errors.New("one version has other line ends")
		}
	}
	blocks, ok := joinEntries(blocksOf(base), blocksOf(theirs), blocksOf(ours), eol)
	if !ok {
		return "", errors.New("both sides changed the text above the entries")
	}
	empty, _ := mdoc.Parse(ours.Name(), []byte("---"+eol+"---"+eol), SlotForm)
	joined, err := joinBlocks(empty, blocks, eol)
	if err != nil {
		return "", err
	}
	return string(joined[len(empty.Front()):]), nil
}

// joinEntries joins the blocks of three versions. ok is false if the text above the entries is only that of theirs.
func joinEntries(base, ours, theirs []slotBlock, eol string) (out []slotBlock, ok bool) {
	above, ok := diff3.Add([]byte(base[0].raw), []byte(ours[0].raw), []byte(theirs[0].raw))
	if ok && strings.TrimSpace(string(above)) != "" {
		out = append(out, slotBlock{raw: string(above)})
	} else {
		out = append(out, theirs[0])
	}
	var items [3][]diff3.Item
	ids := map[ID]bool{}
	for i, blocks := range [][]slotBlock{base, ours, theirs} {
		rank := ""
		for _, x := range blocks[1:] {
			if x.entry != nil && !x.entry.Time.IsZero() {
				rank = x.entry.Time.Format(time.RFC3339) + string(x.entry.ID)
			}
			if x.entry != nil && i > 0 {
				ids[x.entry.ID] = true
			}
			items[i] = append(items[i], diff3.Item{Key: keyOf(x, base), Rank: rank, Value: strings.TrimRight(x.raw, outer)})
		}
	}
	for _, at := range diff3.Keyed(items[0], items[1], items[2]) {
		var was slotBlock
		if at.Base >= 0 {
			was = base[at.Base+1]
		}
		switch {
		case at.Theirs < 0:
			out = append(out, ours[at.Ours+1])
			continue
		case at.Ours < 0:
			out = append(out, theirs[at.Theirs+1])
			continue
		}
		switch mine, x := ours[at.Ours+1], theirs[at.Theirs+1]; {
		case mine.equal(x), at.Base >= 0 && was.equal(mine):
			out = append(out, x)
		case at.Base >= 0 && was.equal(x):
			out = append(out, mine)
		default:
			for i, y := range bothOf(was, mine, x, at.Base >= 0, eol) {
				if i == 0 || y.entry == nil || !ids[y.entry.ID] { // otherwise an earlier join has added it
					out = append(out, y)
				}
			}
		}
	}
	return out, ok
}

// bothOf merges a block that ours and theirs have in different versions. was is the base version; had says whether
// there is one.
func bothOf(was, ours, theirs slotBlock, had bool, eol string) []slotBlock {
	text, ok := diff3.Add([]byte(was.raw), []byte(ours.raw), []byte(theirs.raw))
	o, t := ours.entry, theirs.entry
	switch {
	case had && ok:
		return []slotBlock{reread(string(text))}
	case o == nil || t == nil:
		return []slotBlock{theirs, ours}
	case o.Title != t.Title || o.Text != t.Text:
		if ours.raw < theirs.raw { // so that every machine gives a new id to the same one
			ours, theirs = theirs, ours
		}
		return []slotBlock{theirs, ours.renamed(eol)}
	case o.Time.Before(t.Time): // both gave a heading to one text
		return []slotBlock{ours}
	}
	return []slotBlock{theirs}
}

func (b slotBlock) equal(o slotBlock) bool {
	return strings.TrimRight(b.raw, outer) == strings.TrimRight(o.raw, outer)
}

// keyOf returns the key by which a block is matched in all versions: the id of an entry, or else its heading and text.
// An entry that got its id after base is matched with the one without an id in base.
func keyOf(b slotBlock, base []slotBlock) string {
	e := b.entry
	switch {
	case e == nil:
		return "\x00" + b.heading.Title
	case e.ID == "":
		return "\x00" + e.Title + "\x00" + e.Text
	case e.Title != "" && slices.ContainsFunc(base, func(w slotBlock) bool {
		return w.entry != nil && w.entry.ID == "" && w.entry.Title == e.Title && w.entry.Text == e.Text
	}):
		return "\x00" + e.Title + "\x00" + e.Text
	}
	return string(e.ID)
}

// reread parses a merged text as a block.
func reread(raw string) slotBlock {
	d, _ := mdoc.Parse("", []byte("---\n---\n"+raw), SlotForm)
	if all := blocksOf(d); len(all) > 1 {
		return slotBlock{raw: raw, heading: all[1].heading, entry: all[1].entry}
	}
	return slotBlock{raw: raw}
}

// renamed returns an entry under an id that its text gives it, so that every machine gives it the same.
func (b slotBlock) renamed(eol string) slotBlock {
	if b.entry == nil || b.entry.ID == "" {
		return b
	}
	e := *b.entry
	v := VersionOf([]byte(b.raw))
	id, err := NewID("entry", max(0, e.Time.UnixMilli()), bytes.NewReader(v[:]))
	if err != nil { // the digest has too few bytes that count
		return b
	}
	e.ID = id
	b.raw = e.headingOf(b.heading.Level) + eol + b.raw[len(firstLine(b.raw)):]
	b.entry = &e
	return b
}

func firstLine(raw string) string {
	line, _, _ := bytes.Cut([]byte(raw), []byte("\n"))
	return raw[:min(len(raw), len(line)+1)]
}
