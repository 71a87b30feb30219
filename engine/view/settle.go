package view

import (
	"cmp"
	"slices"
	"strings"

	"arbor/mdstore"
	"arbor/mdstore/fold"
	"arbor/statemachine"
)

// settle fills in what the files of nodes leave out, and finds the nodes that they name as parents in other ways than
// by id: first ids, then parents, which depend on ids, then types, which depend on children.
func (v *View) settle() {
	for _, settled := range []func() map[mdstore.Path]*mdstore.Node{v.identified, v.parented, v.typed} {
		now := settled()
		if len(now) == 0 {
			continue
		}
		for i, n := range v.nodes {
			if to := now[n.Path]; to != nil {
				v.nodes[i] = to
			}
		}
		v.ids = inOrder(v.nodes, byID)
		v.kids = kidsOf(v.ids)
	}
}

// identified returns the nodes whose files state no id, as far as they are to have another id than they have: the
// folder's name if no other node has it and no earlier path asks for it.
func (v *View) identified() map[mdstore.Path]*mdstore.Node {
	now, taken := map[mdstore.Path]*mdstore.Node{}, map[mdstore.ID]bool{}
	for _, n := range v.nodes {
		if !n.Gaps().ID {
			continue
		}
		id := n.FolderID(true)
		states := func(o *mdstore.Node) bool { return !o.Gaps().ID }
		if taken[id] || slices.ContainsFunc(v.same(id), states) {
			id = n.FolderID(false)
		}
		if taken[id] = true; id != n.ID {
			now[n.Path] = n.Filled(id, n.Parent, n.Type)
		}
	}
	return now
}

// parented returns the nodes that are to have another parent than they have.
func (v *View) parented() map[mdstore.Path]*mdstore.Node {
	now := map[mdstore.Path]*mdstore.Node{}
	names := map[string]mdstore.ID{}
	resolve := func(n *mdstore.Node) {
		if to := v.parentOf(n, names); to != n.Parent {
			now[n.Path] = n.Filled(n.ID, to, n.Type)
		}
	}
	var last *mdstore.Node // of the children of one parent, only the first looks for it
	found := false
	for _, n := range v.kids {
		if last == nil || last.Parent != n.Parent {
			found = len(v.same(n.Parent)) > 0
		}
		if last = n; !found || n.Stated() != string(n.Parent) || n.Parent == "" {
			resolve(n)
		}
	}
	for i, n := range v.ids {
		if i > 0 && v.ids[i-1].ID == n.ID {
			resolve(n)
		}
	}
	return now
}

// ParentOf returns the id of the parent that a node would have which is not in the view.
func (v *View) ParentOf(n *mdstore.Node) mdstore.ID { return v.parentOf(n, map[string]mdstore.ID{}) }

// parentOf returns the id of the node that a file names as the parent by an id, a link, a title, a folder, or a part of
// an id; the text itself if it names none. A file that leaves the parent out has the nearest node in a folder above.
// names keeps what texts were found to name.
func (v *View) parentOf(n *mdstore.Node, names map[string]mdstore.ID) mdstore.ID {
	if n.Gaps().Parent {
		return v.above(n)
	}
	stated := n.Stated()
	if stated == "" {
		return n.Parent
	}
	if stated == string(mdstore.Root) {
		return mdstore.Root // whether there is one or not
	}
	if len(v.same(mdstore.ID(stated))) > 0 {
		return mdstore.ID(stated)
	}
	target := cmp.Or(mdstore.ParseRef(stated).Target, stated)
	if to, ok := v.Referred(n, target); ok {
		return to.ID
	}
	to, met := names[target]
	if !met {
		to = cmp.Or(v.named(target), v.named(stated))
		names[target] = to
	}
	if to == "" || to == n.ID {
		return mdstore.ID(target)
	}
	return to
}

// named returns the id of the only node with a title, or whose id a text shortens as no other text would by chance.
func (v *View) named(text string) mdstore.ID {
	if mdstore.ID(text).Generated("node") {
		return "" // the node is gone
	}
	if to, ok := v.Titled(text); ok {
		return to.ID
	}
	low, least := fold.Name(text), len("node-mx0uo33t")
	for _, is := range []func(*mdstore.Node) bool{
		func(n *mdstore.Node) bool { return fold.Name(n.Title) == low },
		func(n *mdstore.Node) bool { return n.ID.Short() == text },
		func(n *mdstore.Node) bool {
			return len(text) >= least && n.ID.Short() != "" && strings.HasPrefix(string(n.ID), text)
		},
	} {
		if to, ok := v.only(is); ok {
			return to.ID
		}
	}
	return ""
}

// only returns the one node of which is holds.
func (v *View) only(is func(*mdstore.Node) bool) (to *mdstore.Node, ok bool) {
	for _, n := range v.nodes {
		switch {
		case !is(n):
		case ok:
			return nil, false
		default:
			to, ok = n, true
		}
	}
	return to, ok
}

// above returns the id of the nearest node in a folder above a node's, or of the root.
func (v *View) above(n *mdstore.Node) mdstore.ID {
	top := mdstore.NodeKind.Folder(v.ws.Dir)
	for dir := n.Path.Dir().Dir(); dir != top && dir.Under(top); dir = dir.Dir() {
		file := mdstore.NodeKind.File(dir)
		if i, ok := v.find(file); ok {
			return v.nodes[i].ID
		}
		if _, unread := v.broken[file]; unread {
			return mdstore.ID(dir.Base())
		}
	}
	return mdstore.Root
}

// typed returns the nodes whose files state no type, as far as they are to have another type than they have.
func (v *View) typed() map[mdstore.Path]*mdstore.Node {
	now := map[mdstore.Path]*mdstore.Node{}
	for _, n := range v.kids {
		if !n.Gaps().Life {
			continue
		}
		t := statemachine.Execution
		if len(v.below(n.ID)) > 0 {
			t = statemachine.Planning
		}
		if t != n.Type {
			now[n.Path] = n.Filled(n.ID, n.Parent, t)
		}
	}
	return now
}
