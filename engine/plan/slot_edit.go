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
	To    string // the slot that gets the entry; "" if it stays
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
	if x.To != "" && c.Add != nil {
		if err := moveEntry(d, p, x.To, c.Add[0]); err != nil {
			return nil, err
		}
		c.Add, what = nil, "entry moved"
	}
	if _, err := changeSlot(d, p, nil, c, "", inSlot(p, what)); err != nil {
		return nil, err
	}
	return &SlotDone{ID: p.ID, Name: mdstore.SlotName(p), Path: p.Path}, nil
}

// moveEntry adds an entry of a slot to another one, where it keeps its id if that is free.
func moveEntry(d *Draft, from *mdstore.Page, to string, e mdstore.SlotEntry) error {
	q, err := slotOf(d, to)
	if err != nil {
		return err
	}
	if q.Path == from.Path {
		return errs.New(errs.InvalidParams, "%s: the entry is in this slot already; name another one", mdstore.SlotName(q))
	}
	if slices.ContainsFunc(mdstore.EntriesOf(q.Doc()), func(o mdstore.SlotEntry) bool { return o.ID == e.ID }) {
		if e.ID, err = entryID(d, q.Doc()); err != nil {
			return err
		}
	}
	c := mdstore.SlotChange{Add: []mdstore.SlotEntry{e}}
	_, err = changeSlot(d, q, nil, c, "", inSlot(q, "entry moved"))
	return err
}
