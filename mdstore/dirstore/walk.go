package dirstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"arbor/mdstore"
	"arbor/mdstore/dirstore/internal/osfs"
	"arbor/mdstore/guard"
)

// An item is one result of a walk.
type item struct {
	path   mdstore.Path
	stamp  mdstore.Stamp
	err    error            // why the file cannot be read
	record *mdstore.Scanned // nil if the walk reads no files
	data   *mdstore.File    // of a file without a record
}

func byPath(a, b item) int { return strings.Compare(string(a.path), string(b.path)) }

func missing(p mdstore.Path) item {
	return item{path: p, err: &fs.PathError{Op: "read", Path: string(p), Err: fs.ErrNotExist}}
}

// A walk looks at every file and folder of a workspace, or at a part of them.
type walk struct {
	v     *vault
	ctx   context.Context
	began time.Time
	read  bool          // read the files that the tree does not prove
	in    []*kindFolder // the places to look into

	items  []item
	work   mdstore.Work
	stale  int   // entries of the tree that the cache cannot prove
	failed error // the system ran out of a resource: the result is unusable
}

// rounds is how often at most a walk looks at a workspace while folders come and go in it.
const rounds = 3

// walk returns what lies in a workspace, in the order of paths, and brings its tree up to date. The error is ctx's, or
// says that the system ran out of a resource, such as open files. With kinds it looks only into the places of these
// kinds.
func (v *vault) walk(ctx context.Context, t *tree, read bool, kinds ...*mdstore.Kind) ([]item, mdstore.Work, error) {
	w := &walk{v: v, ctx: ctx, read: read, in: t.places}
	if len(kinds) > 0 {
		asked := func(k *mdstore.Kind) bool { return slices.Contains(kinds, k) }
		w.in = slices.DeleteFunc(slices.Clone(t.places), func(p *kindFolder) bool {
			return !slices.ContainsFunc(p.kinds, asked)
		})
	}
	for round := 1; round == 1 || round <= rounds && ctx.Err() == nil && w.moved(); round++ {
		w.began, w.items, w.failed = v.now(), w.items[:0], nil
		w.workspace(t)
	}
	t.stale += w.stale
	slices.SortFunc(w.items, byPath) // nearly in order: "a-b/Node.md" comes before "a/Node.md"
	if ctx.Err() == nil && w.failed != nil {
		return nil, w.work, fmt.Errorf("%s: %w; end other programs, or raise the limit (ulimit -n)", t.under, w.failed)
	}
	return w.items, w.work, ctx.Err()
}

// moved reports whether a place changed since its names were listed. A folder that was moved meanwhile may have been
// missed at its old and at its new path.
func (w *walk) moved() bool {
	return slices.ContainsFunc(w.in, func(p *kindFolder) bool {
		now, err := w.v.disk.Stat(p.top.path)
		was := p.top.stamp
		was.Proven = false
		return !p.fixed && err == nil && now.Mode.IsDir() && now.Stamp != was
	})
}

func (w *walk) add(p mdstore.Path, err error) {
	w.items = append(w.items, item{path: p, err: err})
	if guard.Scarce(err) {
		w.failed = err
	}
}

func (w *walk) workspace(t *tree) {
	own := mdstore.WorkspacePath(t.under)
	if err := w.v.linked(t.under); err != nil {
		w.add(own, err)
		return
	}
	for _, p := range w.in {
		err := w.v.linked(p.top.path)
		if err == nil && !p.fixed {
			if err = w.list(p, &p.top); err != nil {
				err = folderError(p.top.path, err)
				p.top.stamp, p.top.entries = mdstore.Stamp{}, nil
			}
		}
		switch {
		case err == nil:
			w.split(p)
		case !errors.Is(err, fs.ErrNotExist):
			w.add(p.top.path, err)
		}
	}
	if t.asks && !slices.ContainsFunc(w.items, func(i item) bool { return i.path == own }) {
		w.items = append(w.items, missing(own))
	}
}

// batch is how many entries a goroutine visits at a time.
const batch = 64

// split visits the entries of a place by a few goroutines, each a batch of them at a time.
func (w *walk) split(p *kindFolder) {
	batches := slices.Collect(slices.Chunk(p.top.entries, batch))
	parts := make([]walk, len(batches))
	found := make([]item, len(w.items)+len(p.top.entries)) // most entries make one item
	at := copy(found, w.items)
	loop := mdstore.LoopOf(w.ctx, "files looked at", len(p.top.entries))
	defer loop.End()
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(len(batches), max(4, runtime.GOMAXPROCS(0))) {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(batches); i = int(next.Add(1)) - 1 {
				part := &parts[i]
				from := at + batch*i
				*part = walk{v: w.v, ctx: w.ctx, began: w.began, read: w.read}
				part.items = found[from : from : from+len(batches[i])]
				for j := range batches[i] {
					part.visit(p, &batches[i][j], true)
				}
				if w.ctx.Err() == nil {
					loop.Done(len(batches[i]))
				}
			}
		})
	}
	all.Wait()
	w.items = found[:at]
	if slices.ContainsFunc(parts, func(part walk) bool { return len(part.items) > batch }) {
		w.items = slices.Clone(w.items) // else appending a longer part would overwrite the next one
	}
	for _, part := range parts {
		w.items = append(w.items, part.items...)
		w.work.Stamped += part.work.Stamped
		w.work.Listed += part.work.Listed
		w.work.Read += part.work.Read
		w.stale += part.stale
		w.failed = cmp.Or(w.failed, part.failed)
	}
}

// visit looks at what an entry names. top says that it is directly in the place's folder.
func (w *walk) visit(p *kindFolder, e *entry, top bool) {
	switch {
	case w.ctx.Err() != nil:
	case e.kind != nil:
		w.file(e)
	case e.folder == nil: // a link
		if err := w.v.linked(e.path); err != nil && leadsToFolder(w.v.disk.R, string(e.path)) {
			w.add(p.fileIn(e.path), err)
		}
	default:
		n := len(w.items)
		err := w.list(p, e.folder)
		if errors.Is(err, fs.ErrNotExist) {
			return
		} else if err != nil {
			w.add(p.fileIn(e.path), folderError(e.path, err))
			return
		}
		for i := range e.folder.entries {
			w.visit(p, &e.folder.entries[i], false)
		}
		for _, k := range p.kinds {
			has := func(i item) bool { return i.path.Base() == k.Place.Name }
			if top && k.Place.Each && !slices.ContainsFunc(w.items[n:], has) {
				w.items = append(w.items, missing(e.path.Join(k.Place.Name)))
			}
		}
	}
}

// list brings the entries of a folder up to date. If the folder's stamp is unchanged, its entries stay; otherwise list
// reads the names.
func (w *walk) list(p *kindFolder, f *folder) error {
	w.work.Stamped++
	info, err := w.v.disk.Stat(f.path)
	if err == nil && !info.Mode.IsDir() {
		err = fs.ErrNotExist
	}
	stamp := proven(info.Stamp, w.began)
	if err != nil || f.stamp.Same(stamp) {
		return err
	}
	w.work.Listed++
	names, err := w.v.disk.ReadDir(f.path)
	if err != nil {
		f.stamp = mdstore.Stamp{}
		return err
	}
	old := f.entries
	f.stamp, f.entries = stamp, p.entries(f, names)
	for i := range f.entries { // keep the known entries
		e := &f.entries[i]
		for len(old) > 0 && old[0].path < e.path {
			old, w.stale = old[1:], w.stale+1 // it is gone
		}
		if len(old) > 0 && old[0].path == e.path && old[0].kind == e.kind && (old[0].folder == nil) == (e.folder == nil) {
			*e, old = old[0], old[1:]
		}
	}
	w.stale += len(old)
	if stamp.Proven {
		w.stale++
	}
	return nil
}

// entries makes the entries for the names in a folder, without records.
func (p *kindFolder) entries(f *folder, names []osfs.Entry) []entry {
	var out []entry
	top, own := f == &p.top, false
	for _, n := range names {
		e := entry{path: f.path.Join(n.Name), kind: p.kindOf(n.Name, n.Type, top)}
		if n.Type.IsDir() && e.kind == nil {
			e.folder = &folder{path: e.path}
		}
		foreign := e.kind == nil && (!p.deep || n.Type&(fs.ModeDir|fs.ModeSymlink) == 0)
		if foreign || strings.HasPrefix(n.Name, ".") || e.folder != nil && mdstore.LeftAlone(n.Name) || !e.path.Valid() {
			continue
		}
		own = own || !top && e.kind != nil && e.kind == p.named
		out = append(out, e)
	}
	if own { // links beside a node's file belong to the node, like other files there
		out = slices.DeleteFunc(out, func(e entry) bool { return e.kind == nil && e.folder == nil })
	}
	return out
}

// file checks the stamp of a file, and reads the file if the stamp does not prove its content.
func (w *walk) file(e *entry) {
	w.work.Stamped++
	info, err := w.v.disk.Stat(e.path)
	if err != nil || osfs.CheckRegular(e.path, info.Mode, info.Size, mdstore.MaxSize(e.path)) != nil {
		info, err = w.v.disk.Look(e.path, mdstore.MaxSize(e.path)) // which says why
	}
	found := item{path: e.path, stamp: proven(info.Stamp, w.began), err: err}
	if known := e.record; err == nil && w.read {
		if known != nil && known.Stamp.Same(found.stamp) {
			found.record = known
		} else {
			w.readFile(e, &found)
		}
	}
	if guard.Scarce(found.err) {
		w.failed = found.err
	}
	if !errors.Is(found.err, fs.ErrNotExist) {
		w.items = append(w.items, found)
	}
}

func (w *walk) readFile(e *entry, found *item) {
	w.work.Read++
	data, info, err := w.v.disk.ReadRegular(e.path, mdstore.MaxSize(e.path))
	if found.err = err; err != nil {
		return
	}
	f := mdstore.File{Path: e.path, Version: mdstore.VersionOf(data), Data: data, Stamp: proven(info.Stamp, w.began)}
	if e.record != nil && e.record.Version == f.Version {
		same := *e.record
		same.Stamp, found.record = f.Stamp, &same
	} else if r, sound := mdstore.ScannedOf(e.kind, f); sound {
		found.record = &r
	} else {
		found.data = &f
	}
	if e.record = found.record; e.record != nil && f.Stamp.Proven {
		w.stale += 1 + len(data)/staleBytes
	}
}

// leadsToFolder reports whether a link points to a folder, or out of the vault, where one may be.
func leadsToFolder(r *os.Root, name string) bool {
	fi, err := r.Stat(name)
	return err == nil && fi.IsDir() || err != nil && !errors.Is(err, fs.ErrNotExist)
}

// folderError returns the error for a folder that cannot be listed.
func folderError(p mdstore.Path, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return err
	case errors.Is(err, fs.ErrPermission):
		return osfs.Unreadable(p, osfs.CodePermission, "may not be looked into by this user; allow it")
	}
	if guard.Scarce(err) || guard.Trouble(err) != "" {
		return err // which says nothing about the folder
	}
	return osfs.Unreadable(p, osfs.CodeNotAFile, "cannot be looked into: %v", err)
}
