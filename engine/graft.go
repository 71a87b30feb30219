package engine

import (
	"slices"
	"strings"

	"arbor/mdstore"
)

// A graft puts files into a snapshot in the making, and then their nodes into its tree.
type graft struct {
	s     *Snapshot
	stood map[mdstore.ID]*mdstore.Node // of the ids concerned: which node stood in the tree for it; nil for none
}

func (g *graft) drop(p mdstore.Path) {
	s := g.s
	if s.broken.Len() > 0 {
		s.broken = s.broken.Delete(p)
	}
	old, ok := s.file(p)
	if !ok {
		return
	}
	s.count--
	if s.base.file(p) != nil {
		s.files = s.files.Set(p, nil)
	} else {
		s.files = s.files.Delete(p)
	}
	g.name(old.ID, slices.DeleteFunc(slices.Clone(g.files(old.ID)), func(n *mdstore.Node) bool { return n.Path == p }))
}

// filled takes back that a folder right below nodes/ misses its file: it does so only while there is no node anywhere in it.
func (s *Snapshot) filled(p mdstore.Path) {
	if s.broken.Len() == 0 {
		return
	}
	if top, ok := s.top(p); ok {
		own := top.Join(mdstore.NodeFile)
		if d, ok := s.broken.Get(own); ok && d.Code == CodeFileMissing {
			s.broken = s.broken.Delete(own)
		}
	}
}

// top returns the folder right below nodes/ in which a file lies.
func (s *Snapshot) top(p mdstore.Path) (mdstore.Path, bool) {
	nodes := s.ws.Dir.Join(mdstore.NodesDir)
	rest, ok := strings.CutPrefix(string(p), string(nodes)+"/")
	name, _, in := strings.Cut(rest, "/")
	return nodes.Join(name), ok && in
}

// lists reports whether a snapshot has a node in a folder, or something there that cannot be read.
func (s *Snapshot) lists(dir mdstore.Path) bool {
	for range s.under(dir) {
		return true
	}
	for it := s.broken.Iterator(); !it.Done(); {
		if p, _, _ := it.Next(); p.Under(dir) {
			return true
		}
	}
	return false
}

// name says which files have an id.
func (g *graft) name(id mdstore.ID, now []*mdstore.Node) {
	s := g.s
	if was := len(s.filesOf(id)); was == 0 && len(now) > 0 {
		s.named++
	} else if was > 0 && len(now) == 0 {
		s.named--
	}
	if len(now) == 0 && s.base.files(id) == nil {
		s.ids = s.ids.Delete(id)
	} else {
		s.ids = s.ids.Set(id, now)
	}
}

func (g *graft) put(n *mdstore.Node) {
	if g.replace(n) {
		return
	}
	g.drop(n.Path)
	s := g.s
	s.filled(n.Path)
	s.count++
	s.files = s.files.Set(n.Path, n)
	now := append(slices.Clone(g.files(n.ID)), n)
	slices.SortFunc(now, byPath)
	g.name(n.ID, now)
}

// replace is put of a file that is there and has the same id still. It reports false for any other.
func (g *graft) replace(n *mdstore.Node) bool {
	s := g.s
	if old, ok := s.file(n.Path); !ok || old.ID != n.ID {
		return false
	}
	now := slices.Clone(g.files(n.ID))
	i := slices.IndexFunc(now, func(k *mdstore.Node) bool { return k.Path == n.Path })
	if i < 0 {
		return false
	}
	now[i] = n
	s.files = s.files.Set(n.Path, n)
	s.ids = s.ids.Set(n.ID, now)
	return true
}

// files returns the files of an id that is about to get others.
func (g *graft) files(id mdstore.ID) []*mdstore.Node {
	same := g.s.filesOf(id)
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
		same := g.s.filesOf(id)
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
	out := slices.Grow(slices.Clone(g.s.kidsOf(parent)), len(come)) // a plan may have all its nodes below one: they are copied, and not looked at
	for n := range gone {
		if i, ok := slices.BinarySearchFunc(out, n, (*mdstore.Node).Compare); ok && out[i] == n {
			out = slices.Delete(out, i, i+1)
		} else {
			out = slices.DeleteFunc(out, func(k *mdstore.Node) bool { return k == n })
		}
	}
	for _, n := range come {
		i, _ := slices.BinarySearchFunc(out, n, (*mdstore.Node).Compare)
		out = slices.Insert(out, i, n)
	}
	if len(out) > 0 || g.s.base.below(parent) != nil {
		g.s.kids = g.s.kids.Set(parent, out)
	} else {
		g.s.kids = g.s.kids.Delete(parent)
	}
}
