package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
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
		snap, err := e.load(ctx, e.st, w, nil, false)
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
	} else {
		out.Diagnostics = append(out.Diagnostics, s.misread()...)
	}
	if w, ok := mdstore.AsStore[mdstore.Writable](e.st); ok {
		var u *mdoc.UnreadableError
		if err := w.Writable(ctx, mdstore.LocalDir); errors.As(err, &u) {
			out.Diagnostics = append(out.Diagnostics, u.Problem)
		}
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

// misread returns the bindings that are none. The others of the file hold.
func (s *sessionsFile) misread() []mdoc.Diagnostic {
	var out []mdoc.Diagnostic
	for _, id := range slices.Sorted(maps.Keys(s.bindings)) {
		if b, ok := s.get(id); ok && b.WorkspaceID != "" {
			continue
		}
		at := s.key(id)
		out = append(out, mdoc.Diagnostic{File: mdstore.SessionsFile, Line: at.line, Col: at.col, Code: CodeSessions,
			Text: fmt.Sprintf("the binding of session %s names no workspace; bind the session again (session_bind), or remove it", strconv.Quote(id))})
	}
	return out
}

// key returns where the binding of a session stands, the zero place where the file writes its id in another way.
func (s *sessionsFile) key(id string) place {
	quoted, err := json.Marshal(id)
	from := bytes.Index(s.raw, []byte(`"bindings"`))
	if err != nil || from < 0 {
		return place{}
	}
	at := regexp.MustCompile(regexp.QuoteMeta(string(quoted)) + `\s*:`).FindIndex(s.raw[from:])
	if at == nil {
		return place{}
	}
	return placeIn(s.raw[:from+at[0]])
}

// placeIn returns the place behind some text.
func placeIn(before []byte) place {
	return place{1 + bytes.Count(before, []byte("\n")), len(before) - bytes.LastIndexByte(before, '\n')}
}

// damage returns where sessions.json stops being valid.
func (s *sessionsFile) damage() place {
	var syntax *json.SyntaxError
	if !errors.As(s.corrupt, &syntax) {
		return place{}
	}
	return placeIn(s.raw[:min(max(int(syntax.Offset)-1, 0), len(s.raw))])
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
