package ops

import (
	"context"

	"arbor/engine/plan"
)

// MemoryRestoreIn names an archived slot.
type MemoryRestoreIn struct {
	SlotRef
	Write
	Match
}

var memoryRestore = op("memory_restore", writes, MemoryRestore, Help{
	Summary: "bring a slot back from the archive",
	Use:     "memory restore SLOT",
	Text:    "It is where it was then, as it was.",
	Example: "arbor memory restore scratch",
})

// MemoryRestore brings an archived slot back.
func MemoryRestore(ctx context.Context, env *Env, in MemoryRestoreIn) (*MemoryMoveOut, error) {
	env = env.As(in.SessionID)
	if err := needSlot(in.SlotRef, "restored"); err != nil {
		return nil, err
	}
	v, p, err := slotIn(ctx, env, in.SlotRef, true)
	if err != nil {
		return nil, err
	}
	x := plan.RestoreSlot{Slot: refOf(v, p), Read: besides(ctx, env)}
	s, w, err := apply(ctx, env, target{ws: v.Workspace().ID}, env.act(in.Write, in.Match), x, "memory_read reads it")
	if err != nil {
		return nil, err
	}
	return &MemoryMoveOut{Slot: s.Name, Path: env.path(s.Path), Wrote: w}, nil
}
