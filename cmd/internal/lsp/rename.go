package lsp

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"arbor/engine/errs"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// A naming is what rename changes: the title of a node, or a tag.
type naming struct {
	node *mdstore.Node // nil for a tag
	tag  string
	at   span // where it is named
}

// namingAt returns what is named at a place of a document.
func (s *server) namingAt(d *document, w *view.View, at int) (x naming, ok bool) {
	if r, ok := d.refAt(at); ok {
		if to, ok := s.lead(d, w, r); ok && to.node != nil {
			return naming{node: to.node, at: d.text.span(r.start, r.end)}, true
		}
		return naming{}, false
	}
	keys, _ := front(d.text.s)
	for _, k := range keys {
		if at < k.start || at >= k.end {
			continue
		}
		switch n, node := w.File(d.path); {
		case k.name == mdstore.KeyTitle && node:
			return naming{node: n, at: s.titled(d.vault, n.Path).Range}, true
		case k.name == mdstore.KeyTags:
			for _, m := range forms().token.FindAllStringIndex(d.text.s[k.start:k.end], -1) {
				if start, end := k.start+m[0], k.start+m[1]; start <= at && at <= end && d.text.s[start:end] != "-" {
					return naming{tag: d.text.s[start:end], at: d.text.span(start, end)}, true
				}
			}
		}
	}
	return naming{}, false
}

func prepareRename(s *server, p textParams) (out any, err error) {
	_, err = s.at(p, func(_ context.Context, d *document, w *view.View, at int) error {
		out = nil
		if x, ok := s.namingAt(d, w, at); ok {
			name := x.tag
			if x.node != nil {
				name = x.node.Title
			}
			out = map[string]any{"range": x.at, "placeholder": name}
		}
		return nil
	})
	return out, err
}

// rename changes the title of a node, also where links show it, or a tag of all nodes. The client shows the edits
// before it makes them, if it can.
func rename(s *server, p textParams) (out any, err error) {
	_, err = s.at(p, func(_ context.Context, d *document, w *view.View, at int) error {
		out = nil
		x, ok := s.namingAt(d, w, at)
		name := strings.TrimSpace(p.NewName)
		switch {
		case !ok:
			return errs.New(errs.InvalidParams, "nothing that can be renamed is here; a title, a tag, or a link to a node can")
		case name == "" || strings.ContainsAny(name, "\r\n"):
			return errs.New(errs.InvalidParams, "%q is no name; give a text of one line", p.NewName)
		}
		edit := &workspaceEdit{}
		change := func(file mdstore.Path, doc *mdoc.Doc, key string, v mdoc.Scalar, links *mdstore.Node) {
			t := s.textAt(d.vault, file)
			to := t.s
			if patch, err := doc.SetField(key, v); err == nil && key != "" {
				if after, err := doc.Apply(patch); err == nil {
					to = asClient(after.Bytes(), t.s)
				}
			}
			if links != nil {
				for _, form := range []string{"[[%s|%s]]", "[[%s#%s]]"} {
					old := fmt.Sprintf(form, links.ID, links.Title)
					to = strings.ReplaceAll(to, old, fmt.Sprintf(form, links.ID, strings.NewReplacer("|", "", "]", "").Replace(name)))
				}
			}
			s.addEdits(edit, d.vault, file, t.edits(to), "Rename to "+name)
		}
		for n := range w.All() {
			switch {
			case x.node != nil && n.ID == x.node.ID:
				change(n.Path, n.Doc(), mdstore.KeyTitle, mdoc.Text(name), nil)
			case x.node != nil && mayName(w, n, x.node):
				change(n.Path, n.Doc(), "", mdoc.Scalar{}, x.node)
			case x.node == nil && slices.Contains(n.Tags, x.tag):
				tags := slices.Clone(n.Tags)
				tags[slices.Index(tags, x.tag)] = name
				change(n.Path, n.Doc(), mdstore.KeyTags, mdoc.List(tags...), nil)
			}
		}
		out = edit
		return nil
	})
	return out, err
}

// addEdits adds the edits of a file to an edit of several, with an annotation if the client shows them.
func (s *server) addEdits(edit *workspaceEdit, v *vault, p mdstore.Path, edits []textEdit, label string) {
	if len(edits) == 0 {
		return
	}
	id := docID{URI: v.uri(p)}
	if d := s.openAt(v, p); d != nil {
		version := d.version
		id = docID{d.uri, &version}
	}
	if s.can.Workspace.Edit.Annotations != nil {
		edit.Annotations = map[string]annotation{"arbor": {Label: label, Confirm: true}}
		for i := range edits {
			edits[i].Annotation = "arbor"
		}
	}
	edit.Changes = append(edit.Changes, fileEdit{Doc: &id, Edits: edits})
}

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
