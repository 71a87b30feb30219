package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"arbor/engine/internal/memory"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/fold"
	"arbor/mdstore/mdoc"
)

// An AddedEntries counts the entries that a slot got.
type AddedEntries struct {
	Slot     string `json:"slot"`
	Created  bool   `json:"created,omitempty"` // it is new
	Archived bool   `json:"archived,omitempty"`
	Added    int    `json:"added"`
	Already  int    `json:"already,omitempty"` // entries that it had already
}

// addEntries adds those of the entries that a slot does not have, and the facts that it does not state. A slot that is
// not there is made with the facts, in the archive if archived is set; read is for the archive's files.
func addEntries(
	d *Draft, name string, f SlotFacts, more []mdstore.SlotEntry, archived *memory.Archived, read ReadFile,
) (out AddedEntries, err error) {
	out.Slot = name
	more = slices.Clone(more)
	for i := range more {
		if more[i].Time.IsZero() {
			more[i].Time = d.now
		}
	}
	if len(view.SlotsNamed(d.View, name, false)) > 0 {
		p, err := slotOf(d, name)
		if err != nil {
			return out, err
		}
		add := memory.Add(mdstore.EntriesOf(p.Doc()), more)
		out.Slot, out.Added, out.Already = mdstore.SlotName(p), len(add), len(more)-len(add)
		if archived != nil {
			d.adapted = append(d.adapted, out.Slot+" archived → in use")
		}
		fields, err := f.lacking(p)
		if err == nil && len(add)+len(fields) > 0 {
			_, err = changeSlot(d, p, fields, mdstore.SlotChange{Add: add}, "", inSlot(p, fmt.Sprintf("entries + %d", len(add))))
		}
		return out, err
	}
	if archived != nil {
		if old := view.SlotsNamed(d.View, name, true); len(old) > 0 {
			add := memory.Add(mdstore.EntriesOf(old[0].Doc()), more)
			if out.Archived, out.Already = true, len(more)-len(add); len(add) > 0 {
				d.warn("%s is archived here and stays as it is: %d entries of the file are not in it; {memory_restore} "+
					"restores it, then import the file again", name, len(add))
			}
			return out, nil
		}
	}
	return newEntries(d, f, more, archived, read, out)
}

// newEntries makes a slot with entries.
func newEntries(
	d *Draft, f SlotFacts, more []mdstore.SlotEntry, archived *memory.Archived, read ReadFile, out AddedEntries,
) (AddedEntries, error) {
	name := out.Slot
	if f.Name = &name; d.Writable() != nil {
		return out, d.Writable()
	}
	if err := f.check(); err != nil {
		return out, err
	}
	path, doc, id, err := newSlot(d, f)
	if err != nil {
		return out, err
	}
	add := memory.Add(nil, more)
	out.Created, out.Added, out.Already = true, len(add), len(more)-len(add)
	text, err := changed(d, doc, mdstore.SlotChange{Add: add})
	if err != nil || archived == nil {
		d.whole(mdstore.Change{Path: path, New: text}, created(id, name))
		return out, err
	}
	out.Archived = true
	note := mdstore.ArchiveNote{Reason: archived.Reason, At: archived.At, Entries: len(add)}
	if note.At.IsZero() {
		note.At = d.now
	}
	group := ""
	if f.Group != nil {
		group = *f.Group
	}
	to := slotPath(d, mdstore.ArchivedSlotKind, group, name, id)
	return out, toArchive(d, read, to, path, text, note, created(id, name))
}

// lacking returns the fields of the facts that the front matter of a slot lacks. Tags are added to its tags.
func (f SlotFacts) lacking(p *mdstore.Page) (front, error) {
	had := p.List(mdstore.KeyTags)
	f.Name, f.Tags = nil, withItems(had, f.Tags, nil)
	if len(f.Tags) == len(had) {
		f.Tags = nil
	}
	fields, err := f.front()
	return slices.DeleteFunc(fields, func(v mdoc.FieldValue) bool {
		_, states := p.Doc().Field(v.Key)
		return states && v.Key != mdstore.KeyTags
	}), err
}

// ImportSlots adds the entries of a file to slots. Invalid names are corrected, and the outcome lists the corrections.
type ImportSlots struct {
	Slots []memory.Incoming
	Slot  string   // the slot that they go to; "" for those that the file names
	Read  ReadFile // for archived slots
}

// An incoming is what an import brings to one slot.
type incoming struct {
	name     string
	facts    SlotFacts
	entries  []mdstore.SlotEntry
	archived *memory.Archived // if all that it comes from is archived
}

// Plan plans the changes, one for each slot.
func (x ImportSlots) Plan(d *Draft) (out []AddedEntries, err error) {
	var slots []*incoming
	for _, in := range x.Slots {
		name := x.Slot
		if name == "" {
			name = right(d, "name", in.Name, mdstore.SlotNameFor(in.Name))
		}
		i := slices.IndexFunc(slots, func(s *incoming) bool { return fold.Name(s.name) == fold.Name(name) })
		if i < 0 {
			i = len(slots)
			slots = append(slots, &incoming{name: name, archived: in.Archived, facts: SlotFacts{Custom: map[string]any{}}})
		}
		if in.Archived == nil || x.Slot != "" {
			if slots[i].archived != nil {
				d.adapted = append(d.adapted, in.Name+" archived → in use")
			}
			slots[i].archived = nil
		}
		slots[i].take(d, in)
	}
	for _, s := range slots {
		added, err := addEntries(d, s.name, s.facts, s.entries, s.archived, x.Read)
		if err != nil {
			return nil, err
		}
		out = append(out, added)
	}
	return out, nil
}

// right returns the value that a slot has instead of another one, and says so if they differ.
func right(d *Draft, what, was, now string) string {
	if was != now {
		d.adapted = append(d.adapted, what+" "+was+" → "+now)
	}
	return now
}

// take adds what a file says of the slot.
func (s *incoming) take(d *Draft, in memory.Incoming) {
	f := &s.facts
	for _, what := range in.Adapted {
		d.adapted = append(d.adapted, s.name+": "+what)
	}
	var group []string
	for part := range strings.FieldsFuncSeq(in.Group, func(r rune) bool { return r == '/' || r == '\\' }) {
		if strings.Trim(part, ". ") != "" {
			group = append(group, mdstore.SlotNameFor(part))
		}
	}
	f.Group = new(right(d, "group", in.Group, strings.Join(group, "/")))
	if in.Description != "" {
		f.Description = new(right(d, "description", in.Description, strings.Join(strings.Fields(in.Description), " ")))
	}
	for _, tag := range in.Tags {
		if tag = right(d, "tag", tag, mdstore.SlotTagFor(tag)); tag != "" {
			f.Tags = withItems(f.Tags, []string{tag}, nil)
		}
	}
	if in.Priority != 0 {
		f.Priority = &in.Priority
	}
	if f.Created == 0 || in.Created != 0 && in.Created < f.Created {
		f.Created = in.Created
	}
	f.Updated = cmp.Or(max(f.Updated, in.Updated), in.Created)
	for key, v := range in.Fields {
		switch _, ok := custom(v); {
		case ownSlotKey(key):
			d.warn("%s: %s is left out: Arbor writes this key itself", s.name, key)
		case !ok || key == "":
			d.warn("%s: %s is left out: its value is longer than the %d bytes that a key of a slot may have",
				s.name, cmp.Or(key, "a key without a name"), longestField)
		default:
			f.Custom[key] = v
		}
	}
	s.entries = append(s.entries, in.Entries...)
}
