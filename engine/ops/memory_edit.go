package ops

import (
	"context"

	"arbor/engine/internal/people"
	"arbor/engine/plan"
	"arbor/mdstore"
)

type EntryEditIn struct {
	SlotRef
	EntryID   string // "" for an entry that a person wrote, which Was finds
	Was, Text string // the present text, and the new one; blank to remove the entry
	To        string // the slot that gets the entry; "" if it stays
	Write
}

type EntryEditOut struct {
	Slot string `json:"slot"`
	Wrote
}

// EntryEdit replaces the text of an entry, moves it to another slot, or removes it. Only the page has it: programs save
// another entry, and at the command line a person edits the file.
func EntryEdit(ctx context.Context, env *Env, in EntryEditIn) (*EntryEditOut, error) {
	if !env.Who.May(people.Work) {
		return nil, lacks(env.Who, "to edit an entry", people.Work)
	}
	v, p, err := slotIn(ctx, env, in.SlotRef, false)
	if err != nil {
		return nil, err
	}
	ctx = mdstore.WithOperation(ctx, memoryUpdate.deed(env, &MemoryUpdateIn{SlotRef: in.SlotRef}))
	x := plan.EditEntry{Slot: refOf(v, p), Entry: mdstore.ID(in.EntryID), Was: in.Was, Text: in.Text, To: in.To}
	done, w, err := apply(ctx, env, target{ws: v.Workspace().ID}, env.act(in.Write, Match{}), x, "{memory_read} reads it")
	if err != nil {
		return nil, err
	}
	return &EntryEditOut{Slot: done.Name, Wrote: w}, nil
}
