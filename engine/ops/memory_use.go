package ops

import (
	"context"

	"arbor/engine/errs"
	"arbor/engine/plan"
	"arbor/mdstore"
	"arbor/mdstore/fold"
)

// MemoryUseIn names the slot that is to be the current one of a session.
type MemoryUseIn struct {
	SessionRef
	Slot string `json:"slot" req:"true" arg:"SLOT" is:"slot" help:"none: every memory write is refused"`
	Write
}

// MemoryUseOut names the slot.
type MemoryUseOut struct {
	Slot string `json:"slot"`
	Wrote
}

var memoryUse = op("memory_use", writes|repeats, MemoryUse, Help{
	Summary: "make a slot the session's current one",
	Use:     "memory use SLOT",
	Text: `Calls of the session that name no slot mean it then; one that is not there
is made by the first memory save. With none, every write of the session to
the memory is refused until another slot is used. The plan can be worked on
as ever.`,
	Example: "arbor memory use decisions\narbor memory use none",
})

// MemoryUse makes a slot the current one of a session.
func MemoryUse(ctx context.Context, env *Env, in MemoryUseIn) (*MemoryUseOut, error) {
	v, p, err := sessionOf(ctx, env, in.SessionRef)
	if err != nil {
		return nil, err
	}
	out, slot := &MemoryUseOut{Slot: in.Slot}, in.Slot
	if fold.Name(slot) == plan.NoSlotName {
		slot, out.Slot = plan.NoSlotName, plan.NoSlotName
	} else if _, there, err := slotIn(ctx, env, SlotRef{SessionID: in.SessionID, Slot: slot}, false); err == nil {
		out.Slot = mdstore.SlotName(there)
		if there.Field(mdstore.KeyID) != "" {
			slot = string(there.ID)
		}
	} else if errs.As(err).Code != errs.SlotNotFound {
		return nil, err
	} else if err := plan.CheckSlotName(slot); err != nil {
		return nil, fail(err)
	}
	w, err := done(ctx, env, target{ws: v.Workspace().ID}, env.act(in.Write, Match{}), plan.UseSlot{Session: p.ID, Slot: slot},
		"memory_save, memory_read and memory_export mean it where they name none")
	if err != nil {
		return nil, err
	}
	if slot == plan.NoSlotName {
		w.Hint = "memory writes of this session are refused until memory_use names a slot"
	}
	out.Wrote = *w
	return out, nil
}
