package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"arbor/engine/errs"
	"arbor/engine/internal/memory"
	"arbor/engine/view"
	"arbor/mdstore"
)

// SummarizeSlot adds a summary to a slot.
type SummarizeSlot struct {
	Slot    string
	Text    string   // the text to summarize; "" for entries
	Entries []string // their ids; nil for all since the last summary
	Ratio   float64
	Summary string // the caller's summary; "" takes sentences of the text
	Most    int    // summaries that the slot may have; beyond that, the oldest are merged into one
}

// Plan plans the entry. If it merges summaries, it keeps a copy of the file as it was.
func (x SummarizeSlot) Plan(d *Draft) (*SavedEntry, error) {
	var all []mdstore.SlotEntry
	var p *mdstore.Page // nil if the slot will be made
	var err error
	if x.Text == "" || len(view.SlotsNamed(d.View, x.Slot, false)) > 0 {
		if p, err = slotOf(d, x.Slot); err != nil {
			return nil, err
		}
		all = mdstore.EntriesOf(p.Doc())
	}
	var texts []string
	for _, id := range x.Entries {
		i := slices.IndexFunc(all, func(e mdstore.SlotEntry) bool { return string(e.ID) == id })
		if i < 0 {
			return nil, errs.New(errs.EntryNotFound, "%s: slot %s has no such entry; {memory_read} lists their "+
				"ids", id, mdstore.SlotName(p)).
				With(errs.Details{Param: "entryIds"})
		}
		texts = append(texts, all[i].Text)
	}
	if x.Text == "" && x.Entries == nil {
		for _, e := range all {
			if texts = append(texts, e.Text); e.Type == mdstore.EntrySummary || e.Type == mdstore.EntryRolled {
				texts = nil
			}
		}
		if texts == nil {
			return nil, errs.New(errs.InvalidParams, "slot %s has no entry since its last summary; give a text or entryIds", mdstore.SlotName(p)).
				With(errs.Details{Param: "text"})
		}
	}
	if x.Text == "" {
		x.Text = strings.Join(texts, "\n\n")
	}
	from := utf8.RuneCountInString(x.Text)
	if to := utf8.RuneCountInString(x.Summary); to > from {
		return nil, errs.New(errs.InvalidParams, "the summary has %d characters and what it sums up has %d; give a shorter "+
			"one, or save it as a text ({memory_save})", to, from).With(errs.Details{Param: "summary"})
	}
	if x.Summary == "" {
		x.Summary = memory.Summarize(x.Text, x.Ratio)
	}
	save := SaveEntry{Slot: x.Slot, Entry: mdstore.SlotEntry{Type: mdstore.EntrySummary, Text: x.Summary, Meta: map[string]any{
		mdstore.MetaSummary: fmt.Sprintf("%d → %d characters", from, utf8.RuneCountInString(x.Summary))}}}
	var old []int
	for _, kind := range []string{mdstore.EntryRolled, mdstore.EntrySummary} {
		for i, e := range all {
			if e.Type == kind {
				old = append(old, i)
			}
		}
	}
	// there is nothing to roll up; save.Plan refuses a blank summary
	if len(old) < x.Most || strings.TrimSpace(x.Summary) == "" {
		return save.Plan(d)
	}
	old, texts = old[:len(old)+2-x.Most], nil
	for _, i := range old {
		texts = append(texts, all[i].Text)
	}
	rolled := mdstore.SlotEntry{Type: mdstore.EntryRolled, Time: cmp.Or(all[old[len(old)-1]].Time, d.now), Text: strings.Join(texts, "\n\n"),
		Meta: map[string]any{"rolled": len(old)}}
	save.Entry.Time = d.now
	if save.Entry.ID, err = entryID(d, p.Doc()); err == nil {
		rolled.ID, err = entryID(d, p.Doc())
	}
	if err != nil {
		return nil, err
	}
	out := &SavedEntry{Slot: p.ID, Entry: save.Entry.ID}
	c := mdstore.SlotChange{Remove: old, Add: []mdstore.SlotEntry{rolled, save.Entry}}
	out.Kept, err = changeSlot(d, p, nil, c, out.Entry, inSlot(p, fmt.Sprintf("entries + 1, %d summaries become one", len(old))))
	return out, err
}
