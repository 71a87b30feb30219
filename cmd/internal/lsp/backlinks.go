package lsp

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

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
// a file is read once. It reads the file itself: a view that is asked for all documents holds all of them at once.
func (v *vault) refsOf(ctx context.Context, m *mdstore.Node) []ref {
	if l, ok := v.linked[m.Path]; ok && l.version == m.Version() {
		return l.refs
	}
	var doc *mdoc.Doc
	if m.Loaded() {
		doc = m.Doc()
	} else {
		f, err := v.engine.FileAt(ctx, m.Path)
		if err != nil || f.Version != m.Version() {
			return nil // it has just changed: news will come
		}
		doc, _ = mdoc.Parse(string(m.Path), f.Data, mdstore.NodeForm)
	}
	l := linked{m.Version(), besideLog(string(doc.Bytes()), doc)}
	for i := range l.refs {
		l.refs[i].target = strings.Clone(l.refs[i].target) // it would hold the whole text
	}
	v.linked[m.Path] = l
	return l.refs
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
		for m := range w.All() {
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
