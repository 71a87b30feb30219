package view

import (
	"strings"
	"sync"

	"arbor/engine/errs"
	"arbor/mdstore"
)

// Find is Resolve for those who only read: where no node has the name, a part of a title names its node, whatever the
// case of its letters.
func (v *View) Find(ref string) (mdstore.ID, error) {
	id, err := v.Resolve(ref)
	if e := errs.As(err); e == nil || e.Code != errs.NodeNotFound || strings.TrimSpace(ref) == "" {
		return id, err
	}
	switch all := Containing(v.Candidates(), ofNode, ref); len(all) {
	case 0:
		return "", err
	case 1:
		return mdstore.ID(all[0].ID), nil
	default:
		return "", placed(v, ambiguousNodes(ref, all))
	}
}

// WayMark stands between the titles of a way.
const WayMark = " › "

// placed adds to the nodes that an error names the way to them from the root, and their status.
func placed(v *View, e *errs.Error) *errs.Error {
	for i := range e.Details.Candidates {
		c := &e.Details.Candidates[i]
		n, ok := v.Node(mdstore.ID(c.ID))
		if !ok {
			continue
		}
		c.Way, c.Status = n.Title, string(n.Status)
		up, _ := v.Ancestors(n.ID)
		for _, a := range up {
			c.Way = a.Title + WayMark + c.Way
		}
	}
	return e
}

// Short returns the last characters of an id, which name it as a rule. An id of one word, as default, stays whole.
func Short(id string) string {
	if !strings.Contains(id, "-") {
		return id
	}
	return ending(id)
}

func ending(id string) string { return id[max(0, len(id)-shortID):] }

// Shorts returns how each of all can be named in a few characters: by the last ones of its id, or by the whole id where
// these would name another, or nothing. What is not among all keeps its whole id.
func Shorts(all []errs.Candidate) func(id string) string {
	return shorts(all, func(c errs.Candidate) errs.Candidate { return c })
}

func shorts[T any](all []T, of func(T) errs.Candidate) func(id string) string {
	ends, taken := make(map[string]string, len(all)), map[string]bool{} // ends: the id with that end, "" for several
	for _, x := range all {
		c := of(x)
		for _, name := range []string{c.ID[:min(len(c.ID), shortID)], c.Title} {
			if len(name) <= shortID { // no longer one can be taken for an end
				taken[name] = true
			}
		}
		end := ending(c.ID)
		if other, met := ends[end]; met && other != c.ID {
			ends[end] = ""
		} else {
			ends[end] = c.ID
		}
	}
	return func(id string) string {
		if end := Short(id); ends[ending(id)] == id && !taken[end] {
			return end
		}
		return id
	}
}

// ShortIDs is Shorts for the nodes of a view.
func ShortIDs(v *View) func(id string) string {
	asked := 0
	table := sync.OnceValue(func() func(string) string { return shorts(v.Candidates(), ofNode) })
	return func(id string) string {
		if asked++; asked > fewIDs {
			return table()(id)
		}
		return v.shortID(id)
	}
}

// fewIDs are so few that comparing each with all others is cheaper than a table.
const fewIDs = 8

// shortID is what shorts says of one id of a node. It allocates nothing.
func (v *View) shortID(id string) string {
	end := Short(id)
	known := false
	for _, n := range v.nodes {
		switch other := string(n.ID); {
		case other == id:
			known = true
		case ending(other) == ending(id):
			return id
		}
		if n.Title == end || len(n.ID) >= len(end) && string(n.ID[:min(len(n.ID), shortID)]) == end {
			return id
		}
	}
	if !known {
		return id
	}
	return end
}
