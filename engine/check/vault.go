package check

import (
	"slices"

	"arbor/engine/errs"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// SharedID returns the finding for a workspace whose id another workspace has too.
func SharedID(all []*mdstore.Workspace, w *mdstore.Workspace) (d mdoc.Diagnostic, shared bool) {
	same := slices.DeleteFunc(slices.Clone(all), func(o *mdstore.Workspace) bool { return o.ID != w.ID })
	others := othersOf(same, w.Path, func(o *mdstore.Workspace) mdstore.Path { return o.Path })
	at := valueOf(w.Doc, mdstore.KeyID)
	return mdoc.Diagnostic{File: string(w.Path), Line: at.line, Col: at.col, Code: string(errs.DuplicateID),
		Text: "id " + string(w.ID) + " is that of " + others + " too; give one of them another id, or move the copy out of the vault"}, others != ""
}
