package dirstore

import (
	"errors"
	"io/fs"
	"strings"

	"arbor/mdstore"
	"arbor/mdstore/dirstore/internal/osfs"
)

// A reaper looks at folders in the order of their paths. It is for one goroutine.
type reaper struct {
	*skimmer
	batch
	leaf  *osfs.Leaf
	at    int // the known node that comes next
	read  mdstore.Skimmer
	paths strings.Builder // several paths, one behind the other: their strings are parts of it
	stay  bool            // known nodes stay where they are, which others read: no other is put in their place before all have been looked at
	odd   bool            // what is being looked at is to be looked at each time
}

// pathChunk is how much of paths shares one piece of memory.
const pathChunk = 8 << 10

const slashFile = "/" + mdstore.NodeFile

// visit looks at what is right below nodes/.
func (r *reaper) visit(t *top) {
	if r.trusted(t) {
		r.trust(t.was)
		return
	}
	if r.leaf != nil && t.kind.IsDir() && r.single(t) {
		return
	}
	tree, found := len(r.tree), len(r.nodes)+len(r.broken)
	r.odd = false
	switch p := r.dir.Join(t.name); {
	case t.kind.IsDir():
		r.enter(r.top, t.name, p, t.was)
		if len(r.nodes)+len(r.broken) == found {
			m := missing(p.Join(mdstore.NodeFile))
			r.fail(m.file.Path, m.err)
		}
	case t.kind&fs.ModeSymlink != 0:
		r.link(t.name, p)
	default:
		r.file(r.top, p)
	}
	if tree < len(r.tree) {
		r.tree[tree].odd = r.odd
	}
}

// single looks at a folder that holds a node's file and no folder, as nearly all do. It is not ok with any other, and with a file that was changed just now.
func (r *reaper) single(t *top) (ok bool) {
	stamp, bare, ok := r.leaf.Folder(t.name)
	r.work.Stamped++
	if !ok {
		return false
	}
	stamp = firm(stamp, r.began)
	if !bare {
		if t.was == 0 {
			return false
		}
		if f := &r.old.tree[t.was]; f.span > 1 || !f.file || !f.stamp.Same(stamp) {
			return false
		}
	}
	if n := r.known(t.name, slashFile); n != nil {
		r.work.Stamped++
		if is, ok := r.leaf.Stamp(r.rest(r.at)); ok && n.Stamp.Same(firm(is, r.began)) {
			r.same(n)
			r.plant(string(n.Path), len(t.name), stamp, len(n.Problems) > 0)
			return true
		}
	}
	p := r.path(t.name)
	data, is, ok := r.leaf.Read(string(p)[len(r.prefix):])
	if is = firm(is, r.began); !ok || !is.Firm {
		return false
	}
	sound := r.take(mdstore.File{Path: p, Data: data, Stamp: is})
	r.plant(string(p), len(t.name), stamp, !sound)
	return true
}

// plant notes a folder with one file; its name is a part of the file's path.
func (r *reaper) plant(path string, name int, stamp mdstore.Stamp, odd bool) {
	r.tree = append(r.tree, folder{name: path[len(r.prefix):][:name], stamp: stamp, span: 1, file: true, odd: odd})
}

// path returns the path of a node's file right below nodes/.
func (r *reaper) path(name string) mdstore.Path {
	n := len(r.prefix) + len(name) + len(slashFile)
	at := r.paths.Len()
	if r.paths.Cap()-at < n {
		at = 0
		r.paths.Reset()
		r.paths.Grow(max(pathChunk, n))
	}
	r.paths.WriteString(r.prefix)
	r.paths.WriteString(name)
	r.paths.WriteString(slashFile)
	return mdstore.Path(r.paths.String()[at:])
}

// known returns the known node whose path below nodes/ is a+b, nil where there is none. It is asked in the order of paths.
func (r *reaper) known(a, b string) *mdstore.Node {
	for ; r.at < len(r.old.nodes); r.at++ {
		switch c := compareTo(r.rest(r.at), a, b); {
		case c == 0:
			return &r.old.nodes[r.at]
		case c > 0:
			return nil
		}
	}
	return nil
}

// same takes a node whose file is the same.
func (r *reaper) same(n *mdstore.Node) {
	if at := len(r.nodes); r.stay && at < cap(r.nodes) && &r.nodes[:at+1][at] == n {
		r.nodes = r.nodes[:at+1]
		return
	}
	r.leave()
	r.nodes = append(r.nodes, *n)
	r.nodes[len(r.nodes)-1].From(nil)
}

// trust takes all that is known of a folder.
func (r *reaper) trust(was int32) {
	f := &r.old.tree[was]
	r.tree = append(r.tree, r.old.tree[was:was+f.span]...)
	r.known(f.name, "/")
	for ; r.at < len(r.old.nodes); r.at++ {
		rest := r.rest(r.at)
		if len(rest) <= len(f.name) || rest[len(f.name)] != '/' || rest[:len(f.name)] != f.name {
			return
		}
		r.same(&r.old.nodes[r.at])
	}
}

// leave has the nodes of the batch lie elsewhere from now on.
func (r *reaper) leave() {
	if r.stay {
		r.stay = false
		r.nodes = append(make([]mdstore.Node, 0, batchTops), r.nodes...)
	}
}

func (r *reaper) fail(p mdstore.Path, err error) {
	r.broken = append(r.broken, mdstore.Broken{Path: p, Err: err})
	r.odd = true
}

// enter looks at any folder, as List does; was is its place in the old tree.
func (r *reaper) enter(in osfs.Folder, name string, p mdstore.Path, was int32) {
	node := p.Join(mdstore.NodeFile)
	sub, err := in.Sub(name)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		r.fail(node, folderError(p, err))
		return
	}
	defer sub.Close()
	self, err := sub.Self()
	if err != nil {
		r.fail(node, folderError(p, err))
		return
	}
	r.work.Stamped++
	at := len(r.tree)
	r.tree = append(r.tree, folder{name: p.Base(), stamp: firm(self.Stamp, r.began)})
	defer func() { r.tree[at].span = int32(len(r.tree) - at) }()

	if f := r.was(was); f != nil && f.stamp.Same(r.tree[at].stamp) {
		r.again(sub, p, was)
		r.tree[at].file = f.file
		return
	}
	entries, err := folders(sub, false)
	if err != nil {
		r.fail(node, folderError(p, err))
		r.tree[at].stamp = mdstore.Stamp{}
		return
	}
	r.work.Listed++
	old := kids{}
	if f := r.was(was); f != nil {
		old = kids{r.old.tree[:was+f.span], was + 1}
	}
	for _, e := range entries {
		switch {
		case e.Name == mdstore.NodeFile:
			r.tree[at].file = true
			r.file(sub, node)
		case e.Type.IsDir():
			r.enter(sub, e.Name, p.Join(e.Name), old.find(e.Name, false))
		default:
			r.link(e.Name, p.Join(e.Name))
		}
	}
}

func (r *reaper) was(i int32) *folder {
	if i == 0 {
		return nil
	}
	return &r.old.tree[i]
}

// again looks at what is known to be in a folder.
func (r *reaper) again(sub osfs.Folder, p mdstore.Path, was int32) {
	f := &r.old.tree[was]
	placed := !f.file
	for i := was + 1; i < was+f.span; i += r.old.tree[i].span {
		in := &r.old.tree[i]
		if !placed && byPaths(mdstore.NodeFile, in.name, true, false) < 0 {
			placed = true
			r.file(sub, p.Join(mdstore.NodeFile))
		}
		if in.link {
			r.link(in.name, p.Join(in.name))
		} else {
			r.enter(sub, in.name, p.Join(in.name), i)
		}
	}
	if !placed {
		r.file(sub, p.Join(mdstore.NodeFile))
	}
}

// link looks at a link, which is not followed.
func (r *reaper) link(name string, p mdstore.Path) {
	r.tree = append(r.tree, folder{name: strings.Clone(name), span: 1, link: true})
	r.odd = true
	if err := r.s.linked(p); err != nil && leadsToFolder(r.s.root, string(p)) {
		r.fail(p.Join(mdstore.NodeFile), err)
	}
}

// file looks at a node's file, whatever it is.
func (r *reaper) file(in osfs.Folder, p mdstore.Path) {
	info, err := in.Look(mdstore.NodeFile)
	r.work.Stamped++
	if err == nil {
		err = osfs.CheckRegular(p, info.Mode, info.Size, mdstore.MaxFileSize) // a device is not even opened
	}
	if err == nil {
		if n := r.known(string(p)[len(r.prefix):], ""); n != nil && n.Stamp.Same(firm(info.Stamp, r.began)) {
			r.same(n)
			r.odd = r.odd || len(n.Problems) > 0
			return
		}
	}
	f := mdstore.File{Path: p}
	if err == nil {
		f.Data, f.Stamp, err = in.Read(mdstore.NodeFile, mdstore.MaxFileSize)
	}
	if err != nil {
		if err = osfs.At(p, err); in == r.top || !errors.Is(err, fs.ErrNotExist) {
			r.fail(p, err)
		}
		return
	}
	f.Stamp = firm(f.Stamp, r.began)
	if !r.take(f) {
		r.odd = true
	}
}

// take takes a node from its file, and reports whether that has no problems. One whose stamp does not tell it apart has a version.
func (r *reaper) take(f mdstore.File) (sound bool) {
	r.work.Read++
	r.work.Bytes += len(f.Data)
	if !f.Stamp.Firm {
		f.Version = mdstore.VersionOf(f.Data)
	}
	r.leave()
	r.nodes = append(r.nodes, r.read.Skim(f))
	sound = len(r.nodes[len(r.nodes)-1].Problems) == 0
	if sound {
		r.fresh++
		if f.Stamp.Firm {
			r.drift++
		}
	}
	return sound
}
