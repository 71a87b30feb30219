package engine

import (
	"slices"

	"arbor/mdstore"
)

// A graft puts files into a snapshot in the making, and then their nodes into its tree.
type graft struct {
	s     *Snapshot
	stood map[mdstore.ID]*mdstore.Node // of the ids concerned: which node stood in the tree for it; nil for none
}

func (g *graft) drop(p mdstore.Path) {
	s := g.s
	s.broken = s.broken.Delete(p)
	old, ok := s.files.Get(p)
	if !ok {
		return
	}
	s.files = s.files.Delete(p)
	same := g.files(old.ID)
	if len(same) == 1 {
		s.ids = s.ids.Delete(old.ID)
	} else {
		s.ids = s.ids.Set(old.ID, slices.DeleteFunc(slices.Clone(same), func(n *mdstore.Node) bool { return n.Path == p }))
	}
}

func (g *graft) put(n *mdstore.Node) {
	g.drop(n.Path)
	s := g.s
	s.files = s.files.Set(n.Path, n)
	now := append(slices.Clone(g.files(n.ID)), n)
	slices.SortFunc(now, byPath)
	s.ids = s.ids.Set(n.ID, now)
}

// files returns the files of an id that is about to get others.
func (g *graft) files(id mdstore.ID) []*mdstore.Node {
	same, _ := g.s.ids.Get(id)
	if _, met := g.stood[id]; !met {
		g.stood[id] = first(same)
	}
	return same
}

func first(same []*mdstore.Node) *mdstore.Node {
	if len(same) == 0 {
		return nil
	}
	return same[0]
}

// grow puts the nodes that stand for their ids now in the place of those that stood.
func (g *graft) grow() {
	leave := map[mdstore.ID]map[*mdstore.Node]bool{} // by parent
	join := map[mdstore.ID][]*mdstore.Node{}
	for id, was := range g.stood {
		same, _ := g.s.ids.Get(id)
		now := first(same)
		if id == mdstore.Root || was == now {
			continue
		}
		if was != nil {
			if leave[was.Parent] == nil {
				leave[was.Parent] = map[*mdstore.Node]bool{}
			}
			leave[was.Parent][was] = true
		}
		if now != nil {
			join[now.Parent] = append(join[now.Parent], now)
		}
	}
	for parent, gone := range leave {
		g.siblings(parent, gone, join[parent])
		delete(join, parent)
	}
	for parent, come := range join {
		g.siblings(parent, nil, come)
	}
}

// siblings replaces the children of a parent by those that stay and those that come.
func (g *graft) siblings(parent mdstore.ID, gone map[*mdstore.Node]bool, come []*mdstore.Node) {
	old, _ := g.s.kids.Get(parent)
	slices.SortFunc(come, (*mdstore.Node).Compare)
	out := make([]*mdstore.Node, 0, len(old)-len(gone)+len(come))
	for _, k := range old {
		if gone[k] {
			continue
		}
		for len(come) > 0 && come[0].Compare(k) < 0 {
			out, come = append(out, come[0]), come[1:]
		}
		out = append(out, k)
	}
	if out = append(out, come...); len(out) > 0 {
		g.s.kids = g.s.kids.Set(parent, out)
	} else {
		g.s.kids = g.s.kids.Delete(parent)
	}
}
