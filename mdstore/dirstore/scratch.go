package dirstore

import (
	"context"
	"fmt"
	"io/fs"

	"arbor/mdstore"
)

var _ mdstore.Scratch = (*Store)(nil)

// Notes returns the names in a folder of .local/.
func (s *Store) Notes(ctx context.Context, dir mdstore.Path) ([]string, error) {
	if there, err := s.scratch(ctx, dir); err != nil || !there {
		return nil, err
	}
	entries, err := s.disk.ReadDir(dir)
	if err != nil {
		return nil, absentIsFree(err)
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name
	}
	return names, nil
}

// Discard removes a file or an empty folder from a folder of .local/.
func (s *Store) Discard(ctx context.Context, p mdstore.Path) error {
	if there, err := s.scratch(ctx, p.Dir()); err != nil || !there {
		return err
	}
	return absentIsFree(s.disk.Remove(p))
}

// scratch reports whether there is a folder of .local/ at dir, with no link on the way to it.
func (s *Store) scratch(ctx context.Context, dir mdstore.Path) (there bool, err error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	if !dir.Valid() || dir == mdstore.LocalDir || !dir.Under(mdstore.LocalDir) {
		return false, fmt.Errorf("%s: no folder of %s: %w", dir, mdstore.LocalDir, fs.ErrInvalid)
	}
	for at := dir; at != ""; at = at.Dir() {
		if info, err := s.disk.Lstat(at); err != nil || !info.Mode.IsDir() {
			return false, absentIsFree(err)
		}
	}
	return true, nil
}
