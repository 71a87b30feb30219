package view

import (
	"slices"
	"strings"

	"arbor/engine/errs"
	"arbor/mdstore"
)

func byPagePath(a, b *mdstore.Page) int { return strings.Compare(string(a.Path), string(b.Path)) }

// Pages returns the files of a kind that could be read, in the order of paths.
func (v *View) Pages(k *mdstore.Kind) []*mdstore.Page {
	var out []*mdstore.Page
	for _, p := range v.pages {
		if p.Kind == k {
			out = append(out, v.docs.ofPage(p))
		}
	}
	return out
}

// AllPages returns the files of every kind but the workspace's own and the nodes, in the order of paths.
func (v *View) AllPages() []*mdstore.Page {
	out := make([]*mdstore.Page, len(v.pages))
	for i, p := range v.pages {
		out[i] = v.docs.ofPage(p)
	}
	return out
}

// Page returns the file of a kind with that id. Where several have the id, it is the one whose path sorts first.
func (v *View) Page(k *mdstore.Kind, id mdstore.ID) (*mdstore.Page, bool) {
	for _, p := range v.pages {
		if p.Kind == k && p.ID == id {
			return v.docs.ofPage(p), true
		}
	}
	return nil, false
}

// PageAt returns the file at that path.
func (v *View) PageAt(path mdstore.Path) (*mdstore.Page, bool) {
	i, ok := v.findPage(path)
	if !ok {
		return nil, false
	}
	return v.docs.ofPage(v.pages[i]), true
}

func (v *View) findPage(path mdstore.Path) (int, bool) {
	return slices.BinarySearchFunc(v.pages, path, func(p *mdstore.Page, path mdstore.Path) int {
		return strings.Compare(string(p.Path), string(path))
	})
}

// ResolvePage returns the page of a kind that ref names: by its id, its exact name, a unique prefix of its id, or the last six characters,
// in that order. Of several with one name it is the newest, and others is how many more there are. The error has the code that is given.
func (v *View) ResolvePage(k *mdstore.Kind, ref string, code errs.Code) (p *mdstore.Page, others int, err error) {
	if p, ok := v.Page(k, mdstore.ID(ref)); ok {
		return p, 0, nil
	}
	all := v.Pages(k)
	slices.SortStableFunc(all, func(a, b *mdstore.Page) int {
		return strings.Compare(string(b.ID), string(a.ID)) // the newest first
	})
	hits := matches(Candidates(all, len(all), ofPage), ref)
	switch {
	case len(hits) == 0:
		return nil, 0, errs.New(code, "%s: no such %s in workspace %s; %s", ref, k.Name, v.ws.ID, knownPages(k, all)).
			With(errs.Details{Candidates: Candidates(all, CandidatesShown, ofPage)})
	case len(hits) > 1 && hits[0].Title != ref:
		return nil, 0, ambiguous(ref, k.Name+"s", hits)
	}
	p, _ = v.Page(k, mdstore.ID(hits[0].ID))
	return p, len(hits) - 1, nil
}

func knownPages(k *mdstore.Kind, all []*mdstore.Page) string {
	if len(all) == 0 {
		return "it has none yet"
	}
	return "there are: " + List(Candidates(all, len(all), ofPage))
}

func ofPage(p *mdstore.Page) errs.Candidate { return errs.Candidate{ID: string(p.ID), Title: p.Name()} }

// Session returns the session with that id, or which its caller calls so: see mdstore.KeyExternal.
func (v *View) Session(id string) (*mdstore.Page, bool) {
	if p, ok := v.Page(mdstore.SessionKind, mdstore.ID(id)); ok {
		return p, true
	}
	for _, p := range v.pages {
		if p.Kind == mdstore.SessionKind && id != "" && p.Field(mdstore.KeyExternal) == id {
			return v.docs.ofPage(p), true
		}
	}
	return nil, false
}
