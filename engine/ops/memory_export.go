package ops

import (
	"context"
	"path"
	"unicode/utf8"

	"arbor/engine/errs"
	"arbor/engine/internal/memory"
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
