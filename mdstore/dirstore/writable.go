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

// Sweep clears away leftovers of commits that have no record in the journal, for example because .local/ was deleted in
// the middle of a commit. See mdstore.Strays.
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
	if !dry { // taking the lock would write
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

// Writable returns an error if the file at p cannot be written or made, and nil if nothing speaks against it. For
// .local itself it returns the obstacle to every commit. It makes two system calls: one for the file, and one for its
// folder.
func (v *vault) Writable(ctx context.Context, p mdstore.Path) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if p == mdstore.LocalDir {
		return v.inTheWay()
	}
	info, err := v.disk.Stat(p)
	switch {
	case errors.Is(err, fs.ErrNotExist): // it can be made
	case err != nil || !info.Mode.IsRegular():
		return nil // reading it says more
	default:
		if err := osfs.CheckWritable(p, info); err != nil {
			return err
		}
	}
	return v.mayMake(p.Dir())
}

// Movable returns an error if a file or folder cannot be moved, and nil if nothing speaks against it.
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
