package ops

import (
	"context"

	"arbor/engine/plan"
)

// MemoryUpdateIn says what is to change of a slot.
type MemoryUpdateIn struct {
	SlotRef
	Name        *string        `json:"name,omitempty" help:"a new NAME"`
	Group       *string        `json:"group,omitempty" empty:"ok" help:"the GROUP to move it to; empty for none"`
	Tags        []string       `json:"tags,omitempty" flag:"tag" help:"all tags of the slot: a TAG; may be repeated"`
	AddTags     []string       `json:"addTags,omitempty" flag:"add-tag" help:"a further TAG; may be repeated"`
	RemoveTags  []string       `json:"removeTags,omitempty" flag:"remove-tag" help:"a TAG that it loses; may be repeated"`
	Description *string        `json:"description,omitempty" empty:"ok" help:"the slot in one line of TEXT"`
	Priority    *int           `json:"priority,omitempty" help:"N from 1 (most) to 5"`
	Metadata    map[string]any `json:"metadata,omitempty" flag:"-" help:"further keys of the front matter"`
	Write
	Match
}

// MemoryUpdateOut names the slot as it is called then.
type MemoryUpdateOut struct {
	Slot string `json:"slot"`
	Path string `json:"path"`
	Wrote
}

var memoryUpdate = op("memory_update", writes|repeats, MemoryUpdate, Help{
	Summary: "rename, move or describe a slot",
	Use:     "memory update SLOT",
	Text: `The file goes to the folder of its group and is called as the slot is.
Entries stay as they are.`,
	Example: "arbor memory update decisions --name api_decisions --group projects/alpha\narbor memory update decisions --add-tag urgent",
})

// MemoryUpdate changes what is said of a slot, its name and its group.
func MemoryUpdate(ctx context.Context, env *Env, in MemoryUpdateIn) (*MemoryUpdateOut, error) {
	env = env.As(in.SessionID)
	v, p, err := slotIn(ctx, env, in.SlotRef, false)
	if err != nil {
		return nil, err
	}
	x := plan.UpdateSlot{Slot: refOf(v, p), AddTags: in.AddTags, NoTags: in.RemoveTags, Facts: plan.SlotFacts{Name: in.Name, Group: in.Group,
		Description: in.Description, Tags: in.Tags, Priority: in.Priority, Custom: in.Metadata}}
	s, w, err := apply(ctx, env, target{ws: v.Workspace().ID}, env.act(in.Write, in.Match), x, "memory_list names it")
	if err != nil {
		return nil, err
	}
	return &MemoryUpdateOut{Slot: s.Name, Path: env.path(s.Path), Wrote: w}, nil
}
