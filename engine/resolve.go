package engine

import (
	"fmt"
	"sort"
	"strings"

	"arbor/engine/nearest"
	"arbor/mdstore"
)

// candidatesShown is how many nodes an error names that may have been meant.
const candidatesShown = 8

// Resolve returns the id of the node that ref names: an id, an exact title, or a unique prefix of an id. The error is NODE_NOT_FOUND with the
// nodes that may have been meant, or AMBIGUOUS_ID with those that match.
func (s *Snapshot) Resolve(ref string) (mdstore.ID, error) {
	if n, ok := s.Node(mdstore.ID(ref)); ok {
		return n.ID, nil
	}
	all := make([]Candidate, 0, s.named)
	for _, n := range s.nodes() {
		all = append(all, Candidate{string(n.ID), n.Title})
	}
	hits := matches(all, ref)
	switch len(hits) {
	case 1:
		return mdstore.ID(hits[0].ID), nil
	case 0:
		return "", s.unknown(ref)
	}
	return "", ambiguous(ref, "nodes", hits)
}

// matches returns those that ref names. An exact title that only one has is that one; else all whose id begins with ref or whose title is ref.
func matches(all []Candidate, ref string) []Candidate {
	var titled, any []Candidate
	for _, c := range all {
		prefixed := ref != "" && strings.HasPrefix(c.ID, ref)
		if c.Title == ref {
			titled = append(titled, c)
		}
		if prefixed || c.Title == ref {
			any = append(any, c)
		}
	}
	if prefixes := len(any) - len(titled); len(titled) == 1 && prefixes > 1 {
		return titled // no id is meant by a beginning that several have
	}
	return any
}

func ambiguous(ref, what string, hits []Candidate) *Error {
	return Fail(AmbiguousID, "%s: %d %s match: %s; give the id, or more of it", ref, len(hits), what, list(hits)).with(Details{Candidates: hits[:min(len(hits), candidatesShown)]})
}

// Known returns the node with that very id, or NODE_NOT_FOUND with those that may have been meant.
func (s *Snapshot) Known(id mdstore.ID) (*mdstore.Node, error) {
	if n, ok := s.Node(id); ok {
		return n, nil
	}
	return nil, s.unknown(string(id))
}

func (s *Snapshot) unknown(ref string) error {
	if p, ok := s.brokenFolder(ref); ok {
		d, _ := s.broken.Get(p)
		return Fail(FileUnreadable, "%s: its file cannot be read: %s", ref, d).with(Details{NodeID: ref, Paths: []string{string(p)}})
	}
	near := s.nearest(ref)
	msg := "no such node in workspace " + string(s.ws.ID)
	if len(near) > 0 {
		msg += "; meant may be: " + list(near)
	} else {
		msg += "; node_list (arbor tree) shows those there are"
	}
	return Fail(NodeNotFound, "%s: %s", ref, msg).with(Details{NodeID: ref, Candidates: near})
}

func (s *Snapshot) brokenFolder(ref string) (mdstore.Path, bool) {
	for it := s.broken.Iterator(); !it.Done(); {
		if p, _, _ := it.Next(); p.Dir().Base() == ref {
			return p, true
		}
	}
	return "", false
}

// nearest returns nodes for an error that helps: first those whose ids begin with ref, then those whose id or title contains it, and then those whose ids share the most of its beginning.
func (s *Snapshot) nearest(ref string) []Candidate {
	low := strings.ToLower(ref)
	type likely struct {
		n    *mdstore.Node
		rank int // the higher, the likelier
	}
	var all []likely
	for _, n := range s.nodes() {
		common := commonStart(low, string(n.ID))
		switch {
		case low == "":
		case common == len(low):
			all = append(all, likely{n, len(low) + 2})
		case strings.Contains(strings.ToLower(n.Title), low), strings.Contains(string(n.ID), low):
			all = append(all, likely{n, len(low) + 1})
		case common >= max(len(low)*3/4, len("node-")+3):
			all = append(all, likely{n, common})
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].rank > all[j].rank })
	var out []Candidate
	for _, x := range all[:min(len(all), candidatesShown)] {
		out = append(out, Candidate{string(x.n.ID), x.n.Title})
	}
	const longest = 15 // bytes of an id that people type; the others are copied
	for _, n := range s.nodes() {
		if len(out) > 0 || len(low) > longest {
			break
		}
		if len(n.ID) <= longest && nearest.Distance(low, string(n.ID)) <= len(low)/3 {
			out = append(out, Candidate{string(n.ID), n.Title})
		}
	}
	return out
}

// commonStart returns with how many of the same bytes a and b begin.
func commonStart(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// nodes returns one node for each id: first those of the tree in its order, then the others in the order of paths.
func (s *Snapshot) nodes() []*mdstore.Node {
	out := make([]*mdstore.Node, 0, s.named)
	for _, n := range s.Walk(mdstore.Root) {
		out = append(out, n)
	}
	if len(out) == s.named {
		return out
	}
	met := make(map[mdstore.ID]bool, len(out))
	for _, n := range out {
		met[n.ID] = true
	}
	for n := range s.All() {
		if !met[n.ID] {
			met[n.ID] = true
			out = append(out, n)
		}
	}
	return out
}

func list(cs []Candidate) string {
	var b strings.Builder
	for i, c := range cs {
		if i == candidatesShown {
			fmt.Fprintf(&b, ", … (%d in all)", len(cs))
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(c.ID + " (" + c.Title + ")")
	}
	return b.String()
}

// ResolveWorkspace returns the workspace that ref names: an id, and where loose a unique prefix of one or an exact name as well.
func ResolveWorkspace(all []*mdstore.Workspace, ref string, loose bool) (mdstore.ID, error) {
	cs := make([]Candidate, 0, len(all))
	for _, w := range all {
		if string(w.ID) == ref {
			return w.ID, nil
		}
		cs = append(cs, Candidate{string(w.ID), w.Name})
	}
	switch hits := matches(cs, ref); {
	case len(hits) == 1 && loose:
		return mdstore.ID(hits[0].ID), nil
	case len(hits) > 1 && loose:
		return "", ambiguous(ref, "workspaces", hits)
	case len(hits) > 0:
		return "", Fail(WorkspaceNotFound, "%s: no workspace has this id; give the id of the one that is meant: %s", ref, list(hits)).with(Details{Candidates: hits[:min(len(hits), candidatesShown)]})
	}
	return "", Fail(WorkspaceNotFound, "%s: no such workspace%s", ref, known(all)).with(Details{Candidates: heads(all)})
}
