package dirstore

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"iter"
	"os"
	"slices"
	"strings"

	"arbor/mdstore"
	"arbor/mdstore/dirstore/internal/osfs"
)

// An item is one result of a listing.
type item struct {
	file mdstore.File
	err  error
}

func found(p mdstore.Path, data []byte, stamp mdstore.Stamp, err error) item {
	if err != nil {
		return item{mdstore.File{Path: p}, err}
	}
	return item{mdstore.File{Path: p, Version: mdstore.VersionOf(data), Data: data, Stamp: stamp}, nil}
}

func missing(p mdstore.Path) item {
	return item{mdstore.File{Path: p}, &fs.PathError{Op: "read", Path: string(p), Err: fs.ErrNotExist}}
}

// List yields files in the order of their paths, compared byte by byte. A
// folder that is a symbolic link is not looked into: the file that was to be
// read in it is yielded with an *mdoc.UnreadableError. Under a workspace's
// folder, a Workspace.md that is missing is yielded with an fs.ErrNotExist. When ctx ends
// before the listing does, the last that is yielded is a File without a path and ctx's error.
func (s *Store) List(ctx context.Context, under mdstore.Path) iter.Seq2[mdstore.File, error] {
	return func(yield func(mdstore.File, error) bool) {
		for i := range s.items(ctx, under) {
			if ctx.Err() != nil {
				break
			}
			if !yield(i.file, i.err) {
				return
			}
		}
		if err := ctx.Err(); err != nil {
			yield(mdstore.File{}, err)
		}
	}
}

func (s *Store) items(ctx context.Context, under mdstore.Path) iter.Seq[item] {
	switch {
	case under == "":
		return s.workspaces(ctx)
	case !under.Valid():
		return func(yield func(item) bool) {
			yield(item{mdstore.File{Path: under}, &fs.PathError{Op: "list", Path: string(under), Err: fs.ErrInvalid}})
		}
	}
	return func(yield func(item) bool) {
		if err := s.linked(under); err != nil {
			yield(item{mdstore.File{Path: mdstore.WorkspacePath(under)}, err})
			return
		}
		p := mdstore.WorkspacePath(under)
		if !yield(s.reading(p)) {
			return
		}
		for i := range s.nodes(ctx, under.Join(mdstore.NodesDir)) {
			if !yield(i) {
				return
			}
		}
	}
}

// reading reads the file at p.
func (s *Store) reading(p mdstore.Path) item {
	began := s.now()
	data, stamp, err := s.disk.ReadStamped(p, mdstore.MaxFileSize)
	return found(p, data, firm(stamp, began), err)
}

// linked returns an *mdoc.UnreadableError if p is a symbolic link.
func (s *Store) linked(p mdstore.Path) error {
	info, err := s.disk.Lstat(p)
	if err == nil && info.Mode&fs.ModeSymlink != 0 {
		return osfs.Unreadable(p, osfs.CodeSymlink, "is a symbolic link, which is not followed; put the folder itself here")
	}
	return nil
}

// workspaces yields every Workspace.md of the vault.
func (s *Store) workspaces(ctx context.Context) iter.Seq[item] {
	return func(yield func(item) bool) {
		var paths []mdstore.Path
		for _, dir := range []mdstore.Path{"", mdstore.ArchiveDir} {
			entries, err := s.disk.ReadDir(dir)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				yield(item{mdstore.File{Path: dir}, folderError(dir, err)})
				return
			}
			for _, e := range entries {
				p := dir.Join(e.Name)
				if !strings.HasPrefix(e.Name, ".") && p != mdstore.ArchiveDir && e.Type&(fs.ModeDir|fs.ModeSymlink) != 0 && p.Valid() {
					paths = append(paths, mdstore.WorkspacePath(p))
				}
			}
		}
		slices.Sort(paths)
		read := func(i int) []item {
			p := paths[i]
			if err := s.linked(p.Dir()); err != nil {
				if leadsToFolder(s.root, string(p.Dir())) {
					return []item{{mdstore.File{Path: p}, err}}
				}
				return nil
			}
			in := s.reading(p)
			if errors.Is(in.err, fs.ErrNotExist) {
				if info, err := s.disk.Lstat(p.Dir().Join(mdstore.NodesDir)); err != nil || !info.Mode.IsDir() {
					return nil
				}
				return []item{missing(p)}
			}
			return []item{in}
		}
		for i := range inOrder(ctx, len(paths), read) {
			if !yield(i) {
				return
			}
		}
	}
}

// nodes yields the Node.md of every folder below dir.
func (s *Store) nodes(ctx context.Context, dir mdstore.Path) iter.Seq[item] {
	return func(yield func(item) bool) {
		if err := s.linked(dir); err != nil {
			yield(item{mdstore.File{Path: dir}, err})
			return
		}
		top, err := s.disk.Folder(dir)
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				yield(item{mdstore.File{Path: dir}, folderError(dir, err)})
			}
			return
		}
		defer top.Close()
		entries, err := folders(top, true)
		if err != nil {
			yield(item{mdstore.File{Path: dir}, folderError(dir, err)})
			return
		}
		chunks := slices.Collect(slices.Chunk(entries, chunk))
		read := func(i int) []item {
			var out []item
			for _, e := range chunks[i] {
				if ctx.Err() != nil {
					break
				}
				p := dir.Join(e.Name)
				if e.Name == mdstore.NodeFile && !e.Type.IsDir() {
					out = append(out, s.reading(p))
					continue
				}
				n := len(out)
				out = s.enter(top, e, p, out)
				if len(out) == n && e.Type.IsDir() {
					out = append(out, missing(p.Join(mdstore.NodeFile)))
				}
			}
			return out
		}
		for i := range inOrder(ctx, len(chunks), read) {
			if !yield(i) {
				return
			}
		}
	}
}

// chunk is how many folders one goroutine reads at a time.
const chunk = 16

// folders returns the folders and links to look into, in the order of the paths below them, and what has the name Node.md: a file in
// nodes/ itself, where a folder may have that name too, and anything below. Links beside a node's file are the node's own, as other files there are.
func folders(f osfs.Folder, top bool) ([]osfs.Entry, error) {
	entries, err := f.Entries()
	own := !top && slices.ContainsFunc(entries, func(e osfs.Entry) bool { return e.Name == mdstore.NodeFile })
	entries = slices.DeleteFunc(entries, func(e osfs.Entry) bool {
		return own && e.Name != mdstore.NodeFile && e.Type&fs.ModeSymlink != 0 || strings.HasPrefix(e.Name, ".") || e.Name != mdstore.NodeFile && e.Type&(fs.ModeDir|fs.ModeSymlink) == 0 || !mdstore.Path(e.Name).Valid()
	})
	slices.SortFunc(entries, func(a, b osfs.Entry) int { return byPaths(a.Name, b.Name, isFile(a, top), isFile(b, top)) })
	return entries, err
}

// isFile reports whether an entry is looked at as a node's file, whatever it is.
func isFile(e osfs.Entry, top bool) bool {
	return e.Name == mdstore.NodeFile && !(top && e.Type.IsDir())
}

// byPaths compares two names of a folder as the paths below them compare: "a-b" comes before "a", as "a-b/" before "a/". A file is a path by itself.
func byPaths(a, b string, aFile, bFile bool) int {
	n := min(len(a), len(b))
	if c := strings.Compare(a[:n], b[:n]); c != 0 {
		return c
	}
	next := func(name string, file bool) byte {
		switch {
		case len(name) > n:
			return name[n]
		case file:
			return 0
		}
		return '/'
	}
	return cmp.Or(cmp.Compare(next(a, aFile), next(b, bFile)), cmp.Compare(len(a), len(b)))
}

// enter appends the nodes of the folder that e names in f; p is its path.
func (s *Store) enter(f osfs.Folder, e osfs.Entry, p mdstore.Path, out []item) []item {
	node := p.Join(mdstore.NodeFile)
	if !e.Type.IsDir() {
		if err := s.linked(p); err != nil && leadsToFolder(s.root, string(p)) {
			out = append(out, item{mdstore.File{Path: node}, err})
		}
		return out
	}
	sub, err := f.Sub(e.Name)
	if errors.Is(err, fs.ErrNotExist) {
		return out
	}
	if err != nil {
		return append(out, item{mdstore.File{Path: node}, folderError(p, err)})
	}
	defer sub.Close()
	entries, err := folders(sub, false)
	if err != nil {
		return append(out, item{mdstore.File{Path: node}, folderError(p, err)})
	}
	for _, in := range entries {
		if in.Name != mdstore.NodeFile {
			out = s.enter(sub, in, p.Join(in.Name), out)
			continue
		}
		var data []byte
		began, stamp := s.now(), mdstore.Stamp{}
		err := osfs.CheckRegular(node, in.Type, 0, mdstore.MaxFileSize) // a device is not even opened
		if err == nil {
			data, stamp, err = sub.Read(mdstore.NodeFile, mdstore.MaxFileSize)
		}
		if err != nil {
			err = osfs.At(node, err)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			out = append(out, found(node, data, firm(stamp, began), err))
		}
	}
	return out
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
