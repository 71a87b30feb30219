package ops

import (
	"context"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"arbor/engine/errs"
	"arbor/engine/memory"
	"arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
)

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
	_, p, archived, err := slotToExport(ctx, env, in.SlotRef)
	if err != nil {
		return nil, err
	}
	if err := p.Editable(); err != nil { // an export of the rest would look complete
		return nil, fail(err)
	}
	data := memory.Export(mdstore.SlotOf(p), archived, in.Format)
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

// slotToExport returns a slot in use, or else an archived one with what its note says.
func slotToExport(
	ctx context.Context, env *Env, in SlotRef,
) (v *view.View, p *mdstore.Page, archived *memory.Archived, err error) {
	v, p, err = slotIn(ctx, env, in, false)
	if e := errs.As(err); e == nil || e.Code != errs.SlotNotFound || in.Slot == "" {
		return v, p, nil, err
	}
	v, p, other := slotIn(ctx, env, in, true)
	if other != nil {
		return nil, nil, nil, err
	}
	note, err := env.Engine.FileAt(ctx, mdstore.NotePath(p.Path))
	n := mdstore.ParseNote(note.Data)
	return v, p, &memory.Archived{At: n.At, Reason: n.Reason}, fail(err)
}

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
	x := plan.ImportSlots{Slots: slots, Slot: in.Slot, Read: besides(ctx, env)}
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
