package engine

import (
	"context"
	"errors"
	"io/fs"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// load reads a whole workspace. What is damaged or missing for a moment, known knows. With trusting, not every file need be looked at: see mdstore.Skimming.
func (e *Engine) load(ctx context.Context, st mdstore.Store, w *mdstore.Workspace, known *memory, trusting bool) (*Snapshot, error) {
	sk, ok := mdstore.AsStore[mdstore.Skimming](st)
	if !ok || e.whole.Load() {
		return loadWhole(ctx, st, w, known)
	}
	var before *mdstore.Skimmed
	if known != nil && known.last != nil {
		before = known.last.known()
	}
	found, err := sk.Skim(ctx, w.Dir, before, trusting)
	if err != nil {
		return nil, err
	}
	b := beginning{known: known, nodes: make([]*mdstore.Node, 0, len(found.Nodes))}
	for i := range found.Nodes {
		n := &found.Nodes[i]
		n.From(e.shelf)
		b.add(n)
	}
	for _, x := range found.Broken {
		if x.Path != w.Path {
			b.miss(x.Path, x.Err)
		}
	}
	f, err := st.Read(ctx, w.Path)
	if err != nil && ctx.Err() != nil {
		return nil, err
	}
	f.Path = w.Path
	b.own(f, err)
	s := b.snapshot()
	s.skimmed, s.shelf = found, e.shelf
	return s, nil
}

// loadWhole reads every file of a workspace, and keeps what they hold.
func loadWhole(ctx context.Context, st mdstore.Store, w *mdstore.Workspace, known *memory) (*Snapshot, error) {
	b := beginning{known: known, w: w}
	for f, err := range st.List(ctx, w.Dir) {
		switch {
		case err != nil && f.Path == "":
			return nil, err
		case f.Path == w.Path:
			b.own(f, err)
		case err != nil:
			b.miss(f.Path, err)
		default:
			b.add(mdstore.ParseNode(f))
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return b.snapshot(), nil
}

// A beginning is a snapshot that is being read, file by file in the order of paths.
type beginning struct {
	known  *memory
	w      *mdstore.Workspace
	nodes  []*mdstore.Node
	broken []mdstore.Broken
	unsure bool
}

// own takes the workspace's own file.
func (b *beginning) own(f mdstore.File, err error) {
	b.unsure = b.unsure || passing(err)
	b.w = b.known.workspace(workspaceOf(f, err))
}

func (b *beginning) add(n *mdstore.Node) { b.nodes = append(b.nodes, b.known.node(n)) }

func (b *beginning) miss(p mdstore.Path, err error) {
	b.unsure = b.unsure || passing(err)
	b.broken = append(b.broken, mdstore.Broken{Path: p, Err: err})
}

func (b *beginning) snapshot() *Snapshot {
	s := newSnapshot(b.w, b.nodes)
	s.unsure = b.unsure
	for _, x := range b.broken {
		s.broken = s.broken.Set(x.Path, problemOf(x.Path, x.Err))
	}
	if away := b.known.missing(s); len(away) > 0 {
		g := graft{s: s, stood: map[mdstore.ID]*mdstore.Node{}}
		for _, n := range away {
			g.put(n)
		}
		g.grow()
	}
	return s
}

// passing reports whether an error says nothing about a file itself, such as a disk that fails for a moment.
func passing(err error) bool {
	var u *mdoc.UnreadableError
	return err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.As(err, &u)
}
