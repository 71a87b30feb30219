package ops

import (
	"context"

	"arbor/engine/plan"
)

// MemoryDeleteIn names a slot.
type MemoryDeleteIn struct {
	SlotRef
	Write
	Match
}

// MemoryDeleteOut says where its file is.
type MemoryDeleteOut struct {
	Slot  string `json:"slot"`
	Trash string `json:"trash"`
	Wrote
}

var memoryDelete = op("memory_delete", writes|destroys, MemoryDelete, Help{
	Summary: "move a slot to the trash",
	Use:     "memory delete SLOT",
	Aliases: "rm remove",
	Text:    confirmText,
	Example: "arbor memory delete scratch --yes",
})

// MemoryDelete moves a slot to the trash. It is never the current one of a session that is meant, without its name.
func MemoryDelete(ctx context.Context, env *Env, in MemoryDeleteIn) (*MemoryDeleteOut, error) {
	env = env.As(in.SessionID)
	if err := needSlot(in.SlotRef, "deleted"); err != nil {
		return nil, err
	}
	v, p, err := slotIn(ctx, env, in.SlotRef, false)
	if err != nil {
		return nil, err
	}
	s, w, err := apply(ctx, env, target{ws: v.Workspace().ID}, env.act(in.Write, in.Match), plan.DeleteSlot{Slot: refOf(v, p)},
		"its file lies in the trash; move it back to restore the slot")
	if err != nil {
		return nil, err
	}
	return &MemoryDeleteOut{Slot: s.Name, Trash: env.path(s.Trash), Wrote: w}, nil
}
