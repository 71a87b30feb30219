package dirstore

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"iter"
	"slices"
	"time"

	"arbor/mdstore"
)

// List yields the places of files, as mdstore.Store says. It does not use the cache. It does not look into a folder
// that is a symbolic link, but yields the file expected in it with an *mdoc.UnreadableError.
func (v *vault) List(ctx context.Context, under mdstore.Path) iter.Seq2[mdstore.Entry, error] {
	return func(yield func(mdstore.Entry, error) bool) {
		items, err := v.listing(ctx, under)
		for _, i := range items {
			if ctx.Err() != nil {
				break
			}
			if !yield(mdstore.Entry{Path: i.path, Stamp: i.stamp}, i.err) {
				return
			}
		}
		if err = cmp.Or(err, ctx.Err()); err != nil {
			yield(mdstore.Entry{}, err)
		}
	}
}

func (v *vault) listing(ctx context.Context, under mdstore.Path) ([]item, error) {
	switch {
	case under == "":
		return v.workspaces(ctx), nil
	case !under.Valid():
		return []item{invalid(under)}, nil
	}
	items, _, err := v.walk(ctx, newTree(v.kinds, under), false)
	return items, err
}

func invalid(under mdstore.Path) item {
	return item{path: under, err: &fs.PathError{Op: "list", Path: string(under), Err: fs.ErrInvalid}}
}

// workspaces returns every Workspace.md of the vault.
func (v *vault) workspaces(ctx context.Context) []item {
	w := &walk{v: v, ctx: ctx, began: v.now()}
	for _, dir := range []mdstore.Path{"", mdstore.ArchiveDir} {
		entries, err := v.disk.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return []item{{path: dir, err: folderError(dir, err)}}
		}
		for _, e := range entries {
			p := dir.Join(e.Name)
			if mdstore.WorkspaceDir(p) != p || !p.Valid() || ctx.Err() != nil {
				continue
			}
			own := mdstore.WorkspacePath(p)
			switch {
			case e.Type.IsDir():
				n := len(w.items)
				if w.file(&entry{path: own, kind: mdstore.WorkspaceKind}); len(w.items) == n && v.holdsNodes(p) {
					w.items = append(w.items, missing(own))
				}
			case e.Type&fs.ModeSymlink != 0 && leadsToFolder(v.disk.R, string(p)):
				w.add(own, v.linked(p))
			}
		}
	}
	slices.SortFunc(w.items, byPath)
	return w.items
}

// holdsNodes reports whether a folder without Workspace.md is a workspace nevertheless, because it has a folder of
// nodes.
func (v *vault) holdsNodes(dir mdstore.Path) bool {
	return slices.ContainsFunc(v.kinds, func(k *mdstore.Kind) bool {
		if !k.Place.Each {
			return false
		}
		info, err := v.disk.Stat(k.Folder(dir))
		return err == nil && info.Mode.IsDir()
	})
}

// Read returns the file at p. A file that changes while it is read is read again. A file behind a link is an
// *mdoc.UnreadableError.
func (v *vault) Read(ctx context.Context, p mdstore.Path) (mdstore.File, error) {
	if err := ctx.Err(); err != nil {
		return mdstore.File{}, err
	}
	if !p.Valid() {
		return mdstore.File{}, &fs.PathError{Op: "read", Path: string(p), Err: fs.ErrInvalid}
	}
	began := v.now()
	data, info, err := v.disk.ReadFile(p, mdstore.MaxSize(p))
	look := !info.Direct && !errors.Is(err, fs.ErrNotExist)
	for d := p.Dir(); look && d != ""; d = d.Dir() { // no walk looks behind a link either
		if err := v.linked(d); err != nil {
			return mdstore.File{}, err
		}
	}
	if err != nil {
		return mdstore.File{}, err
	}
	return mdstore.File{Path: p, Version: mdstore.VersionOf(data), Data: data, Stamp: proven(info.Stamp, began)}, nil
}

// Stat returns the stamp of the file at p, as it is now. It does not open the file, so only Read finds that this user
// may not read it.
func (v *vault) Stat(ctx context.Context, p mdstore.Path) (mdstore.Stamp, error) {
	if err := ctx.Err(); err != nil {
		return mdstore.Stamp{}, err
	}
	if !p.Valid() {
		return mdstore.Stamp{}, &fs.PathError{Op: "read", Path: string(p), Err: fs.ErrInvalid}
	}
	began := v.now()
	info, err := v.disk.Look(p, mdstore.MaxSize(p))
	if err != nil {
		return mdstore.Stamp{}, err
	}
	return proven(info.Stamp, began), nil
}

// quiet is how long a file must have been left alone for its stamp to prove what it holds: the coarsest clock of a
// file system, FAT's, ticks every two seconds.
const quiet = 2 * time.Second

// proven returns a stamp that was taken after began, with Proven set if its times are old enough. A time in the future
// proves nothing: it comes from another clock.
func proven(s mdstore.Stamp, began time.Time) mdstore.Stamp {
	s.Proven = s != (mdstore.Stamp{}) && max(s.Mtime, s.Ctime) < began.Add(-quiet).UnixNano()
	return s
}
