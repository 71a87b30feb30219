package view

import (
	"strings"
	"sync"

	"arbor/engine/errs"
	"arbor/mdstore"
)

// Find is Resolve for operations that only read: if no node has the name, a part of a title is enough, in any case of
// letters.
func (v *View) Find(ref string) (mdstore.ID, error) {
	id, err := v.Resolve(ref)
	if e := errs.As(err); e == nil || e.Code != errs.NodeNotFound || strings.TrimSpace(ref) == "" {
		return id, err
	}
	switch all := containing(v.Candidates(), ofNode, ref); len(all) {
	case 0:
		return "", err
	case 1:
		return mdstore.ID(all[0].ID), nil
	default:
		return "", v.ambiguousNodes(ref, all)
	}
}

// WayMark separates the titles in a path of titles.
const WayMark = " › "

// placed adds to the nodes that an error names the way to them from the root, and their status.
func placed(v *View, e *errs.Error) *errs.Error {
	for i := range e.Details.Candidates {
		v.place(&e.Details.Candidates[i])
	}
	return e
}

func (v *View) place(c *errs.Candidate) {
	n, ok := v.Node(mdstore.ID(c.ID))
	if !ok {
		return
	}
	c.Short, c.Way, c.Status = v.shortID(c.ID), n.Title, string(n.Status)
	up, _ := v.Ancestors(n.ID)
	for _, a := range up {
		c.Way = a.Title + WayMark + c.Way
	}
}

// Short returns the last characters of an id, which are usually unique. An id of one word, such as default, stays
// whole.
func Short(id string) string {
	if !strings.Contains(id, "-") {
		return id
	}
	return ending(id)
}

func ending(id string) string { return id[max(0, len(id)-shortID):] }

// Shorts returns a function for the short ids of all: the last characters of an id, or the whole id if these are
// ambiguous. Other ids stay whole.
func Shorts(all []errs.Candidate) func(id string) string {
	return shorts(all, func(c errs.Candidate) errs.Candidate { return c })
}

func shorts[T any](all []T, of func(T) errs.Candidate) func(id string) string {
	ends, taken := make(map[string]string, len(all)), map[string]bool{} // ends: the id with that end, "" for several
	for _, x := range all {
		c := of(x)
		for _, name := range []string{c.ID[:min(len(c.ID), shortID)], c.Title} {
			if len(name) <= shortID { // longer names cannot be confused with the end of an id
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

// shortID returns the short id of one node as Shorts does, without allocating.
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
