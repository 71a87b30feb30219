package view

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"arbor/engine/errs"
	"arbor/engine/internal/nearest"
	"arbor/mdstore"
	"arbor/mdstore/fold"
)

// CandidatesShown is how many nodes that may have been meant an error names.
const CandidatesShown = 8

// Resolve returns the id of the node that ref names: an id, a title, whatever the case of its letters, a unique prefix
// of an id, or its last six characters, in that order. The error is NODE_NOT_FOUND with the nodes that may have been
// meant, or AMBIGUOUS_ID with those that match.
func (v *View) Resolve(ref string) (mdstore.ID, error) {
	if n, ok := v.Node(mdstore.ID(ref)); ok {
		return n.ID, nil
	}
	switch hits := matches(v.Candidates(), ofNode, ref); len(hits) {
	case 1:
		return mdstore.ID(hits[0].ID), nil
	case 0:
		return "", v.Unknown(ref)
	default:
		return "", v.ambiguousNodes(ref, hits)
	}
}

// shortID is how many characters at the end of an id name it.
const shortID = 6

// matches returns those that ref names: those with this title; or else with this title in other case; or else those
// whose ids begin with ref; or else, if ref has the length shortID, those whose ids end with it.
func matches[T any](all []T, of func(T) errs.Candidate, ref string) (hits []errs.Candidate) {
	low := fold.Name(ref)
	for _, named := range []func(errs.Candidate) bool{
		func(c errs.Candidate) bool { return c.Title == ref },
		func(c errs.Candidate) bool { return fold.Name(c.Title) == low },
		func(c errs.Candidate) bool { return ref != "" && strings.HasPrefix(c.ID, ref) },
		func(c errs.Candidate) bool { return len(ref) == shortID && strings.HasSuffix(c.ID, ref) },
	} {
		for _, x := range all {
			if c := of(x); named(c) {
				hits = append(hits, c)
			}
		}
		if len(hits) > 0 {
			return hits
		}
	}
	return nil
}

// containing returns those whose title has ref in it, whatever the case of its letters.
func containing[T any](all []T, of func(T) errs.Candidate, ref string) (hits []errs.Candidate) {
	low := fold.Name(strings.TrimSpace(ref))
	for _, x := range all {
		if c := of(x); low != "" && strings.Contains(fold.Name(c.Title), low) {
			hits = append(hits, c)
		}
	}
	return hits
}

func (v *View) ambiguousNodes(ref string, hits []errs.Candidate) *errs.Error {
	for i := range hits[:min(len(hits), CandidatesShown)] {
		v.place(&hits[i])
	}
	return ambiguous(ref, "nodes", hits)
}

func ambiguous(ref, what string, hits []errs.Candidate) *errs.Error {
	head := fmt.Sprintf("%s: %d %s match", ref, len(hits), what)
	return errs.New(errs.AmbiguousID, "%s: %s; give the id, or more of it", head, List(hits)).
		With(errs.Details{Candidates: hits[:min(len(hits), CandidatesShown)], Head: head + "; give the id, or more of it"})
}

// Known returns the node with this exact id, or NODE_NOT_FOUND with the nodes that may have been meant.
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
	det := errs.Details{NodeID: ref, Candidates: near}
	if len(near) > 0 {
		msg += "; did you mean " + List(near) + "?"
		det.Head = ref + ": no such node in " + v.ws.Name
	} else {
		msg += "; {node_list} shows those there are"
	}
	return placed(v, errs.New(errs.NodeNotFound, "%s: %s", ref, msg).With(det))
}

// nearest returns nodes that may have been meant: first those whose ids begin with ref, then those whose id or title
// contains it, and then those whose ids have the longest beginning in common with it. If there are none, it returns
// those whose last six characters, or whose short ids, differ from ref in one or two characters, and those whose titles
// differ from it in a few.
func (v *View) nearest(ref string) []errs.Candidate {
	low := strings.ToLower(ref)
	const longest = 15              // bytes of an id that people type; the others are copied
	const longestTitle = 60         // bytes of a title that people type
	rank := map[*mdstore.Node]int{} // the higher, the likelier
	var all, typo []*mdstore.Node
	for _, n := range v.Candidates() {
		common := commonStart(low, string(n.ID))
		switch {
		case low == "":
		case common == len(low):
			rank[n] = len(low) + 2
		case strings.Contains(strings.ToLower(n.Title), low), strings.Contains(string(n.ID), low):
			rank[n] = len(low) + 1
		case common >= max(len(low)*3/4, len("node-")+3):
			rank[n] = common
		}
		if rank[n] > 0 {
			all = append(all, n)
			continue
		}
		slips, most := 1, 0
		if max(len(low), len(n.ID)) <= longest {
			slips, most = nearest.Distance(low, string(n.ID)), len(low)/3
		} else if len(low) == shortID || len(low) == len(n.ID) {
			slips, most = nearest.Distance(ending(low), ending(string(n.ID))), 2
		}
		title, few := strings.ToLower(n.Title), len(low)/4
		if slips > most && len(low) <= longestTitle && max(len(title)-len(low), len(low)-len(title)) <= few {
			slips, most = nearest.Distance(low, title), few
		}
		if slips <= most {
			rank[n], typo = -slips, append(typo, n)
		}
	}
	if len(all) == 0 {
		all = typo
	}
	slices.SortStableFunc(all, func(a, b *mdstore.Node) int { return cmp.Compare(rank[b], rank[a]) })
	return Nodes(all)
}

// commonStart returns the length of the common prefix of a and b in bytes.
func commonStart(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// List returns the first candidates for the text of an error.
func List(cs []errs.Candidate) string {
	var b strings.Builder
	for i, c := range cs {
		if i == CandidatesShown {
			fmt.Fprintf(&b, ", … (%d in all)", len(cs))
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		switch b.WriteString(cmp.Or(c.Short, c.ID)); {
		case c.Way != "":
			b.WriteString(" (" + c.Way + ")")
		case c.Title != "":
			b.WriteString(" (" + c.Title + ")")
		}
	}
	return b.String()
}

// ResolveWorkspace returns the workspace that ref names: by its id; with loose also in the ways of Resolve (name,
// prefix or last six characters of the id); and with parts also by a part of its name.
func ResolveWorkspace(all []*mdstore.Workspace, ref string, loose, parts bool) (mdstore.ID, error) {
	if slices.ContainsFunc(all, func(w *mdstore.Workspace) bool { return string(w.ID) == ref }) {
		return mdstore.ID(ref), nil
	}
	hits := matches(all, ofWorkspace, ref)
	if len(hits) == 0 && parts {
		hits = containing(all, ofWorkspace, ref)
	}
	switch {
	case len(hits) == 1 && loose:
		return mdstore.ID(hits[0].ID), nil
	case len(hits) > 1 && loose:
		return "", ambiguous(ref, "workspaces", hits)
	case len(hits) > 0:
		return "", errs.New(errs.WorkspaceNotFound, "%s: no workspace has this id; give the id of the one that is meant: %s", ref, List(hits)).With(errs.Details{Candidates: hits[:min(len(hits), CandidatesShown)]})
	}
	return "", unknownWorkspace(mdstore.ID(ref), all)
}

// Candidates returns the first of all, at most most, as candidates for an error.
func Candidates[T any](all []T, most int, of func(T) errs.Candidate) []errs.Candidate {
	out := make([]errs.Candidate, 0, min(len(all), most))
	for _, x := range all[:cap(out)] {
		out = append(out, of(x))
	}
	return out
}

// Heads returns the first workspaces, for an error.
func Heads(all []*mdstore.Workspace) []errs.Candidate {
	return Candidates(all, CandidatesShown, ofWorkspace)
}

// Nodes returns the first nodes, for an error.
func Nodes(all []*mdstore.Node) []errs.Candidate { return Candidates(all, CandidatesShown, ofNode) }

func ofNode(n *mdstore.Node) errs.Candidate { return errs.Candidate{ID: string(n.ID), Title: n.Title} }

func ofWorkspace(w *mdstore.Workspace) errs.Candidate {
	return errs.Candidate{ID: string(w.ID), Title: w.Name}
}

// unknownWorkspace returns the error for an id that none of the workspaces has.
func unknownWorkspace(id mdstore.ID, all []*mdstore.Workspace) error {
	known, head := "the vault has none yet: make one with {workspace_init}", ""
	if len(all) > 0 {
		head = string(id) + ": no such workspace"
		known = "there are: " + List(Candidates(all, len(all), ofWorkspace))
	}
	return errs.New(errs.WorkspaceNotFound, "%s: no such workspace; %s", id, known).With(errs.Details{Candidates: Heads(all), Head: head})
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
		return nil, unknownWorkspace(id, all)
	}
	return hit, nil
}
