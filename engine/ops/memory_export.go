package ops

import (
	"context"
	"path"
	"unicode/utf8"

	"arbor/engine"
	"arbor/engine/errs"
	"arbor/engine/memory"
	"arbor/mdstore"
)

// MemoryExportIn says what is exported.
type MemoryExportIn struct {
	SlotRef
	Format string `json:"format,omitempty" enum:"md,txt,json" help:"md unless given"`
	Path   string `json:"path,omitempty" writes:"true" help:"make this FILE in the project"`
}

// MemoryExportOut is an export, or where it is.
type MemoryExportOut struct {
	Slot  string `json:"slot"`
	Text  string `json:"text,omitempty"`
	Path  string `json:"path,omitempty"`
	Bytes int    `json:"bytes"` // of the whole
	Out
}

var memoryExport = op("memory_export", writes|looks, MemoryExport, Help{
	Summary: "give a slot as Markdown, text or JSON",
	Use:     "memory export [SLOT]",
	Text:    "Without --path it is printed. A file that is there already is not replaced.",
	Example: "arbor memory export decisions --format json > decisions.json\narbor memory export decisions --path docs/decisions.md",
})

// MemoryExport gives a slot in one of three forms.
var MemoryExport = reading(func(ctx context.Context, env *Env, in MemoryExportIn) (*MemoryExportOut, error) {
	if in.Format == "" {
		in.Format = "md"
	}
	_, p, err := slotIn(ctx, env, in.SlotRef, false)
	if err != nil {
		return nil, err
	}
	if err := p.Editable(); err != nil { // an export of what is left would look like a whole one
		return nil, fail(err)
	}
	data := memory.Export(mdstore.SlotOf(p), nil, in.Format)
	out := &MemoryExportOut{Slot: mdstore.SlotName(p), Path: in.Path, Bytes: len(data), Out: Out{Hint: "memory_import reads JSON back"}}
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
	case env.ReadOnly:
		return nil, badParam("path", "path: nothing may be written here; without path the reply has the text")
	case path.Ext(in.Path) != "."+in.Format:
		return nil, badParam("path", "path is %q; the name of a file that ends with .%s is expected", short(in.Path), in.Format)
	case !p.Loaded():
		return out, nil // the operation runs again, with the document
	}
	if err := engine.MakeInProject(ctx, env.Engine, in.Path, data); err != nil {
		return nil, errs.New(errs.InvalidPath, "%s: %v", in.Path, err).With(errs.Details{Param: "path"})
	}
	return out, nil
})
