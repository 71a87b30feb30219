package plan

import (
	"cmp"
	"slices"
	"strings"

	"arbor/engine/errs"
	"arbor/engine/internal/nearest"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// SaveEntry adds an entry to a slot. It makes the slot if it does not exist.
type SaveEntry struct {
	Slot    string            // its name or id
	Facts   SlotFacts         // facts of a new slot; an existing slot gets the tags and keeps its group
	Entry   mdstore.SlotEntry // without id and time
	Replace bool              // it takes the place of all that are there, which are kept in a file
}

// A SavedEntry says what was done with an entry.
type SavedEntry struct {
	Slot, Entry mdstore.ID
	Created     bool         // the slot is new
	Kept        mdstore.Path // the kept copy of the old file, if entries were replaced
}

// Plan plans the change.
func (x SaveEntry) Plan(d *Draft) (*SavedEntry, error) {
	if err := x.Facts.check(); err != nil {
		return nil, err
	}
	if strings.TrimSpace(x.Entry.Text) == "" {
		return nil, errs.New(errs.InvalidContent, "text is empty; give what is to be remembered").With(errs.Details{Param: "text"})
	}
	x.Entry.Time = d.now
	if near := nearest.Word(x.Entry.Type, mdstore.EntryTypes); near != "" && near != x.Entry.Type {
		d.warn("the entry's type is %s; %s is a type that Arbor writes, too", x.Entry.Type, near)
	}
	if len(view.SlotsNamed(d.View, x.Slot, false)) == 0 {
		return x.first(d)
	}
	p, err := slotOf(d, x.Slot)
	if err != nil {
		return nil, err
	}
	facts := x.Facts
	facts.Name, facts.Group = nil, nil
	if facts.Tags != nil {
		facts.Tags = withItems(p.List(mdstore.KeyTags), facts.Tags, nil)
	}
	fields, err := facts.front()
	if err != nil {
		return nil, err
	}
	if g := x.Facts.Group; g != nil && *g != mdstore.SlotGroup(p) {
		d.warn("%s stays in the group %q; {memory_update} moves it", mdstore.SlotName(p), mdstore.SlotGroup(p))
	}
	if x.Entry.ID, err = entryID(d, p.Doc()); err != nil {
		return nil, err
	}
	c, keep := mdstore.SlotChange{Add: []mdstore.SlotEntry{x.Entry}}, mdstore.ID("")
	if n := len(mdstore.EntriesOf(p.Doc())); x.Replace && n > 0 {
		keep = x.Entry.ID
		for i := range n {
			c.Remove = append(c.Remove, i)
		}
	}
	out := &SavedEntry{Slot: p.ID, Entry: x.Entry.ID}
	what := "entries + 1"
	if keep != "" {
		what = "entries replaced"
	}
	out.Kept, err = changeSlot(d, p, fields, c, keep, inSlot(p, what))
	return out, err
}

// first saves the first entry of a new slot.
func (x SaveEntry) first(d *Draft) (*SavedEntry, error) {
	if err := d.Writable(); err != nil {
		return nil, err
	}
	if err := CheckSlotName(x.Slot); err != nil {
		return nil, err
	}
	if d.act.IfMatch != "" {
		return nil, view.NoSlot(x.Slot, []*view.View{d.View}, false)
	}
	x.Facts.Name = &x.Slot
	path, doc, id, err := newSlot(d, x.Facts)
	if err != nil {
		return nil, err
	}
	if x.Entry.ID, err = entryID(d, doc); err != nil {
		return nil, err
	}
	text, err := changed(d, doc, mdstore.SlotChange{Add: []mdstore.SlotEntry{x.Entry}})
	if err != nil {
		return nil, err
	}
	d.whole(mdstore.Change{Path: path, New: text}, created(id, x.Slot))
	return &SavedEntry{Slot: id, Entry: x.Entry.ID, Created: true}, nil
}

// withItems returns a list with more items and without others.
func withItems(list, add, remove []string) []string {
	out := []string{}
	for _, t := range slices.Concat(list, add) {
		if !slices.Contains(out, t) && !slices.Contains(remove, t) {
			out = append(out, t)
		}
	}
	return out
}

// UpdateSlot changes a slot's properties, its name and its group.
type UpdateSlot struct {
	Slot            string
	Facts           SlotFacts
	AddTags, NoTags []string // tags that it gets and loses
}

// A SlotDone says which slot a plan was about.
type SlotDone struct {
	ID    mdstore.ID
	Name  string
	Path  mdstore.Path // the file's path afterwards
	Trash mdstore.Path // the path in the trash, after a deletion
}

// Plan plans the change. If the file moves, the text that it has then is written to the new place and removed from
// the old one.
func (x UpdateSlot) Plan(d *Draft) (*SlotDone, error) {
	p, err := slotOf(d, x.Slot)
	if err != nil {
		return nil, err
	}
	if x.AddTags != nil || x.NoTags != nil {
		tags := x.Facts.Tags
		if tags == nil {
			tags = p.List(mdstore.KeyTags)
		}
		x.Facts.Tags = withItems(tags, x.AddTags, x.NoTags)
	}
	if err := x.Facts.check(); err != nil {
		return nil, err
	}
	name, group := mdstore.SlotName(p), mdstore.SlotGroup(p)
	out := &SlotDone{ID: p.ID, Name: name, Path: p.Path}
	if x.Facts.Name != nil && *x.Facts.Name != name {
		out.Name = *x.Facts.Name
		if err := freeName(d, out.Name, p.Path); err != nil {
			return nil, err
		}
	}
	fields, err := x.Facts.front()
	if err != nil {
		return nil, err
	}
	doc := p.Doc()
	fields = slices.DeleteFunc(fields, func(f mdoc.FieldValue) bool {
		return doc.Holds(f.Key, f.Value)
	})
	to := group
	if x.Facts.Group != nil {
		to = *x.Facts.Group
	}
	moves := out.Name != name || to != group
	if len(fields) == 0 && !moves {
		return out, nil
	}
	what := inSlot(p, "changed")
	if moves {
		what = inSlot(p, "moved to "+strings.TrimPrefix(to+"/"+out.Name, "/"))
	}
	if _, err := changeSlot(d, p, fields, mdstore.SlotChange{}, "", what); err != nil || !moves {
		return out, err
	}
	out.Path = slotPath(d, p.Kind, to, out.Name, p.ID)
	if to == group && strings.EqualFold(out.Name, name) {
		out.Path = p.Path
	}
	if strings.EqualFold(string(out.Path), string(p.Path)) {
		out.Path = p.Path // only the case of letters differs, which some file systems ignore
		return out, nil
	}
	edit := &d.extra[len(d.extra)-1]
	edit.change = mdstore.Change{Path: out.Path, New: edit.change.New}
	edit.old = nil
	d.whole(mdstore.Change{Path: p.Path, Base: p.Version()})
	return out, nil
}

// DeleteSlot moves the file of a slot to the trash.
type DeleteSlot struct{ Slot string }

// Plan plans the deletion. A slot whose file is damaged is deleted as well.
func (x DeleteSlot) Plan(d *Draft) (*SlotDone, error) {
	if err := d.Writable(); err != nil {
		return nil, err
	}
	p, err := view.Slot(d.View, x.Slot, false)
	if err != nil {
		return nil, err
	}
	out := &SlotDone{ID: p.ID, Name: mdstore.SlotName(p), Trash: mdstore.TrashPath(mdstore.TrashStamp(d.now, string(p.ID)), "")}
	d.whole(mdstore.Change{Path: p.Path, To: out.Trash.Join(string(p.Path))}, inSlot(p, "deleted"))
	return out, d.match(p.Path, p.Version())
}

// UseSlot makes a slot the current one of a session.
type UseSlot struct {
	Session mdstore.ID
	Slot    string // its id, or the name of a slot to be made; NoSlotName: none, and memory writes are off
}

// Plan writes it into the session's file, without a line in its log.
func (x UseSlot) Plan(d *Draft) (None, error) {
	p, err := sessionFile(d, x.Session)
	if err != nil {
		return None{}, err
	}
	edit := OnPage(d, p)
	edit.Set(mdstore.KeySlot, mdoc.Text(x.Slot))
	edit.Did(view.Change{ID: p.ID, Key: mdstore.KeySlot, From: cmp.Or(p.Field(mdstore.KeySlot), "none"), To: x.Slot})
	return None{}, nil
}
