package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
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
	for _, w := range all {
		d, shared := sharedID(all, w)
		if !shared {
			out.Workspaces = append(out.Workspaces, w.ID)
			continue
		}
		out.Diagnostics = append(out.Diagnostics, d)
		snap, err := load(ctx, e.st, w, nil)
		if err != nil {
			return nil, err
		}
		found, err := e.findings(ctx, snap)
		if err != nil {
			return nil, err
		}
		out.Diagnostics = append(out.Diagnostics, diagnostics(leftAlone(found))...)
		out.Files += snap.Len() + 1
	}
	s, err := readSessions(ctx, e.st)
	if err != nil {
		out.Diagnostics = append(out.Diagnostics, problemOf(mdstore.SessionsFile, err))
	} else if s.corrupt != nil {
		at := s.damage()
		out.Diagnostics = append(out.Diagnostics, mdoc.Diagnostic{File: mdstore.SessionsFile, Line: at.line, Col: at.col, Code: CodeSessions,
			Text: "no valid JSON (" + s.corrupt.Error() + "); the next session_bind keeps it under another name and starts a new one"})
	}
	between, err := e.besides(ctx)
	if err != nil {
		return nil, err
	}
	out.Diagnostics = append(out.Diagnostics, diagnostics(between)...)
	return out, nil
}

// besides returns what lies between the files of the vault that belong to no workspace.
func (e *Engine) besides(ctx context.Context) ([]finding, error) {
	all, err := e.strays(ctx, "")
	return slices.DeleteFunc(all, func(f finding) bool {
		dir := mdstore.Path(f.File).Dir()
		return dir != "" && dir != mdstore.ArchiveDir
	}), err
}

// damage returns where sessions.json stops being valid.
func (s *sessionsFile) damage() place {
	var syntax *json.SyntaxError
	if !errors.As(s.corrupt, &syntax) {
		return place{}
	}
	before := s.raw[:min(max(int(syntax.Offset)-1, 0), len(s.raw))]
	return place{1 + bytes.Count(before, []byte("\n")), len(before) - bytes.LastIndexByte(before, '\n')}
}

// sharedID returns what is wrong with a workspace whose id another one has too.
func sharedID(all []*mdstore.Workspace, w *mdstore.Workspace) (d mdoc.Diagnostic, shared bool) {
	var others []string
	for _, o := range all {
		if o.ID == w.ID && o != w {
			others = append(others, string(o.Path))
		}
	}
	at := valueOf(w.Doc, mdstore.KeyID)
	return mdoc.Diagnostic{File: string(w.Path), Line: at.line, Col: at.col, Code: string(DuplicateID),
		Text: "id " + string(w.ID) + " is that of " + strings.Join(others, " and ") + " too; give one of them another id, or move the copy out of the vault"}, len(others) > 0
}
