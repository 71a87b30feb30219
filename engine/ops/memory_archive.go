package ops

import (
	"context"
	"time"

	"arbor/engine"
	"arbor/engine/plan"
	"arbor/mdstore"
)

// MemoryArchiveIn names a slot, and says why it goes.
type MemoryArchiveIn struct {
	SlotRef
	Reason string `json:"reason,omitempty" help:"why, in a line of TEXT"`
	Write
	Match
}

// MemoryMoveOut says where the slot's file is now.
type MemoryMoveOut struct {
	Slot string `json:"slot"`
	Path string `json:"path"`
	Wrote
}

var memoryArchive = op("memory_archive", writes, MemoryArchive, Help{
	Summary: "move a slot into the archive of its workspace",
	Use:     "memory archive SLOT",
	Text: `Its file is compressed there (archive/memory/GROUP/SLOT.md.gz, which zcat
reads); the file SLOT.toml beside it says why. It is not searched any more.
arbor memory list --archived names what is archived, --candidates 90 what
nobody has used.`,
	Example: `arbor memory archive scratch --reason "the release is out"`,
})

// MemoryArchive moves a slot into the archive. It is never the current one of a session that is meant, without its name.
func MemoryArchive(ctx context.Context, env *Env, in MemoryArchiveIn) (*MemoryMoveOut, error) {
	env = env.As(in.SessionID)
	if err := needSlot(in.SlotRef, "archived"); err != nil {
		return nil, err
	}
	v, p, err := slotIn(ctx, env, in.SlotRef, false)
	if err != nil {
		return nil, err
	}
	x := plan.ArchiveSlot{Slot: refOf(v, p), Reason: in.Reason, Read: besides(ctx, env)}
	if last := lastAccess(p, engine.Accessed(ctx, env.Engine)); last > 0 {
		x.Accessed = time.UnixMilli(last)
	}
	s, w, err := apply(ctx, env, target{ws: v.Workspace().ID}, env.act(in.Write, in.Match), x, "memory_restore brings it back")
	if err != nil {
		return nil, err
	}
	return &MemoryMoveOut{Slot: s.Name, Path: env.path(s.Path), Wrote: w}, nil
}

// needSlot refuses a call that names no slot.
func needSlot(in SlotRef, done string) error {
	if in.Slot == "" {
		return badParam("slot", "slot is missing; a slot is %s by its name", done)
	}
	return nil
}

// besides returns what reads files that are no documents.
func besides(ctx context.Context, env *Env) plan.ReadFile {
	return func(p mdstore.Path) (mdstore.File, error) { return engine.FileAt(ctx, env.Engine, p) }
}

// lastAccess returns when a slot was last changed, or read on this machine, in Unix milliseconds; 0 where that is not known.
func lastAccess(p *mdstore.Page, accessed map[mdstore.ID]time.Time) int64 {
	last := max(p.Time(mdstore.KeyCreated), p.Time(mdstore.KeyUpdated))
	if at, ok := accessed[p.ID]; ok {
		last = max(last, at.UnixMilli())
	}
	return last
}
