package engine

import (
	lru "container/list"
	"context"
	"sync"
	"sync/atomic"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// shelfBytes is how much of the files the documents hold that are kept for those who ask again. What is found in a document may take several times as much.
const shelfBytes = 4 << 20

// A shelf has the documents that were last asked for, roughly. It is the library of the nodes that were skimmed: what it has not, it reads.
type shelf struct {
	st     mdstore.Store
	differ func(mdstore.Path) // told of a file that is not, or may not be, as the node states it

	mu    sync.Mutex
	at    map[mdstore.Path]*lru.Element // of volumes
	order *lru.List                     // of volumes, the newest in front; one that was asked for gets there when its turn comes to go
	bytes int
	odd   map[mdstore.Path]uint64 // what others was after a document of this file was last lent that is not what its node states

	own sync.Map // of workspaces' own files, by path: a mdstore.File without its bytes, as it was last read

	others atomic.Uint64 // counts the documents that were lent and are not what the node states
}

// A volume is a file as it was read.
type volume struct {
	path    mdstore.Path
	stamp   mdstore.Stamp // zero where it is not known
	version mdstore.Version
	doc     *mdoc.Doc
	asked   bool // for, guarded by the shelf's mu
}

func newShelf(st mdstore.Store, differ func(mdstore.Path)) *shelf {
	return &shelf{st: st, differ: differ, at: map[mdstore.Path]*lru.Element{}, order: lru.New(), odd: map[mdstore.Path]uint64{}}
}

var _ mdstore.Library = (*shelf)(nil)

// Lend returns the document of a node's file. It is of the state that the node is of, unless somebody has changed the file since: then it is of the newest, and
// the engine hears of it. That one is not kept: it may be half of a save, and what the node states may be there still.
func (l *shelf) Lend(n *mdstore.Node) (*mdoc.Doc, mdstore.Version) {
	if v, ok := l.get(n.Path); ok && n.Read(mdstore.File{Version: v.version, Stamp: v.stamp}) {
		return v.doc, v.version
	}
	f, err := l.st.Read(context.Background(), n.Path)
	if err != nil {
		l.other(n.Path)
		d, _ := mdoc.Parse(string(n.Path), nil, mdstore.NodeForm)
		return d.Closed(problemOf(n.Path, err)), mdstore.Version{}
	}
	if !n.Read(f) {
		l.other(n.Path)
		d, _ := mdoc.Parse(string(n.Path), f.Data, mdstore.NodeForm)
		return d, f.Version
	}
	v := l.put(f)
	return v.doc, v.version
}

// other notes that a document is lent that is not what the file's node states.
func (l *shelf) other(p mdstore.Path) {
	l.mu.Lock()
	l.odd[p] = l.others.Add(1)
	l.mu.Unlock()
	l.differ(p)
}

// lentOther reports whether such a document of the file was lent since others was so many.
func (l *shelf) lentOther(p mdstore.Path, since uint64) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.odd[p] > since
}

// unchanged reports whether a node's file is as the node states it, with a look at the file.
func (l *shelf) unchanged(ctx context.Context, st mdstore.Stamper, n *mdstore.Node) bool {
	if st.Unchanged(n.Path, n.Stamp) {
		return true
	}
	now, err := st.Stat(ctx, n.Path)
	if err != nil {
		return false
	}
	if v, ok := l.get(n.Path); ok && v.stamp.Same(now) {
		return n.Read(mdstore.File{Version: v.version, Stamp: v.stamp})
	}
	f, err := l.st.Read(ctx, n.Path)
	if err != nil {
		return false
	}
	if !n.Read(f) {
		return false
	}
	l.put(f)
	return true
}

// know notes the stamp and the version of a workspace's own file, of which the shelf has no document.
func (l *shelf) know(f mdstore.File) {
	f.Data = nil
	l.own.Store(f.Path, f)
}

// known returns what was noted of a file that has this stamp now.
func (l *shelf) known(p mdstore.Path, now mdstore.Stamp) (mdstore.File, bool) {
	v, _ := l.own.Load(p)
	f, ok := v.(mdstore.File)
	return f, ok && f.Stamp.Same(now)
}

func (l *shelf) get(p mdstore.Path) (*volume, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e, ok := l.at[p]
	if !ok {
		return nil, false
	}
	v := e.Value.(*volume)
	v.asked = true
	return v, true
}

// put keeps a file that was read.
func (l *shelf) put(f mdstore.File) *volume {
	v := &volume{path: f.Path, stamp: f.Stamp, version: f.Version}
	if old, ok := l.get(f.Path); ok && old.version == f.Version {
		v.doc = old.doc // with what was found in it
	} else {
		v.doc, _ = mdoc.Parse(string(f.Path), f.Data, mdstore.NodeForm)
	}
	l.place(v)
	return v
}

// take keeps the document that a node holds, and has the node ask for it.
func (l *shelf) take(n *mdstore.Node) {
	doc, version := n.File()
	l.place(&volume{path: n.Path, stamp: n.Stamp, version: version, doc: doc})
	n.From(l)
}

func (l *shelf) place(v *volume) {
	l.mu.Lock()
	defer l.mu.Unlock()
	v.asked = true // the newest is not the first to go
	if e, ok := l.at[v.path]; ok {
		l.bytes += len(v.doc.Bytes()) - len(e.Value.(*volume).doc.Bytes())
		e.Value = v
		l.order.MoveToFront(e)
	} else {
		l.bytes += len(v.doc.Bytes())
		l.at[v.path] = l.order.PushFront(v)
	}
	for l.bytes > shelfBytes && l.order.Len() > 1 {
		e := l.order.Back()
		old := e.Value.(*volume)
		if old.asked {
			old.asked = false
			l.order.MoveToFront(e)
			continue
		}
		l.order.Remove(e)
		l.bytes -= len(old.doc.Bytes())
		delete(l.at, old.path)
	}
}
