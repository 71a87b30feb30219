package view

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"arbor/engine/errs"
	"arbor/mdstore"
	"arbor/mdstore/fold"
	"arbor/mdstore/mdoc"
)

func byPagePath(a, b *mdstore.Page) int { return strings.Compare(string(a.Path), string(b.Path)) }

// Pages are the files of a view of every kind but the workspace's own and the nodes.
type Pages struct {
	workspace mdstore.ID
	pages
	docs *recorder
}

type pages struct {
	list     []*mdstore.Page                  // in the order of paths
	broken   map[mdstore.Path]mdoc.Diagnostic // those that could not be read at all; never modified
	unlooked bool                             // no scan has looked for pages
}

// Pages returns the pages of the view. If no scan has looked for pages, a recording view returns none, and LacksPages
// then reports the request; with any other view, ask HasPages first.
func (v *View) Pages() Pages {
	switch {
	case !v.pages.unlooked:
	case v.docs == nil:
		panic("pages of " + string(v.ws.ID) + " are used outside of Read, and nobody has looked for them")
	default:
		v.docs.lacking = true
	}
	return v.KnownPages()
}

// KnownPages returns the pages that scans have found so far.
func (v *View) KnownPages() Pages { return Pages{v.ws.ID, v.pages, v.docs} }

// WithoutPages is New for a workspace whose pages were not read.
func WithoutPages(w *mdstore.Workspace, nodes []*mdstore.Node, broken map[mdstore.Path]mdoc.Diagnostic) *View {
	v := New(w, nodes, broken)
	v.pages.unlooked = true
	return v
}

// WithPages returns the view with exactly these pages. broken says why files could not be read.
func (v *View) WithPages(broken map[mdstore.Path]mdoc.Diagnostic, files ...*mdstore.Page) *View {
	next := *v
	next.pages = pages{list: inOrder(files, byPagePath), broken: maps.Clone(broken)}
	maps.DeleteFunc(next.pages.broken, func(p mdstore.Path, _ mdoc.Diagnostic) bool { return v.amongNodes(p) })
	return &next
}

// amongNodes reports whether an unreadable file or folder is among the nodes.
func (v *View) amongNodes(p mdstore.Path) bool {
	k := mdstore.AllKinds().Of(p)
	return k == mdstore.NodeKind || k == nil && p.Under(mdstore.NodeKind.Folder(v.ws.Dir))
}

// HasPages reports whether a scan has looked for pages.
func (v *View) HasPages() bool { return !v.pages.unlooked }

// LacksPages reports whether a run used pages that a recording view lacks. Discard the result of that run.
func (v *View) LacksPages() bool { return v.docs != nil && v.docs.lacking }

// Broken returns why each of those that could not be read at all could not. The map must not be modified.
func (ps Pages) Broken() map[mdstore.Path]mdoc.Diagnostic { return ps.broken }

// Unread returns the error of a page that could not be read for a reason that says nothing about the page, as
// View.Unread does for nodes.
func (ps Pages) Unread() error { return unread(nil, ps.broken) }

// All returns those that could be read, in the order of paths.
func (ps Pages) All() []*mdstore.Page {
	out := make([]*mdstore.Page, len(ps.list))
	for i, p := range ps.list {
		out[i] = ps.docs.ofPage(p)
	}
	return out
}

// Of returns the pages of one kind, in the order of paths.
func (ps Pages) Of(k *mdstore.Kind) []*mdstore.Page {
	var out []*mdstore.Page
	for _, p := range ps.list {
		if p.Kind == k {
			out = append(out, ps.docs.ofPage(p))
		}
	}
	return out
}

// Newest returns the pages of one kind, the newest first.
func (ps Pages) Newest(k *mdstore.Kind) []*mdstore.Page {
	all := ps.Of(k)
	slices.SortStableFunc(all, func(a, b *mdstore.Page) int {
		return cmp.Or(cmp.Compare(b.Made(), a.Made()), strings.Compare(string(b.ID), string(a.ID)))
	})
	return all
}

// Get returns the page of a kind with that id. If several have the id, it is the one whose path sorts first.
func (ps Pages) Get(k *mdstore.Kind, id mdstore.ID) (*mdstore.Page, bool) {
	return ps.find(func(p *mdstore.Page) bool { return p.Kind == k && p.ID == id })
}

// Session returns the session with that id, or which its caller calls so: see mdstore.KeyExternal.
func (ps Pages) Session(id string) (*mdstore.Page, bool) {
	if p, ok := ps.Get(mdstore.SessionKind, mdstore.ID(id)); ok {
		return p, true
	}
	return ps.find(func(p *mdstore.Page) bool {
		return p.Kind == mdstore.SessionKind && id != "" && p.Field(mdstore.KeyExternal) == id
	})
}

func (ps Pages) find(is func(*mdstore.Page) bool) (*mdstore.Page, bool) {
	i := slices.IndexFunc(ps.list, is)
	if i < 0 {
		return nil, false
	}
	return ps.docs.ofPage(ps.list[i]), true
}

// At returns the page whose file lies at that path.
func (ps Pages) At(path mdstore.Path) (*mdstore.Page, bool) {
	i, ok := pageAt(ps.list, path)
	if !ok {
		return nil, false
	}
	return ps.docs.ofPage(ps.list[i]), true
}

func pageAt(all []*mdstore.Page, path mdstore.Path) (int, bool) {
	return slices.BinarySearchFunc(all, path, func(p *mdstore.Page, path mdstore.Path) int {
		return strings.Compare(string(p.Path), string(path))
	})
}

// Resolve returns the page of a kind that ref names: by its id, its name, whatever the case of its letters, a unique
// prefix of its id, or the last six characters, in that order. If several have the name, it returns the newest, and
// others is the number of the rest. The error has the given code.
func (ps Pages) Resolve(k *mdstore.Kind, ref string, code errs.Code) (p *mdstore.Page, others int, err error) {
	if p, ok := ps.Get(k, mdstore.ID(ref)); ok {
		return p, 0, nil
	}
	if p, ok := ps.Session(ref); ok && k == mdstore.SessionKind {
		return p, 0, nil
	}
	all := ps.Newest(k)
	hits := matches(all, ofPage, ref)
	switch {
	case len(hits) == 0:
		return nil, 0, errs.New(code, "%s: no such %s in workspace %s; %s", ref, k.Name, ps.workspace, knownPages(k, all)).
			With(errs.Details{Candidates: Candidates(all, CandidatesShown, ofPage)})
	case len(hits) > 1 && fold.Name(hits[0].Title) != fold.Name(ref):
		return nil, 0, ambiguous(ref, k.Name+"s", hits)
	}
	p, _ = ps.Get(k, mdstore.ID(hits[0].ID))
	return p, len(hits) - 1, nil
}

func knownPages(k *mdstore.Kind, all []*mdstore.Page) string {
	if len(all) == 0 {
		return "it has none yet"
	}
	return "there are: " + List(Candidates(all, len(all), ofPage))
}

func ofPage(p *mdstore.Page) errs.Candidate { return errs.Candidate{ID: string(p.ID), Title: p.Name()} }
