package ops

import (
	"context"
	"path"
	"path/filepath"
	"strings"

	"arbor/engine"
	"arbor/engine/errs"
	"arbor/engine/memory"
	"arbor/engine/plan"
	"arbor/mdstore"
)

// MemoryImportIn names a file.
type MemoryImportIn struct {
	MemoryIn
	Source string `json:"source" req:"true" arg:"FILE" help:"a file in the project"`
	Slot   string `json:"slot,omitempty" help:"the SLOT that it goes to; unless given, what the file says, or its name"`
	As     string `json:"as,omitempty" enum:"auto,text,memcord" help:"text makes one entry of the file"`
	Data   []byte `json:"-"` // of the file; nil: it is read in the project
	Write
}

// MemoryImportOut says what each slot got.
type MemoryImportOut struct {
	Slots []plan.AddedEntries `json:"slots"`
	Wrote
}

var memoryImport = op("memory_import", writes, MemoryImport, Help{
	Summary: "add a text file, slots of memcord or an export to the memory",
	Use:     "memory import FILE",
	Text: `Files of memcord and exports in JSON bring slots, compressed or not; any
other text becomes an entry. Nothing is replaced: entries that are there
already are left out, and names that no slot can have are put right.`,
	Example: "arbor memory import ~/memcord/memory_slots/alpha.json\narbor memory import notes.md --slot meetings",
})

// MemoryImport adds what a file has to slots.
func MemoryImport(ctx context.Context, env *Env, in MemoryImportIn) (*MemoryImportOut, error) {
	var err error
	for elem := range strings.SplitSeq(path.Clean(filepath.ToSlash(in.Source)), "/") {
		if in.Data == nil && (elem == ".git" || elem == ".ssh" || strings.HasPrefix(elem, ".env")) {
			return nil, errs.New(errs.InvalidPath, "%s: files of this name hold secrets, and what is remembered is committed; copy what is meant to a file of another name",
				in.Source).With(errs.Details{Param: "source"})
		}
	}
	if in.Data == nil {
		if in.Data, err = engine.ReadProject(ctx, env.Engine, in.Source, mdstore.MaxSlot); err != nil {
			return nil, errs.New(errs.InvalidPath, "%s: %v", in.Source, err).With(errs.Details{Param: "source"})
		}
	}
	if in.As == "" {
		in.As = "auto"
	}
	slots, err := memory.Import(inProject(env, in.Source), in.Data, in.As)
	if err != nil {
		return nil, errs.New(errs.InvalidContent, "%v", err).With(errs.Details{Param: "source"})
	}
	x := plan.ImportSlots{Slots: slots, Slot: in.Slot}
	ref := SlotRef{In: in.In, SessionID: in.SessionID, Slot: in.Slot}
	var ws mdstore.ID
	if in.Slot != "" {
		ws, x.Slot, err = slotTarget(ctx, env, ref, in.Write)
	} else {
		ws, err = slotHome(ctx, env, ref, in.Write)
	}
	if err != nil {
		return nil, err
	}
	env = env.As(in.SessionID)
	added, w, err := apply(ctx, env, target{ws: ws}, env.act(in.Write, Match{}), x, "memory_read reads them")
	if err != nil {
		return nil, err
	}
	return &MemoryImportOut{Slots: added, Wrote: w}, nil
}
