package plan

import (
	"fmt"
	"slices"
	"strings"

	"arbor/engine/errs"
	"arbor/engine/memory"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/fold"
)

// An AddedEntries counts the entries that a slot got.
type AddedEntries struct {
	Slot    string `json:"slot"`
	Created bool   `json:"created,omitempty"` // it is new
	Added   int    `json:"added"`
	Already int    `json:"already,omitempty"` // entries that it had already
}

// addEntries adds those of the entries that a slot does not have, and tags. A slot that is not there is made, with the
// facts.
func addEntries(d *Draft, name string, f SlotFacts, more []mdstore.SlotEntry) (out AddedEntries, err error) {
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
		had := p.List(mdstore.KeyTags)
		fields, add := front(nil), memory.Add(mdstore.EntriesOf(p.Doc()), more)
		if tags := withItems(had, f.Tags, nil); len(tags) > len(had) {
			fields, _ = SlotFacts{Tags: tags}.front()
		}
		out.Slot, out.Added, out.Already = mdstore.SlotName(p), len(add), len(more)-len(add)
		if len(add) > 0 || fields != nil {
			_, err = changeSlot(d, p, fields, mdstore.SlotChange{Add: add}, "", inSlot(p, fmt.Sprintf("entries + %d", len(add))))
		}
		return out, err
	}
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
	d.whole(mdstore.Change{Path: path, New: text}, created(id, name))
	return out, err
}

// MergeSlots puts the entries of slots into one, those that are alike once.
type MergeSlots struct {
	Sources    []string
	Target     string // it may be one of the sources; all that it has stays
	Similarity float64
	Delete     bool // the other sources go to the trash
}

// A MergedSlots is the result of a merge.
type MergedSlots struct {
	Target  string
	Entries int
	Left    []memory.Left
	Deleted []string // names
}

// Plan plans the merge.
func (x MergeSlots) Plan(d *Draft) (*MergedSlots, error) {
	var sources []memory.Source
	var facts SlotFacts
	out, met := &MergedSlots{}, map[mdstore.Path]bool{}
	if hits := view.SlotsNamed(d.View, x.Target, false); len(hits) == 1 {
		out.Entries, met[hits[0].Path] = len(mdstore.EntriesOf(hits[0].Doc())), true
		sources = []memory.Source{{Slot: mdstore.SlotName(hits[0]), Stays: true, Entries: mdstore.EntriesOf(hits[0].Doc())}}
	}
	target := len(sources)
	for _, ref := range x.Sources {
		p, err := slotOf(d, ref)
		if err != nil {
			return nil, err
		}
		if met[p.Path] {
			continue
		}
		met[p.Path] = true
		s := mdstore.SlotOf(p)
		sources = append(sources, memory.Source{Slot: s.Name, Entries: s.Entries})
		if facts.Tags = withItems(facts.Tags, s.Tags, nil); facts.Group == nil {
			facts.Group = &s.Group // a new slot lies beside the first one
		}
		if d.keep[p.Path] = p.Version(); x.Delete {
			out.Deleted = append(out.Deleted, s.Name)
			to := mdstore.TrashPath(mdstore.TrashStamp(d.now, string(p.ID)), "")
			d.whole(mdstore.Change{Path: p.Path, To: to.Join(string(p.Path))}, inSlot(p, "deleted"))
		}
	}
	if len(sources) == target || len(sources) < 2 {
		return nil, errs.New(errs.InvalidParams, "a merge is of two slots or more; %s is one", strings.Join(x.Sources, ", ")).
			With(errs.Details{Param: "sources"})
	}
	kept, left := memory.Merge(sources, x.Similarity)
	added, err := addEntries(d, x.Target, facts, kept)
	out.Target, out.Left, out.Entries = added.Slot, left, out.Entries+added.Added
	return out, err
}

// ImportSlots adds what a file has to slots. Names that cannot be are put right, and the outcome says so.
type ImportSlots struct {
	Slots []memory.Incoming
	Slot  string // the slot that they go to; "" for those that the file names
}

// Plan plans the changes, one for each slot.
func (x ImportSlots) Plan(d *Draft) (out []AddedEntries, err error) {
	right := func(what, was, now string) string {
		if was != now {
			d.adapted = append(d.adapted, what+" "+was+" → "+now)
		}
		return now
	}
	var names []string
	facts, entries := map[string]SlotFacts{}, map[string][]mdstore.SlotEntry{}
	for _, in := range x.Slots {
		name := x.Slot
		if name == "" {
			name = right("name", in.Name, SlotNameFor(in.Name))
		}
		if i := slices.IndexFunc(names, func(n string) bool { return fold.Name(n) == fold.Name(name) }); i >= 0 {
			name = names[i]
		} else {
			names = append(names, name)
		}
		f := facts[name]
		var group []string
		for part := range strings.FieldsFuncSeq(in.Group, func(r rune) bool { return r == '/' || r == '\\' }) {
			if strings.Trim(part, ". ") != "" {
				group = append(group, SlotNameFor(part))
			}
		}
		f.Group = new(right("group", in.Group, strings.Join(group, "/")))
		if in.Description != "" {
			f.Description = new(right("description", in.Description, strings.Join(strings.Fields(in.Description), " ")))
		}
		for _, tag := range in.Tags {
			if tag = right("tag", tag, TagFor(tag)); tag != "" {
				f.Tags = withItems(f.Tags, []string{tag}, nil)
			}
		}
		if in.Priority != 0 {
			f.Priority = &in.Priority
		}
		f.Custom = map[string]any{}
		for key, v := range in.Fields {
			if _, ok := custom(v); ok && !ownSlotKey(key) {
				f.Custom[key] = v
			} else {
				d.warn("%s: %s is left out: its value cannot stand in a slot's front matter", name, key)
			}
		}
		facts[name], entries[name] = f, append(entries[name], in.Entries...)
	}
	for _, name := range names {
		added, err := addEntries(d, name, facts[name], entries[name])
		if err != nil {
			return nil, err
		}
		out = append(out, added)
	}
	return out, nil
}
