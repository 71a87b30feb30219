package dirstore

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"

	"arbor/mdstore"
	"arbor/mdstore/dirstore/internal/osfs"
)

// Sweep clears away what commits have left without a record in the journal, as when .local/ was deleted in the middle
// of a commit.
func (s *Store) Sweep(
	ctx context.Context, leftovers []mdstore.Path, trash mdstore.Path, dry bool,
) ([]mdstore.Swept, error) {
	for _, p := range append(slices.Clone(leftovers), trash) {
		if !p.Valid() || p == trash && !p.Under(mdstore.LocalDir) {
			return nil, &fs.PathError{Op: "sweep", Path: string(p), Err: fs.ErrInvalid}
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !dry { // a dry run takes no lock, which would write
		release, err := s.acquire(ctx, writeWait)
		if err != nil {
			return nil, err
		}
		defer release()
		if busy := s.git.busy(); busy != nil {
			return nil, busy
		}
	}
	cleared, err := s.committer.Clear(leftovers, trash, dry)
	for _, p := range leftovers {
		if s.madeAgain(p) && s.plainWay(p, false) == nil && (dry || s.disk.Remove(p) == nil) {
			cleared = append(cleared, mdstore.Swept{Path: p})
		}
	}
	return cleared, err
}

// Writable returns why a file is not to be written, or not to be made, nil where nothing speaks against it. Of .local
// itself it returns what keeps every commit from being made. It takes two system calls: one for the file, and one for
// its folder.
func (v *vault) Writable(ctx context.Context, p mdstore.Path) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if p == mdstore.LocalDir {
		return v.inTheWay()
	}
	info, err := v.disk.Stat(p)
	switch {
	case errors.Is(err, fs.ErrNotExist): // it is to be made
	case err != nil || !info.Mode.IsRegular():
		return nil // reading it says more
	default:
		if err := osfs.CheckWritable(p, info); err != nil {
			return err
		}
	}
	return v.mayMake(p.Dir())
}

// Movable returns why a file or folder is not to be moved, nil where nothing speaks against it.
func (v *vault) Movable(ctx context.Context, from, to mdstore.Path) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	info, err := v.disk.Stat(from)
	if err != nil {
		return nil // reading it says more
	}
	return cmp.Or(osfs.CheckMovable(from, info), v.mayMake(from.Dir()), v.mayMake(to.Dir()))
}
