package lsp

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"arbor/engine"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// A linked has the references in one version of a file.
type linked struct {
	version mdstore.Version
	refs    []ref
}

// refsOf returns the references in the file of a node but those in its log. It keeps what it finds, so each version of
// a file is read once.
func (v *vault) refsOf(ctx context.Context, m *mdstore.Node) []ref {
	l, ok := v.linked[m.Path]
	if !ok || l.version != m.Version() {
		if l, ok = linksOf(ctx, v.engine, m); ok {
			v.linked[m.Path] = l
		}
	}
	return l.refs
}

// linksOf reads the references in the file of a node. It reads the file itself: a view that is asked for all documents
// holds all of them at once. ok is false if the file has just changed: news will come.
func linksOf(ctx context.Context, e *engine.Engine, m *mdstore.Node) (l linked, ok bool) {
	var doc *mdoc.Doc
	if m.Loaded() {
		doc = m.Doc()
	} else {
		f, err := e.FileAt(ctx, m.Path)
		if err != nil || f.Version != m.Version() {
			return linked{}, false
		}
		doc, _ = mdoc.Parse(string(m.Path), f.Data, mdstore.NodeForm)
	}
	l = linked{m.Version(), besideLog(string(doc.Bytes()), doc)}
	for i := range l.refs {
		l.refs[i].target = strings.Clone(l.refs[i].target) // it would hold the whole text
	}
	return l, true
}

// linksAtOnce is how many files are read between two posts to the loop.
const linksAtOnce = 500

// readLinks reads the references of all files that are not read yet, beside the loop: so the first question about
// references waits for no file.
func (s *server) readLinks(v *vault) {
	all, err := v.engine.Workspaces(s.ctx)
	if err != nil {
		return // the check of the vault says so
	}
	batch := map[mdstore.Path]linked{}
	take := func() bool {
		done := batch
		batch = map[mdstore.Path]linked{}
		return s.post(func() {
			for p, l := range done {
				if _, known := v.linked[p]; !known {
					v.linked[p] = l
				}
			}
		})
	}
	for _, ws := range all {
		w, err := v.engine.View(s.ctx, ws.ID)
		if err != nil || ws.Status == mdstore.StatusArchived {
			continue
		}
		for m := range w.Heads() {
			if l, ok := linksOf(s.ctx, v.engine, m); ok {
				batch[m.Path] = l
			}
			if len(batch) == linksAtOnce && !take() {
				return
			}
		}
	}
	take()
}

// besideLog returns the references in a text but those in its log.
func besideLog(text string, doc *mdoc.Doc) []ref {
	log, _ := doc.Section(mdstore.SecLog)
	return slices.DeleteFunc(refsIn(text, doc), func(r ref) bool {
		return log.Body.Start <= r.start && r.start < log.Body.End
	})
}

// references returns where other files, and the document, name what a place means: a node, a slot or a document.
func references(s *server, p textParams) (any, error) {
	all := []location{}
	ok, err := s.at(p, func(_ context.Context, d *document, w *view.View, at int) error {
		all = all[:0]
		goal, known := s.meant(d, w, at)
		if !known {
			return nil
		}
		if p.Context.Declaration && goal.node != nil {
			all = append(all, s.titled(d.vault, goal.node.Path))
		} else if p.Context.Declaration {
			all = append(all, location{URI: uriOf(goal.file)})
		}
		for m := range w.Heads() {
			refs := s.naming(d.vault, w, m, goal)
			if len(refs) == 0 {
				continue
			}
			t := s.textAt(d.vault, m.Path)
			for _, r := range refs {
				all = append(all, location{d.vault.uri(m.Path), t.span(r.start, r.end)})
			}
		}
		return nil
	})
	if !ok || err != nil {
		return nil, err
	}
	return all, nil
}

// meant returns what a place means: what the reference there leads to, or else the document itself.
func (s *server) meant(d *document, w *view.View, at int) (target, bool) {
	if r, ok := d.refAt(at); ok {
		return s.lead(d.vault, d.path, w, r)
	}
	n, _ := w.File(d.path)
	return target{node: n, file: d.vault.file(d.path)}, true
}

// nodeAt returns the node that a place means: that of the reference there, or else the document's own.
func (s *server) nodeAt(d *document, w *view.View, at int) (*mdstore.Node, bool) {
	if to, ok := s.meant(d, w, at); ok && to.node != nil {
		return to.node, true
	}
	return w.File(d.path)
}

// naming returns the references in the file of m that lead to goal.
func (s *server) naming(v *vault, w *view.View, m *mdstore.Node, goal target) (all []ref) {
	stem := strings.TrimSuffix(filepath.Base(goal.file), ".md")
	refs := v.refsOf(s.ctx, m)
	if d := s.openAt(v, m.Path); d != nil {
		refs = besideLog(d.text.s, d.doc()) // the places in the text of the client
	}
	for _, r := range refs {
		if id := mdstore.ID(r.target); goal.node != nil && w.Has(id) {
			if id == goal.node.ID {
				all = append(all, r)
			}
			continue
		}
		if goal.node != nil {
			if n, ok := leadToNode(w, m, r); ok && n.ID == goal.node.ID {
				all = append(all, r)
			}
			continue
		}
		if name, _ := strings.CutSuffix(filepath.Base(r.target), ".md"); name != stem && goal.slot == nil {
			continue // another file
		}
		if to, ok := s.lead(v, m.Path, w, r); ok && to.file == goal.file {
			all = append(all, r)
		}
	}
	return all
}
