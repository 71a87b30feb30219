package plan

import (
	"strings"

	"arbor/engine/errs"
	"arbor/engine/internal/memory"
	"arbor/engine/view"
	"arbor/mdstore"
)

// MergeSlots puts the entries of slots into one slot; of similar entries only one.
type MergeSlots struct {
	Sources    []string
	Target     string // may be one of the sources; it keeps all of its entries
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
			facts.Group = &s.Group // a new slot goes beside the first source
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
	added, err := addEntries(d, x.Target, facts, kept, nil, nil)
	out.Target, out.Left, out.Entries = added.Slot, left, out.Entries+added.Added
	return out, err
}
