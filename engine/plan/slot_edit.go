package plan

import (
	"slices"
	"strings"

	"arbor/engine/errs"
	"arbor/mdstore"
)

// EditEntry replaces the text of an entry of a slot, or removes the entry if the new text is blank. Its id, type, time
// and title stay.
type EditEntry struct {
	Slot  string
	Entry mdstore.ID // "" for one without an id, which Was finds
	Was   string     // the present text; another one is a conflict
	Text  string
}

// Plan plans the change.
func (x EditEntry) Plan(d *Draft) (*SlotDone, error) {
	p, err := slotOf(d, x.Slot)
	if err != nil {
		return nil, err
	}
	all := mdstore.EntriesOf(p.Doc())
	i := slices.IndexFunc(all, func(e mdstore.SlotEntry) bool {
		return e.ID == x.Entry && (e.ID != "" || e.Text == x.Was)
	})
	if i < 0 || all[i].Text != x.Was {
		return nil, errs.New(errs.Conflicting, "%s: the entry was changed or removed meanwhile; read the slot again",
			mdstore.SlotName(p))
	}
	c, what := mdstore.SlotChange{Remove: []int{i}}, "entry removed"
	if strings.TrimSpace(x.Text) != "" {
		e := all[i]
		if e.Text = x.Text; e.ID == "" {
			if e.ID, err = entryID(d, p.Doc()); err != nil {
				return nil, err
			}
		}
		c.Add, what = []mdstore.SlotEntry{e}, "entry edited"
	}
	if _, err := changeSlot(d, p, nil, c, "", inSlot(p, what)); err != nil {
		return nil, err
	}
	return &SlotDone{ID: p.ID, Name: mdstore.SlotName(p), Path: p.Path}, nil
}
