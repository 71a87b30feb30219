package engine

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// gists are those of the nodes of a base which the store does not know, and of the nodes that lie over it. All snapshots over a base share them.
type gists struct {
	once  sync.Once
	ready atomic.Bool
	of    []gist // of the nodes of the base, once ready
	kept  atomic.Pointer[mdstore.Skimmed]

	mu    sync.Mutex
	later map[*mdstore.Node]gist // guarded by mu: of nodes that lie over the base
}

// gist returns that of a node of the snapshot, the zero gist where it is not known.
func (s *Snapshot) gist(n *mdstore.Node) gist {
	if g := readGist(n.Gist); g != "" {
		return g
	}
	b := s.base
	if !b.gists.ready.Load() {
		return ""
	}
	if i, ok := b.ids.find(n.ID, b.idOf); ok {
		if b.nodes[i] == n {
			return b.gists.of[i]
		}
	}
	b.gists.mu.Lock()
	defer b.gists.mu.Unlock()
	return b.gists.later[n]
}

// Gather finds out of all nodes what [Snapshot.HasProblem] and [Snapshot.Problem] tell, where nobody has before: once, by all processors, and kept for the next
// process. It is for who is about to ask that of many nodes; nothing depends on it but time.
func (s *Snapshot) Gather() {
	g := &s.base.gists
	g.once.Do(func() {
		s.gatherBase()
		g.ready.Store(true)
	})
	if s.files.Len() == 0 {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.later) > 2*s.files.Len()+64 { // most are of files that have changed again
		g.later = nil
	}
	for it := s.files.Iterator(); !it.Done(); {
		_, n, _ := it.Next()
		if n == nil || len(n.Problems) > 0 || g.later[n] != "" || readGist(n.Gist) != "" {
			continue
		}
		if g.later == nil {
			g.later = map[*mdstore.Node]gist{}
		}
		if doc, v := n.File(); n.Read(mdstore.File{Version: v}) { // else it is of another state of the file
			g.later[n] = gistOf(n.Holding(doc))
		}
	}
}

func (s *Snapshot) gatherBase() {
	g, nodes := &s.base.gists, s.base.nodes
	var unknown []int
	for i, n := range nodes {
		if len(n.Problems) == 0 && readGist(n.Gist) == "" {
			unknown = append(unknown, i)
		}
	}
	g.of = make([]gist, len(nodes))
	if len(unknown) == 0 {
		return
	}
	split(len(unknown), func(k int) {
		i := unknown[k]
		g.of[i] = s.look(nodes[i])
	})
	st, ok := mdstore.Skimming(nil), false
	if s.shelf != nil {
		st, ok = mdstore.AsStore[mdstore.Skimming](s.shelf.st)
	}
	if !ok || s.skimmed == nil || len(s.skimmed.Nodes) != len(nodes) {
		return
	}
	known := *s.skimmed
	known.Nodes = append([]mdstore.Node(nil), known.Nodes...)
	for i := range known.Nodes {
		if g.of[i] != "" && &s.skimmed.Nodes[i] == nodes[i] {
			known.Nodes[i].Gist = string(g.of[i])
		}
	}
	g.kept.Store(&known)
	st.Keep(context.Background(), s.ws.Dir, &known)
}

// known returns what the snapshot's base was made of, with what has been found out since.
func (s *Snapshot) known() *mdstore.Skimmed {
	if k := s.base.gists.kept.Load(); k != nil {
		return k
	}
	return s.skimmed
}

// look returns the gist of a node of the base from its document, the zero gist where that is of another state of the file than the node is, or cannot be read: the file
// may become again what the node states, and would be told of wrongly then.
func (s *Snapshot) look(n *mdstore.Node) gist {
	if s.shelf == nil {
		return gistOf(n)
	}
	doc, same := s.shelf.glance(n)
	if !same {
		return ""
	}
	return gistOf(n.Holding(doc))
}

// glance returns the document that a node's file holds, and does not keep it; same is false where the file is of another state than the node is of, of which the
// engine hears, and where it cannot be read.
func (l *shelf) glance(n *mdstore.Node) (doc *mdoc.Doc, same bool) {
	f, err := l.st.Read(context.Background(), n.Path)
	if err != nil {
		return nil, false
	}
	if !n.Read(f) {
		l.others.Add(1)
		l.differ(n.Path)
		return nil, false
	}
	doc, _ = mdoc.Parse(string(n.Path), f.Data, mdstore.NodeForm)
	return doc, true
}

// split calls f for each number below n, on all processors, and returns when all calls have.
func split(n int, f func(int)) {
	const least = 64 // calls that are worth another goroutine
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n/least+1) {
		all.Go(func() {
			for {
				to := int(next.Add(least))
				for i := to - least; i < min(to, n); i++ {
					f(i)
				}
				if to >= n {
					return
				}
			}
		})
	}
	all.Wait()
}
