package ops

import (
	"context"
	"path"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"arbor/engine/errs"
	"arbor/engine/memory"
	"arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
)

type MemoryArchiveIn struct {
	SlotRef
	Reason string `json:"reason,omitempty" help:"the reason, one line of TEXT"`
	Write
	Match
}

type MemoryMoveOut struct {
	Slot string `json:"slot"`
	Path string `json:"path"`
	Wrote
}

var memoryArchive = op("memory_archive", writes, MemoryArchive, Help{
	Summary: "archive a slot",
	Use:     "memory archive SLOT",
	Text: `The file is compressed as archive/memory/GROUP/SLOT.md.gz, which zcat reads;
SLOT.toml beside it holds the reason. Archived slots are not searched. arbor
memory list --archived lists them, --candidates 90 lists slots unused for 90
days.`,
	Example: `arbor memory archive scratch --reason "the release is out"`,
})

// MemoryArchive moves a slot into the archive. The call must name the slot: the session's current one is no default
// here.
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
	if last := lastAccess(p, env.Engine.Accessed(ctx)); last > 0 {
		x.Accessed = time.UnixMilli(last)
	}
	s, w, err := apply(ctx, env, target{ws: v.Workspace().ID}, env.act(in.Write, in.Match), x, "{memory_restore} "+
		"restores it")
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
		return nil, err
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
	Text: `ACTION is compress (the default), decompress, or analyze, which only reports
sizes. Without SLOT it analyzes all slots. A compressed slot is SLOT.md.gz,
which zcat reads; you can read, search and extend it like any other. A file of
less than 1,024 bytes, or one that does not shrink, stays as it is unless you
use --force.`,
	Example: "arbor memory compress\narbor memory compress meetings\narbor memory compress meetings decompress",
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
	v, p, err := slotIn(ctx, env, in.SlotRef, false)
	if err != nil {
		return nil, err
	}
	x := plan.CompressSlot{Slot: refOf(v, p), Open: in.Action == "decompress", Force: in.Force}
	s, w, err := apply(ctx, env, target{ws: v.Workspace().ID}, env.act(in.Write, in.Match), x, "it is read and added to as before")
	if err != nil {
		return nil, err
	}
	out := &MemoryCompressOut{Slots: []SlotSizeOut{sizeOut(s, env.path(s.Path))}, Wrote: w}
	if s.Keep != "" {
		out.Hint = "the file stays as it is: " + s.Keep
	}
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

type MemoryExportIn struct {
	SlotRef
	Format string `json:"format,omitempty" enum:"md,txt,json" help:"default md"`
	Path   string `json:"path,omitempty" writes:"true" help:"create this FILE in the project"`
}

type MemoryExportOut struct {
	Slot  string `json:"slot"`
	Text  string `json:"text,omitempty"`
	Path  string `json:"path,omitempty"`
	Bytes int    `json:"bytes"` // of the whole export
	Out
}

var memoryExport = op("memory_export", writes|looks, MemoryExport, Help{
	Summary: "export a slot as Markdown, text or JSON",
	Use:     "memory export [SLOT]",
	Text:    "Without --path it is printed. A file that is there already is not replaced.",
	Example: "arbor memory export decisions --format json > decisions.json\narbor memory export decisions --path docs/decisions.md",
})

// MemoryExport exports a slot as Markdown, text or JSON. With a path it makes a file in the project.
var MemoryExport = reading(func(ctx context.Context, env *Env, in MemoryExportIn) (*MemoryExportOut, error) {
	if in.Format == "" {
		in.Format = "md"
	}
	_, p, err := slotIn(ctx, env, in.SlotRef, false)
	if err != nil {
		return nil, err
	}
	if err := p.Editable(); err != nil { // an export of the rest would look complete
		return nil, fail(err)
	}
	data := memory.Export(mdstore.SlotOf(p), nil, in.Format)
	out := &MemoryExportOut{Slot: mdstore.SlotName(p), Path: in.Path, Bytes: len(data),
		Out: Out{Hint: "{memory_import} reads JSON back"}}
	if in.Path != "" {
		err = memoryOn(ctx, env, in.SessionID)
	}
	switch {
	case err != nil:
		return nil, err
	case in.Path == "":
		env.fit(out, len(data), func(n int) {
			for n < len(data) && !utf8.RuneStart(data[n]) {
				n++
			}
			if out.Text = string(data[:n]); n < len(data) {
				out.Hint = shownOf(n, len(data), "bytes", "with path a file has all of them")
			}
		})
		return out, nil
	case env.May == MayLook:
		return nil, badParam("path", "path: nothing may be written here; without path the reply has the text")
	case path.Ext(in.Path) != "."+in.Format:
		return nil, badParam("path", "path is %q; the name of a file that ends with .%s is expected", short(in.Path), in.Format)
	case !p.Loaded():
		return out, nil // reading runs the operation again, with the document
	}
	if err := env.Engine.MakeInProject(ctx, in.Path, data); err != nil {
		return nil, errs.New(errs.InvalidPath, "%s: %v", in.Path, err).With(errs.Details{Param: "path"})
	}
	return out, nil
})

type MemoryImportIn struct {
	MemoryIn
	Source string `json:"source" req:"true" arg:"FILE" help:"a file in the project"`
	Slot   string `json:"slot,omitempty" help:"the target SLOT; default: what the file says, or its name"`
	As     string `json:"as,omitempty" enum:"auto,text,memcord" help:"text imports the whole file as one entry"`
	Data   []byte `json:"-"` // content of the file; nil: Source is read in the project
	Write
}

type MemoryImportOut struct {
	Slots []plan.AddedEntries `json:"slots"`
	Wrote
}

var memoryImport = op("memory_import", writes, MemoryImport, Help{
	Summary: "import a text file, memcord slots or an export",
	Use:     "memory import FILE",
	Text: `memcord files and JSON exports are imported as slots, compressed or not; any
other text becomes an entry. Nothing is replaced: existing entries are skipped,
and invalid slot names are corrected.`,
	Example: "arbor memory import ~/memcord/memory_slots/alpha.json\narbor memory import notes.md --slot meetings",
})

// MemoryImport adds the entries of a file to slots.
func MemoryImport(ctx context.Context, env *Env, in MemoryImportIn) (*MemoryImportOut, error) {
	var err error
	for elem := range strings.SplitSeq(path.Clean(filepath.ToSlash(in.Source)), "/") {
		if in.Data == nil && (elem == ".git" || elem == ".ssh" || strings.HasPrefix(elem, ".env")) {
			return nil, errs.New(errs.InvalidPath, "%s: files of this name hold secrets, and what is remembered is committed; copy what is meant to a file of another name",
				in.Source).With(errs.Details{Param: "source"})
		}
	}
	if in.Data == nil {
		if in.Data, err = env.Engine.ReadProject(ctx, in.Source, mdstore.MaxSlot); err != nil {
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
	added, w, err := apply(ctx, env, target{ws: ws}, env.act(in.Write, Match{}), x, "{memory_read} reads them")
	if err != nil {
		return nil, err
	}
	return &MemoryImportOut{Slots: added, Wrote: w}, nil
}
