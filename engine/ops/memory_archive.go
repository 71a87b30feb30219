package ops

import (
	"context"
	"strings"
	"time"

	"arbor/engine/errs"
	"arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
)

type MemoryArchiveIn struct {
	SlotRef
	Several
	Reason string `json:"reason,omitempty" help:"the reason, one line of TEXT"`
	Write
	Match
}

type MemoryMoveOut struct {
	Slot  string     `json:"slot,omitempty"`
	Path  string     `json:"path,omitempty"`
	Slots []SlotPath `json:"slots,omitempty"` // instead, if the call names several
	Wrote
}

// SlotPath is a slot with the path of its file.
type SlotPath struct {
	Slot string `json:"slot"`
	Path string `json:"path"`
}

// moved returns the result of a change of slots.
func (env *Env) moved(all []*plan.SlotDone, w Wrote) *MemoryMoveOut {
	out := &MemoryMoveOut{Wrote: w}
	if len(all) == 1 {
		out.Slot, out.Path = all[0].Name, env.path(all[0].Path)
		return out
	}
	env.fit(out, len(all), func(n int) {
		out.Slots = nil
		for _, s := range all[:n] {
			out.Slots = append(out.Slots, SlotPath{s.Name, env.path(s.Path)})
		}
	})
	return out
}

var memoryArchive = op("memory_archive", writes, MemoryArchive, Help{
	Summary: "archive a slot",
	Use:     "memory archive SLOT...",
	Text: severalSlots + `
The file is compressed as archive/memory/GROUP/SLOT.md.gz, which zcat reads;
SLOT.toml beside it holds the reason. Archived slots are not searched. arbor
memory list --archived lists them, --candidates 90 lists slots unused for 90
days.`,
	Example: `arbor memory archive scratch --reason "the release is out"
arbor memory archive 'old-*'`,
})

// MemoryArchive moves a slot into the archive. The call must name the slot: the session's current one is no default
// here.
func MemoryArchive(ctx context.Context, env *Env, in MemoryArchiveIn) (*MemoryMoveOut, error) {
	env = env.As(in.SessionID)
	if err := needSlot(in.SlotRef, "archived"); err != nil {
		return nil, err
	}
	in.Slot = strings.Join(append([]string{in.Slot}, in.Nodes...), ",")
	v, pages, err := slotsIn(ctx, env, in.SlotRef, in.Match)
	if err != nil {
		return env.already(ctx, in.SlotRef, true, err)
	}
	var x plan.Each[plan.ArchiveSlot, *plan.SlotDone]
	for _, p := range pages {
		one := plan.ArchiveSlot{Slot: refOf(v, p), Reason: in.Reason, Read: besides(ctx, env)}
		if last := lastAccess(p, env.Engine.Accessed(ctx)); last > 0 {
			one.Accessed = time.UnixMilli(last)
		}
		x = append(x, one)
	}
	all, w, err := apply(ctx, env, target{ws: v.Workspace().ID}, env.act(in.Write, in.Match), x, "{memory_restore} "+
		"restores one")
	if err != nil {
		return nil, err
	}
	return env.moved(all, w), nil
}

// already returns the result for a slot that was already archived, or in use, before the call; err if it was not.
func (env *Env) already(ctx context.Context, in SlotRef, archived bool, err error) (*MemoryMoveOut, error) {
	if errs.As(err).Code != errs.SlotNotFound {
		return nil, err
	}
	_, p, other := slotIn(ctx, env, in, archived)
	if other != nil {
		return nil, err
	}
	where := "in use"
	if archived {
		where = "archived"
	}
	hint := "it is " + where + " already; nothing was written"
	return &MemoryMoveOut{Slot: mdstore.SlotName(p), Path: env.path(p.Path),
		Wrote: Wrote{Success: true, Out: Out{Hint: hint}}}, nil
}

// severalSlots is the help of what SLOT can be.
const severalSlots = `SLOT is a name, several names with commas between, or a pattern such as
'old-*'. All slots are changed in one commit, or none.
`

// needSlot refuses a call that names no slot.
func needSlot(in SlotRef, done string) error {
	if in.Slot == "" {
		return badParam("slot", "slot is missing; a slot is %s by its name", done)
	}
	return nil
}

// besides returns a function that reads files of the vault that are no documents.
func besides(ctx context.Context, env *Env) plan.ReadFile {
	return func(p mdstore.Path) (mdstore.File, error) { return env.Engine.FileAt(ctx, p) }
}

// lastAccess returns when a slot was last changed, or read on this machine, in Unix milliseconds; 0 if unknown.
func lastAccess(p *mdstore.Page, accessed map[mdstore.ID]time.Time) int64 {
	last := max(p.Time(mdstore.KeyCreated), p.Time(mdstore.KeyUpdated))
	if at, ok := accessed[p.ID]; ok {
		last = max(last, at.UnixMilli())
	}
	return last
}

type MemoryRestoreIn struct {
	SlotRef
	Write
	Match
}

var memoryRestore = op("memory_restore", writes, MemoryRestore, Help{
	Summary: "restore a slot from the archive",
	Use:     "memory restore SLOT",
	Text:    "It is where it was then, as it was.",
	Example: "arbor memory restore scratch",
})

// MemoryRestore brings an archived slot back to its former place. The call must name the slot.
func MemoryRestore(ctx context.Context, env *Env, in MemoryRestoreIn) (*MemoryMoveOut, error) {
	env = env.As(in.SessionID)
	if err := needSlot(in.SlotRef, "restored"); err != nil {
		return nil, err
	}
	v, p, err := slotIn(ctx, env, in.SlotRef, true)
	if err != nil {
		return env.already(ctx, in.SlotRef, false, err)
	}
	x := plan.RestoreSlot{Slot: refOf(v, p), Read: besides(ctx, env)}
	s, w, err := apply(ctx, env, target{ws: v.Workspace().ID}, env.act(in.Write, in.Match), x, "{memory_read} reads it")
	if err != nil {
		return nil, err
	}
	return &MemoryMoveOut{Slot: s.Name, Path: env.path(s.Path), Wrote: w}, nil
}

type MemoryCompressIn struct {
	SlotRef
	Action string `json:"action,omitempty" enum:"analyze,compress,decompress" arg:"ACTION" help:"default compress; analyze (sizes only) if no slot is named"`
	Force  bool   `json:"force,omitempty" help:"also compress small files and those that do not shrink"`
	Write
	Match
}

type MemoryCompressOut struct {
	Slots []SlotSizeOut `json:"slots"`
	Wrote
}

type SlotSizeOut struct {
	Slot           string  `json:"slot"`
	Compressed     bool    `json:"compressed"` // its file is compressed
	OriginalSize   int     `json:"originalSize"`
	CompressedSize int     `json:"compressedSize"`
	Ratio          float64 `json:"ratio"`
	Kept           string  `json:"kept,omitempty"` // why the file was not compressed
	Path           string  `json:"path,omitempty"`
}

var memoryCompress = op("memory_compress", writes|repeats, MemoryCompress, Help{
	Summary: "compress the file of a slot, or decompress it",
	Use:     "memory compress [SLOT] [ACTION]",
	Text: severalSlots + `
ACTION is compress (the default), decompress, or analyze, which only reports
sizes. Without SLOT it analyzes all slots. A compressed slot is SLOT.md.gz,
which zcat reads; you can read, search and extend it like any other. A file of
less than 1,024 bytes, or one that does not shrink, stays as it is unless you
use --force.`,
	Example: "arbor memory compress\narbor memory compress meetings\narbor memory compress meetings decompress\n" +
		"arbor memory compress '*'",
})

// MemoryCompress compresses or decompresses the file of a slot, or reports what that would do.
func MemoryCompress(ctx context.Context, env *Env, in MemoryCompressIn) (*MemoryCompressOut, error) {
	env = env.As(in.SessionID)
	if in.Action == "" && in.Slot != "" {
		in.Action = "compress"
	}
	switch in.Action {
	case "", "analyze":
		return analyzeSlots(ctx, env, in)
	case "compress", "decompress":
	default:
		return nil, badParam("action", "action is %q; analyze, compress and decompress are known", short(in.Action))
	}
	if err := needSlot(in.SlotRef, in.Action+"ed"); err != nil {
		return nil, err
	}
	v, pages, err := slotsIn(ctx, env, in.SlotRef, in.Match)
	if err != nil {
		return nil, err
	}
	var x plan.Each[plan.CompressSlot, plan.SlotSize]
	for _, p := range pages {
		x = append(x, plan.CompressSlot{Slot: refOf(v, p), Open: in.Action == "decompress", Force: in.Force})
	}
	all, w, err := apply(ctx, env, target{ws: v.Workspace().ID}, env.act(in.Write, in.Match), x,
		"you can read, search and extend it as before")
	if err != nil {
		return nil, err
	}
	out := &MemoryCompressOut{Wrote: w}
	if len(all) == 1 && all[0].Keep != "" {
		out.Hint = "the file stays as it is: " + all[0].Keep
	}
	env.fit(out, len(all), func(n int) {
		out.Slots = nil
		for _, s := range all[:n] {
			out.Slots = append(out.Slots, sizeOut(s, env.path(s.Path)))
		}
	})
	return out, nil
}

// analyzeSlots returns the sizes of one slot, or of all.
var analyzeSlots = reading(func(ctx context.Context, env *Env, in MemoryCompressIn) (*MemoryCompressOut, error) {
	all := []SlotSizeOut{}
	if in.Slot != "" {
		_, p, err := slotIn(ctx, env, in.SlotRef, false)
		if err != nil {
			return nil, err
		}
		all = append(all, sizeOut(plan.SizeOf(p, in.Force), ""))
	} else {
		views, err := memoryOf(ctx, env, in.WorkspaceID)
		if err != nil {
			return nil, err
		}
		for _, v := range views {
			for _, p := range view.Slots(v) {
				all = append(all, sizeOut(plan.SizeOf(p, in.Force), ""))
			}
		}
	}
	out := &MemoryCompressOut{Wrote: Wrote{Success: true}}
	env.fit(out, len(all), func(n int) {
		out.Slots, out.Hint = all[:n], "those without kept would get smaller; action compress does it"
		if n < len(all) {
			out.Hint = shownOf(n, len(all), "slots", "slot names one")
		}
	})
	return out, nil
})

func sizeOut(s plan.SlotSize, path string) SlotSizeOut {
	return SlotSizeOut{s.Name, s.Zipped, s.Original, s.Compressed, ratio(s.Compressed, s.Original), s.Keep, path}
}
