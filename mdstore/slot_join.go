package mdstore

import (
	"bytes"
	"cmp"
	"errors"
	"slices"
	"strings"

	"arbor/mdstore/diff3"
	"arbor/mdstore/mdoc"
)

// joinSlots does to theirs what turned base into ours. Entries are a keyed set in the order of time: what only one side added, changed or
// removed is so in the result, an entry that one side removed and the other changed stays, and of two that both changed differently both
// stay, ours with an id of its own. Tags are united, the older id and createdAt and the later updatedAt stand; any other key that both
// changed differently is as theirs has it, and missing names it.
func joinSlots(base, ours, theirs *mdoc.Doc) (joined []byte, missing []string) {
	if eolOf(ours) != eolOf(theirs) {
		return nil, []string{"the whole change: one version has other line ends"}
	}
	front, missing := joinFront(base, ours, theirs)
	blocks, ok := joinEntries(blocksOf(base), blocksOf(ours), blocksOf(theirs), eolOf(theirs))
	if !ok {
		missing = append(missing, "the text above the entries")
	}
	joined, err := joinBlocks(front, blocks, eolOf(theirs))
	if err != nil {
		return nil, []string{"the whole change: " + err.Error()}
	}
	return joined, missing
}

// UniteSlots returns one file for a slot that was made twice.
func UniteSlots(ours, theirs *mdoc.Doc) (united []byte, missing []string) {
	empty, _ := mdoc.Parse(theirs.Name(), []byte("---\n---\n"), SlotForm)
	return joinSlots(empty, ours, theirs)
}

// JoinSlotBodies returns the body of a slot that both sides changed, with the line ends eol. The error says why it can only be merged as
// lines.
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

// joinFront returns theirs with the front matter of both.
func joinFront(base, ours, theirs *mdoc.Doc) (out *mdoc.Doc, missing []string) {
	made := func(d *mdoc.Doc) int64 { return (&reader{doc: d}).integer(KeyCreated) }
	updated := func(d *mdoc.Doc) int64 { return (&reader{doc: d}).integer(KeyUpdated) }
	older := made(ours) != 0 && (made(theirs) == 0 || made(ours) < made(theirs))
	out = theirs
	for _, f := range ours.Fields() {
		was, is, now := valueOf(base, f.Key), valueOf(ours, f.Key), valueOf(theirs, f.Key)
		want := is
		switch {
		case was == is || is == now:
			continue
		case was == now:
		case f.Key == KeyTags || f.Key == KeyContributors:
			want = mdoc.List(unite(base.List(f.Key), ours.List(f.Key), theirs.List(f.Key))...)
		case f.Key == KeyUpdated:
			want = mdoc.Integer(max(updated(ours), updated(theirs)))
		case (f.Key == KeyID || f.Key == KeyCreated) && older:
		case f.Key == KeyID || f.Key == KeyCreated:
			continue
		default:
			missing = append(missing, f.Key)
			continue
		}
		if p, err := out.SetField(f.Key, want); err != nil {
			missing = append(missing, f.Key)
		} else if next, err := out.Apply(p); err != nil {
			missing = append(missing, f.Key)
		} else {
			out = next
		}
	}
	return out, missing
}

func valueOf(d *mdoc.Doc, key string) mdoc.Scalar {
	f, _ := d.Field(key)
	if f.Kind == mdoc.Nested {
		return mdoc.List(d.List(key)...)
	}
	return f.Scalar()
}

// unite returns theirs with the items that ours has added, without those that ours has removed.
func unite(base, ours, theirs []string) (out []string) {
	for _, t := range theirs {
		if slices.Contains(ours, t) || !slices.Contains(base, t) {
			out = append(out, t)
		}
	}
	for _, o := range ours {
		if !slices.Contains(base, o) && !slices.Contains(out, o) {
			out = append(out, o)
		}
	}
	return out
}

// joinEntries joins the blocks of three versions. ok is false where the text above the entries is as theirs has it alone.
func joinEntries(base, ours, theirs []slotBlock, eol string) (out []slotBlock, ok bool) {
	above, ok := diff3.Add([]byte(base[0].raw), []byte(ours[0].raw), []byte(theirs[0].raw))
	if ok && strings.TrimSpace(string(above)) != "" {
		out = append(out, slotBlock{raw: string(above)})
	} else {
		out = append(out, theirs[0])
	}
	b, o := keyed(base, nil), keyed(ours, base)
	t := keyed(theirs, base)
	keys := keysOf(theirs, base)
	for i, x := range theirs[1:] {
		key := keys[i]
		was, had := b[key]
		mine, has := o[key]
		switch {
		case !has && had && was.equal(x):
			continue // ours removed it
		case has && had && was.equal(x):
			x = mine
		case has && !mine.equal(x) && (!had || !was.equal(mine)):
			out = append(out, bothOf(was, mine, x, had, eol)...)
			continue
		}
		out = append(out, x)
	}
	keys = keysOf(ours, base)
	for i, x := range ours[1:] {
		key := keys[i]
		was, had := b[key]
		if _, has := t[key]; has || had && was.equal(x) {
			continue // it is there, or theirs removed it
		}
		at := len(out)
		if x.entry != nil && !x.entry.Time.IsZero() {
			at = placeBy(out, x.entry)
		} else if j := slices.IndexFunc(out, func(y slotBlock) bool { return i > 0 && keyOf(y, base) == keyOf(ours[i], base) }); j >= 0 {
			at = j + 1
		}
		out = slices.Insert(out, at, x)
	}
	return out, ok
}

// bothOf returns what becomes of a block that ours and theirs have differently, and which was otherwise where had says so.
func bothOf(was, ours, theirs slotBlock, had bool, eol string) []slotBlock {
	text, ok := diff3.Add([]byte(was.raw), []byte(ours.raw), []byte(theirs.raw))
	o, t := ours.entry, theirs.entry
	switch {
	case had && ok:
		return []slotBlock{reread(string(text))}
	case o == nil || t == nil:
		return []slotBlock{theirs, ours}
	case o.Title != t.Title || o.Text != t.Text:
		return []slotBlock{theirs, ours.renamed(eol)}
	case o.Time.Before(t.Time): // both gave a heading to one text
		return []slotBlock{ours}
	}
	return []slotBlock{theirs}
}

// placeBy returns where an entry goes among others by its time and then its id.
func placeBy(blocks []slotBlock, e *SlotEntry) int {
	i := len(blocks)
	for i > 1 {
		o := blocks[i-1].entry
		if o == nil || o.Time.IsZero() || cmp.Or(o.Time.Compare(e.Time), cmp.Compare(o.ID, e.ID)) < 0 {
			break
		}
		i--
	}
	return i
}

func (b slotBlock) equal(o slotBlock) bool {
	return strings.TrimRight(b.raw, outer) == strings.TrimRight(o.raw, outer)
}

// keyOf returns what tells the block from others of its file in all versions: the id of an entry, or else its heading and text. An entry that
// got its id since is the one that base has without one.
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

// keysOf returns the keys of all blocks but the first, those of twins by their number.
func keysOf(blocks, base []slotBlock) (out []string) {
	met := map[string]int{}
	for _, b := range blocks[1:] {
		key := keyOf(b, base)
		met[key]++
		out = append(out, key+strings.Repeat("\x00", met[key]))
	}
	return out
}

func keyed(blocks, base []slotBlock) map[string]slotBlock {
	out := map[string]slotBlock{}
	for i, key := range keysOf(blocks, base) {
		out[key] = blocks[i+1]
	}
	return out
}

// reread returns the block that a merged text is.
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
