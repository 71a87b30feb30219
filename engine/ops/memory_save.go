package ops

import (
	"context"

	"arbor/engine/plan"
	"arbor/mdstore"
)

// MemorySaveIn is a text to be remembered.
type MemorySaveIn struct {
	SlotRef
	Text        string         `json:"text" req:"true" text:"the text"`
	Mode        string         `json:"mode,omitempty" enum:"append,replace" help:"replace takes the place of all entries, which are kept"`
	Tags        []string       `json:"tags,omitempty" flag:"tag" help:"a TAG of the slot; may be repeated"`
	Group       *string        `json:"group,omitempty" help:"the GROUP of a new slot, as projects/alpha"`
	Description *string        `json:"description,omitempty" help:"the slot in one line of TEXT"`
	Priority    *int           `json:"priority,omitempty" help:"N from 1 (most) to 5"`
	EntryType   string         `json:"entryType,omitempty" flag:"type" help:"the TYPE; manual_save unless given"`
	Metadata    map[string]any `json:"metadata,omitempty" flag:"-" help:"the entry's"`
	Write
	Match
}

// MemorySaveOut names the entry.
type MemorySaveOut struct {
	Slot    string `json:"slot"`
	EntryID string `json:"entryId"`
	Created bool   `json:"created,omitempty"` // the slot is new
	Kept    string `json:"kept,omitempty"`    // the slot as it was, where its entries were replaced
	Wrote
}

var memorySave = op("memory_save", writes, MemorySave, Help{
	Summary: "append a text to a slot of the memory, made if missing",
	Use:     "memory save [SLOT] [TEXT | -]",
	Aliases: "add",
	Text: `A slot is a Markdown file, memory/GROUP/SLOT.md in the workspace; each text
is an entry of it, with an id, a type and the time. It reads back as it was
given, byte by byte; a line end at the end of a file or of stdin is no part
of it (arbor memory import keeps it). Without SLOT it is the current one of
the session (arbor memory use).`,
	Example: `arbor memory save decisions -m "We use JWT tokens." --tag api
git log -1 --format=%B | arbor memory save releases -`,
})

// MemorySave adds an entry to a slot.
func MemorySave(ctx context.Context, env *Env, in MemorySaveIn) (*MemorySaveOut, error) {
	if in.Mode != "" && in.Mode != "append" && in.Mode != "replace" {
		return nil, badParam("mode", "mode is %q; append and replace are known", short(in.Mode))
	}
	env = env.As(in.SessionID)
	ws, name, err := slotTarget(ctx, env, in.SlotRef, in.Write)
	if err != nil {
		return nil, err
	}
	if in.EntryType == "" {
		in.EntryType = mdstore.EntryManual
	}
	x := plan.SaveEntry{Slot: name, Replace: in.Mode == "replace",
		Facts: plan.SlotFacts{Group: in.Group, Description: in.Description, Tags: in.Tags, Priority: in.Priority},
		Entry: mdstore.SlotEntry{Type: in.EntryType, Text: in.Text, Meta: in.Metadata}}
	saved, w, err := apply(ctx, env, target{ws: ws}, env.act(in.Write, in.Match), x, "memory_read reads it, search finds it")
	if err != nil {
		return nil, err
	}
	return savedOut(ctx, env, ws, saved, name, w), nil
}

// savedOut returns what a plan that saved an entry did to the slot that a call calls so.
func savedOut(ctx context.Context, env *Env, ws mdstore.ID, saved *plan.SavedEntry, called string, w Wrote) *MemorySaveOut {
	out := &MemorySaveOut{Slot: slotNamed(ctx, env, ws, saved.Slot, called), EntryID: string(saved.Entry), Created: saved.Created, Wrote: w}
	if saved.Kept != "" {
		out.Kept = env.path(saved.Kept)
		out.Hint = "the slot as it was is kept in " + out.Kept + " for 30 days; undo (arbor undo) takes this back"
	}
	return out
}

// slotNamed returns the name of the slot with an id; as it was called where a dry run made none.
func slotNamed(ctx context.Context, env *Env, ws, id mdstore.ID, called string) string {
	if v, err := env.Engine.WithPages(ctx, ws); err == nil {
		for _, p := range v.Pages().All() {
			if p.Kind.IsSlot() && p.ID == id {
				return mdstore.SlotName(p)
			}
		}
	}
	return called
}
