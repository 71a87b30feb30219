package dirstore

import (
	"context"
	"errors"
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
)

// A tree is what the last walk over a workspace found. The next walk lists only the folders, and reads only the files, whose stamps
// are not the same.
type tree struct {
	mu     sync.Mutex // held during a walk, which changes the tree in place: each entry is true by itself
	under  mdstore.Path
	single []entry // files that lie at one path
	places []*place

	stale int // entries that the cache file does not prove
	total int // entries of the cache file; 0 where there is none
}

// A place is a folder of a workspace in which files of some kinds lie, at any depth if one of the kinds says so.
type place struct {
	kinds []*mdstore.Kind
	deep  bool
	named *mdstore.Kind // the first kind at any depth whose files have one name; nil for none
	top   folder
}

// A folder is what was found in a folder.
type folder struct {
	path    mdstore.Path
	stamp   mdstore.Stamp // taken before the names were listed: while it is the same, so are they
	entries []entry       // the names that concern a kind, in their order
}

// An entry is a file of a kind, a folder to look into or a link that may lead to one.
type entry struct {
	path   mdstore.Path
	kind   *mdstore.Kind   // of a file, or of anything that has the name of one
	record *mdstore.Record // of a sound file, with the stamp under which it was read; nil where nothing is known
	folder *folder         // of a folder
}

// newTree returns the tree of a workspace of which nothing is known.
func newTree(kinds mdstore.Kinds, under mdstore.Path) *tree {
	t := &tree{under: under}
	at := map[string]*place{}
	for _, k := range kinds {
		if at[k.Place.Dir] == nil && (k.Place.Deep || k.Place.Each || k.Place.Name == mdstore.AnyMarkdown) {
			at[k.Place.Dir] = &place{top: folder{path: dirOf(under, k)}}
			t.places = append(t.places, at[k.Place.Dir])
		}
	}
	for _, k := range kinds {
		p := at[k.Place.Dir]
		if p == nil {
			t.single = append(t.single, entry{path: dirOf(under, k).Join(k.Place.Name), kind: k})
			continue
		}
		p.kinds = append(p.kinds, k)
		p.deep = p.deep || k.Place.Deep
		if p.named == nil && k.Place.Deep && k.Place.Name != mdstore.AnyMarkdown {
			p.named = k
		}
	}
	return t
}

// dirOf returns the folder of a workspace in which the files of a kind lie.
func dirOf(under mdstore.Path, k *mdstore.Kind) mdstore.Path {
	if k.Place.Dir == "" {
		return under
	}
	return under.Join(k.Place.Dir)
}

// kindOf returns the kind of what has a name in the place, nil for what is of none.
func (p *place) kindOf(name string, mode fs.FileMode, top bool) *mdstore.Kind {
	for _, k := range p.kinds {
		switch {
		case !top && !k.Place.Deep || !k.Place.Names(name):
		case mode.IsDir() && (k.Place.Name == mdstore.AnyMarkdown || top && k.Place.Each):
		default:
			return k
		}
	}
	return nil
}

// fileIn returns the path under which a folder is reported that cannot be looked into.
func (p *place) fileIn(dir mdstore.Path) mdstore.Path {
	if p.named == nil {
		return dir
	}
	return dir.Join(p.named.Place.Name)
}

// An item is one result of a walk.
type item struct {
	path   mdstore.Path
	stamp  mdstore.Stamp
	err    error           // why the file cannot be read
	record *mdstore.Record // of a sound file; nil where the walk reads no files
	data   *mdstore.File   // of a damaged file
}

// A walk looks at every file and folder of a workspace once.
type walk struct {
	s     *Store
	ctx   context.Context
	began time.Time
	read  bool // files that the tree does not prove are read
}

// A part is what one goroutine finds.
type part struct {
	*walk
	items []item
	work  mdstore.Work
	stale int
}

// rounds is how often a workspace is looked at anew when folders come and go meanwhile.
const rounds = 3

// walk returns what lies in a workspace, in the order of paths, and brings its tree up to date. The error is ctx's.
func (s *Store) walk(ctx context.Context, t *tree, read bool) ([]item, mdstore.Work, error) {
	var work mdstore.Work
	for round := 1; ; round++ {
		p := &part{walk: &walk{s: s, ctx: ctx, began: s.now(), read: read}}
		p.workspace(t)
		work.Stamped += p.work.Stamped
		work.Listed += p.work.Listed
		work.Read += p.work.Read
		t.stale += p.stale
		if err := ctx.Err(); err != nil {
			return nil, work, err
		}
		if round < rounds && t.movedSince(s) {
			continue // a folder that was moved may have been missed at both of its places
		}
		slices.SortFunc(p.items, byPath) // nearly in order: "a-b/Node.md" comes before "a/Node.md"
		return p.items, work, nil
	}
}

func byPath(a, b item) int { return strings.Compare(string(a.path), string(b.path)) }

// movedSince reports whether a name right below a place came or went since its names were listed.
func (t *tree) movedSince(s *Store) bool {
	return slices.ContainsFunc(t.places, func(p *place) bool {
		now, err := s.top.Stat(p.top.path)
		was := p.top.stamp
		was.Firm = false
		return err == nil && now.Mode.IsDir() && now.Stamp != was
	})
}

func (w *part) add(p mdstore.Path, err error) { w.items = append(w.items, item{path: p, err: err}) }

func (w *part) workspace(t *tree) {
	own := mdstore.WorkspacePath(t.under)
	if err := w.s.linked(t.under); err != nil {
		w.add(own, err)
		return
	}
	for i := range t.single {
		w.file(&t.single[i])
	}
	for _, p := range t.places {
		if err := w.s.linked(p.top.path); err != nil && p.top.path != t.under {
			w.add(p.top.path, err)
			continue
		}
		if err := w.list(p, &p.top, true); err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				w.add(p.top.path, folderError(p.top.path, err))
			}
			p.top.stamp, p.top.entries = mdstore.Stamp{}, nil
			continue
		}
		w.split(p)
	}
	if !slices.ContainsFunc(w.items, func(i item) bool { return i.path == own }) {
		w.items = append(w.items, missing(own))
	}
}

// split visits the entries of a place by a few goroutines.
func (w *part) split(p *place) {
	const batch = 64
	entries := p.top.entries
	parts := make([]part, (len(entries)+batch-1)/batch)
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(len(parts), max(4, runtime.GOMAXPROCS(0))) {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(parts) && w.ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				own := &part{walk: w.walk, items: make([]item, 0, batch)}
				for j := i * batch; j < min((i+1)*batch, len(entries)); j++ {
					own.visit(p, &entries[j], true)
				}
				parts[i] = *own
			}
		})
	}
	all.Wait()
	for i := range parts {
		w.items = append(w.items, parts[i].items...)
		w.work.Stamped += parts[i].work.Stamped
		w.work.Listed += parts[i].work.Listed
		w.work.Read += parts[i].work.Read
		w.stale += parts[i].stale
	}
}

// visit looks at what an entry names.
func (w *part) visit(p *place, e *entry, top bool) {
	switch {
	case e.kind != nil:
		w.file(e)
	case e.folder == nil: // a link
		if err := w.s.linked(e.path); err != nil && leadsToFolder(w.s.root, string(e.path)) {
			w.add(p.fileIn(e.path), err)
		}
	default:
		n := len(w.items)
		if w.folder(p, e.folder) && top {
			w.lacking(p, e.path, n)
		}
	}
}

// lacking reports a file that each folder of the place is to hold and that is not among the items from n on.
func (w *part) lacking(p *place, dir mdstore.Path, n int) {
	for _, k := range p.kinds {
		has := func(i item) bool { return i.path.Base() == k.Place.Name }
		if k.Place.Each && !slices.ContainsFunc(w.items[n:], has) {
			w.items = append(w.items, missing(dir.Join(k.Place.Name)))
		}
	}
}

// folder looks into a folder; false says that it is gone.
func (w *part) folder(p *place, f *folder) bool {
	switch err := w.list(p, f, false); {
	case errors.Is(err, fs.ErrNotExist):
		return false
	case err != nil:
		w.add(p.fileIn(f.path), folderError(f.path, err))
		return true
	}
	for i := range f.entries {
		if w.ctx.Err() != nil {
			return false
		}
		w.visit(p, &f.entries[i], false)
	}
	return true
}

// list brings the entries of a folder up to date: its stamp proves those that are known, or its names are listed.
func (w *part) list(p *place, f *folder, top bool) error {
	w.work.Stamped++
	info, err := w.s.top.Stat(f.path)
	if err != nil {
		return err
	}
	if !info.Mode.IsDir() {
		return &fs.PathError{Op: "list", Path: string(f.path), Err: fs.ErrNotExist}
	}
	stamp := firm(info.Stamp, w.began)
	if f.stamp.Same(stamp) {
		return nil
	}
	w.work.Listed++
	names, err := w.s.disk.ReadDir(f.path)
	if err != nil {
		f.stamp = mdstore.Stamp{}
		return err
	}
	f.stamp, f.entries = stamp, w.entries(p, f, names, top)
	if stamp.Firm {
		w.stale++
	}
	return nil
}

// entries returns the entries of a folder that was listed, with what is known of those that were there.
func (w *part) entries(p *place, f *folder, names []osfs.Entry, top bool) []entry {
	var out []entry
	files := false // a file of a kind at any depth: links beside it are its own, as other files there
	for _, n := range names {
		if strings.HasPrefix(n.Name, ".") || !mdstore.Path(n.Name).Valid() {
			continue
		}
		e := entry{path: f.path.Join(n.Name), kind: p.kindOf(n.Name, n.Type, top)}
		switch {
		case e.kind != nil:
			files = files || !top && e.kind == p.named
		case !p.deep || n.Type&(fs.ModeDir|fs.ModeSymlink) == 0:
			continue
		case n.Type.IsDir():
			e.folder = &folder{path: e.path}
		}
		out = append(out, e)
	}
	if files {
		out = slices.DeleteFunc(out, func(e entry) bool { return e.kind == nil && e.folder == nil })
	}
	old := f.entries
	for i := range out {
		e := &out[i]
		for len(old) > 0 && old[0].path < e.path {
			old, w.stale = old[1:], w.stale+1 // it is gone
		}
		if len(old) > 0 && old[0].path == e.path && old[0].kind == e.kind && (old[0].folder == nil) == (e.folder == nil) {
			*e = old[0]
			old = old[1:]
		}
	}
	w.stale += len(old)
	return out
}

// file looks at a file, and reads it where its stamp does not prove what it holds.
func (w *part) file(e *entry) {
	w.work.Stamped++
	info, err := w.s.top.Stat(e.path)
	if err != nil || osfs.CheckRegular(e.path, info.Mode, info.Size, mdstore.MaxFileSize) != nil {
		info, err = w.s.disk.Look(e.path, mdstore.MaxFileSize) // says why
	}
	stamp := firm(info.Stamp, w.began)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return
	case err != nil:
		w.add(e.path, err)
		return
	case !w.read:
		w.items = append(w.items, item{path: e.path, stamp: stamp})
		return
	case e.record != nil && e.record.Stamp.Same(stamp):
		w.items = append(w.items, item{path: e.path, record: e.record})
		return
	}
	w.work.Read++
	data, stamp, err := w.s.top.Read(e.path, mdstore.MaxFileSize)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return
	case err != nil:
		w.add(e.path, err)
		return
	}
	f := mdstore.File{Path: e.path, Version: mdstore.VersionOf(data), Data: data, Stamp: firm(stamp, w.began)}
	if e.record != nil && e.record.Version == f.Version {
		same := *e.record
		same.Stamp = f.Stamp
		e.record = &same
	} else if r, sound := mdstore.RecordOf(e.kind, f); sound {
		e.record = &r
	} else {
		e.record = nil
		w.items = append(w.items, item{path: e.path, data: &f})
		return
	}
	if f.Stamp.Firm {
		w.stale++
	}
	w.items = append(w.items, item{path: e.path, record: e.record})
}

func missing(p mdstore.Path) item {
	return item{path: p, err: &fs.PathError{Op: "read", Path: string(p), Err: fs.ErrNotExist}}
}

// linked returns an *mdoc.UnreadableError if p is a symbolic link.
func (s *Store) linked(p mdstore.Path) error {
	info, err := s.top.Stat(p)
	if err == nil && info.Mode&fs.ModeSymlink != 0 {
		return osfs.Unreadable(p, osfs.CodeSymlink, "is a symbolic link, which is not followed; put the folder itself here")
	}
	return nil
}

// leadsToFolder reports whether a link points to a folder, or out of the vault, where one may be.
func leadsToFolder(r *os.Root, name string) bool {
	fi, err := r.Stat(name)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	return fi.IsDir()
}

// folderError is why a folder cannot be looked into.
func folderError(p mdstore.Path, err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return osfs.Unreadable(p, osfs.CodePermission, "may not be looked into by this user; allow it")
	}
	return osfs.Unreadable(p, osfs.CodeNotAFile, "cannot be looked into: %v", err)
}
