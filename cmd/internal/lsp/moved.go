package lsp

import (
	"context"
	"path/filepath"
	"strings"

	"arbor/engine/view"
	"arbor/mdstore/mdoc"
)

// willRenameFiles returns the edits that keep links and references to files and folders of the project that the client
// moves, and the relative links in nodes that move.
func willRenameFiles(s *server, p struct {
	Files []struct {
		Old string `json:"oldUri"`
		New string `json:"newUri"`
	} `json:"files"`
}) (any, error) {
	edit := &workspaceEdit{Changes: []fileEdit{}}
	for _, f := range p.Files {
		old, ok := pathOf(f.Old)
		to, ok2 := pathOf(f.New)
		if !ok || !ok2 {
			continue
		}
		old, to = real(old), filepath.Join(real(filepath.Dir(to)), filepath.Base(to))
		for _, v := range s.vaults {
			if err := s.moved(edit, v, old, to); err != nil {
				return nil, err
			}
		}
	}
	return edit, nil
}

// moved adds the edits for a file or folder that moves from old to to.
func (s *server) moved(edit *workspaceEdit, v *vault, old, to string) error {
	all, err := v.engine.Workspaces(s.ctx)
	if err != nil {
		return err
	}
	// place returns where a path is after the move.
	place := func(path string) string {
		if rel, in := below(old, path); in {
			return filepath.Join(to, filepath.FromSlash(rel))
		}
		return path
	}
	for _, ws := range all {
		begun := len(edit.Changes)
		err := s.over(v, ws.Dir, func(_ context.Context, w *view.View) error {
			edit.Changes = edit.Changes[:begun]
			for n := range w.All() {
				doc := n.Doc()
				if !strings.ContainsAny(string(doc.Bytes()), "/") {
					continue
				}
				t := s.textAt(v, n.Path)
				dir := filepath.Join(v.dir, filepath.FromSlash(string(n.Path.Dir())))
				s.addEdits(edit, v, n.Path, s.relinked(v, t, doc, dir, place), "Follow "+filepath.Base(to))
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// relinked returns the edits of the links in a file of a folder for which place returns another path now.
func (s *server) relinked(v *vault, t *text, doc *mdoc.Doc, dir string, place func(string) string) (edits []textEdit) {
	for _, r := range refsIn(t.s, doc) {
		if r.loose || !strings.Contains(r.target, "/") && filepath.Ext(r.target) == "" || strings.Contains(r.target, "://") {
			continue
		}
		for _, base := range []string{dir, v.engine.Project()} {
			for _, ext := range []string{"", ".md"} {
				file := filepath.Join(base, filepath.FromSlash(r.target)+ext)
				next := place(file)
				from := base
				if base == dir {
					from = place(dir)
				}
				rel, err := filepath.Rel(from, next)
				if file == next && from == base || err != nil || !exists(file) {
					continue
				}
				if with := strings.TrimSuffix(filepath.ToSlash(rel), ext); with != r.target {
					edits = append(edits, textEdit{Range: t.span(r.start, r.end), NewText: with})
				}
				goto next
			}
		}
	next:
	}
	return edits
}
