package engine

import (
	"context"
	"slices"
	"strings"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// A VaultCheck is what a look at the vault as a whole finds.
type VaultCheck struct {
	Workspaces  []mdstore.ID      // those that can be checked by themselves
	Files       int               // files of the others, which share an id
	Diagnostics []mdoc.Diagnostic // what concerns more than one workspace, or none
}

// CheckVault returns the workspaces of the vault and what is wrong with the vault besides what is wrong with each of them.
func (e *Engine) CheckVault(ctx context.Context) (*VaultCheck, error) {
	all, err := e.Workspaces(ctx)
	if err != nil {
		return nil, err
	}
	out := &VaultCheck{}
	for i, w := range all {
		same := slices.IndexFunc(all, func(o *mdstore.Workspace) bool { return o.ID == w.ID })
		if same == i && !slices.ContainsFunc(all[i+1:], func(o *mdstore.Workspace) bool { return o.ID == w.ID }) {
			out.Workspaces = append(out.Workspaces, w.ID)
			continue
		}
		var others []string
		for _, o := range all {
			if o.ID == w.ID && o != w {
				others = append(others, string(o.Path))
			}
		}
		out.Diagnostics = append(out.Diagnostics, mdoc.Diagnostic{File: string(w.Path), Line: lineOf(w.Doc, mdstore.KeyID), Code: string(DuplicateID),
			Text: "id " + string(w.ID) + " is that of " + strings.Join(others, " and ") + " too; give one of them another id, or move the copy out of the vault"})
		snap, err := load(ctx, e.st, w, nil)
		if err != nil {
			return nil, err
		}
		ds, err := e.diagnose(ctx, snap)
		if err != nil {
			return nil, err
		}
		out.Diagnostics = append(out.Diagnostics, ds...)
		out.Files += snap.Len() + 1
	}
	s, err := readSessions(ctx, e.st)
	if err != nil {
		out.Diagnostics = append(out.Diagnostics, problemOf(mdstore.SessionsFile, err))
	} else if s.corrupt != nil {
		out.Diagnostics = append(out.Diagnostics, mdoc.Diagnostic{File: mdstore.SessionsFile, Code: CodeSessions,
			Text: "no valid JSON (" + s.corrupt.Error() + "); the next session_bind keeps it under another name and starts a new one"})
	}
	return out, nil
}
