package view

import (
	"fmt"
	"sort"
	"strings"

	"arbor/engine/errs"
	"arbor/engine/nearest"
	"arbor/mdstore"
)

// CandidatesShown is how many nodes an error names that may have been meant.
const CandidatesShown = 8

// Resolve returns the id of the node that ref names: an id, an exact title, or a unique prefix of an id. The error is NODE_NOT_FOUND with the
// nodes that may have been meant, or AMBIGUOUS_ID with those that match.
func (v *View) Resolve(ref string) (mdstore.ID, error) {
	if n, ok := v.Node(mdstore.ID(ref)); ok {
		return n.ID, nil
	}
	all := make([]errs.Candidate, 0, v.ids.len())
	for _, n := range v.Candidates() {
		all = append(all, errs.Candidate{ID: string(n.ID), Title: n.Title})
	}
	hits := matches(all, ref)
	switch len(hits) {
	case 1:
		return mdstore.ID(hits[0].ID), nil
	case 0:
		return "", v.Unknown(ref)
	}
	return "", ambiguous(ref, "nodes", hits)
}

// matches returns those that ref names. An exact title that only one has is that one; else all whose id begins with ref or whose title is ref.
func matches(all []errs.Candidate, ref string) []errs.Candidate {
	var titled, any []errs.Candidate
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

func ambiguous(ref, what string, hits []errs.Candidate) *errs.Error {
	return errs.New(errs.AmbiguousID, "%s: %d %s match: %s; give the id, or more of it", ref, len(hits), what, list(hits)).With(errs.Details{Candidates: hits[:min(len(hits), CandidatesShown)]})
}

// Known returns the node with that very id, or NODE_NOT_FOUND with those that may have been meant.
func (v *View) Known(id mdstore.ID) (*mdstore.Node, error) {
	if n, ok := v.Node(id); ok {
		return n, nil
	}
	return nil, v.Unknown(string(id))
}

func (v *View) Unknown(ref string) error {
	if p, ok := v.BrokenFolder(ref); ok {
		return errs.New(errs.FileUnreadable, "%s: its file cannot be read: %s", ref, v.broken[p]).With(errs.Details{NodeID: ref, Paths: []string{string(p)}})
	}
	near := v.nearest(ref)
	msg := "no such node in workspace " + string(v.ws.ID)
	if len(near) > 0 {
		msg += "; meant may be: " + list(near)
	} else {
		msg += "; node_list (arbor tree) shows those there are"
	}
	return errs.New(errs.NodeNotFound, "%s: %s", ref, msg).With(errs.Details{NodeID: ref, Candidates: near})
}

// nearest returns nodes for an error that helps: first those whose ids begin with ref, then those whose id or title contains it, and then those whose ids share the most of its beginning.
func (v *View) nearest(ref string) []errs.Candidate {
	low := strings.ToLower(ref)
	type likely struct {
		n    *mdstore.Node
		rank int // the higher, the likelier
	}
	var all []likely
	for _, n := range v.Candidates() {
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
	var out []errs.Candidate
	for _, x := range all[:min(len(all), CandidatesShown)] {
		out = append(out, errs.Candidate{ID: string(x.n.ID), Title: x.n.Title})
	}
	const longest = 15 // bytes of an id that people type; the others are copied
	for _, n := range v.Candidates() {
		if len(out) > 0 || len(low) > longest {
			break
		}
		if len(n.ID) <= longest && nearest.Distance(low, string(n.ID)) <= len(low)/3 {
			out = append(out, errs.Candidate{ID: string(n.ID), Title: n.Title})
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

func list(cs []errs.Candidate) string {
	var b strings.Builder
	for i, c := range cs {
		if i == CandidatesShown {
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
	cs := make([]errs.Candidate, 0, len(all))
	for _, w := range all {
		if string(w.ID) == ref {
			return w.ID, nil
		}
		cs = append(cs, errs.Candidate{ID: string(w.ID), Title: w.Name})
	}
	switch hits := matches(cs, ref); {
	case len(hits) == 1 && loose:
		return mdstore.ID(hits[0].ID), nil
	case len(hits) > 1 && loose:
		return "", ambiguous(ref, "workspaces", hits)
	case len(hits) > 0:
		return "", errs.New(errs.WorkspaceNotFound, "%s: no workspace has this id; give the id of the one that is meant: %s", ref, list(hits)).With(errs.Details{Candidates: hits[:min(len(hits), CandidatesShown)]})
	}
	return "", UnknownWorkspace(mdstore.ID(ref), all)
}

// Heads returns the first workspaces, for an error.
func Heads(all []*mdstore.Workspace) []errs.Candidate {
	out := make([]errs.Candidate, 0, min(len(all), CandidatesShown))
	for _, w := range all[:cap(out)] {
		out = append(out, errs.Candidate{ID: string(w.ID), Title: w.Name})
	}
	return out
}

// UnknownWorkspace returns the error for an id that none of the workspaces has.
func UnknownWorkspace(id mdstore.ID, all []*mdstore.Workspace) error {
	return errs.New(errs.WorkspaceNotFound, "%s: no such workspace%s", id, knownNames(all)).With(errs.Details{Candidates: Heads(all)})
}

func knownNames(all []*mdstore.Workspace) string {
	if len(all) == 0 {
		return "; the vault has none yet: make one with workspace_init (arbor init)"
	}
	s := "; there are: "
	for i, w := range all {
		if i == 5 {
			return s + fmt.Sprintf(", … (%d in all)", len(all))
		}
		if i > 0 {
			s += ", "
		}
		s += string(w.ID) + " (" + w.Name + ")"
	}
	return s
}

// Workspace returns the one workspace with that id.
func Workspace(all []*mdstore.Workspace, id mdstore.ID) (*mdstore.Workspace, error) {
	var hit *mdstore.Workspace
	for _, w := range all {
		switch {
		case w.ID != id:
		case hit != nil:
			return nil, errs.New(errs.DuplicateID, "%s: two workspaces have this id, %s and %s; give one of them another id, or move the copy out of the vault",
				id, hit.Path, w.Path).With(errs.Details{Paths: []string{string(hit.Path), string(w.Path)}})
		default:
			hit = w
		}
	}
	if hit == nil {
		return nil, UnknownWorkspace(id, all)
	}
	return hit, nil
}
