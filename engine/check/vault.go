package check

import (
	"strings"

	"arbor/engine/errs"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// SharedID returns what is wrong with a workspace whose id another one has too.
func SharedID(all []*mdstore.Workspace, w *mdstore.Workspace) (d mdoc.Diagnostic, shared bool) {
	var others []string
	for _, o := range all {
		if o.ID == w.ID && o.Path != w.Path {
			others = append(others, string(o.Path))
		}
	}
	at := valueOf(w.Doc, mdstore.KeyID)
	return mdoc.Diagnostic{File: string(w.Path), Line: at.line, Col: at.col, Code: string(errs.DuplicateID),
		Text: "id " + string(w.ID) + " is that of " + strings.Join(others, " and ") + " too; give one of them another id, or move the copy out of the vault"}, len(others) > 0
}
