package dirstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"arbor/mdstore"
)

var _ mdstore.Local = (*Store)(nil)

// ownNames are the names in .local/ of what the store itself needs.
var ownNames = []string{mdstore.IgnoreFile, "cache", "displaced", "generation", "journal", "late", "lock", "recent", "sequence", "trash"}

// ReadLocal returns a file of .local/.
func (s *Store) ReadLocal(ctx context.Context, name mdstore.Path) ([]byte, error) {
	p, err := s.local(ctx, name)
	if err == nil {
		err = s.localFolder(p.Dir(), false)
	}
	if err != nil {
		return nil, err
	}
	data, _, err := s.disk.ReadStamped(p, mdstore.MaxFileSize)
	return data, err
}

// WriteLocal replaces a file of .local/ by a rename, and makes the folders above it.
func (s *Store) WriteLocal(ctx context.Context, name mdstore.Path, data []byte) error {
	p, err := s.local(ctx, name)
	if err == nil {
		err = s.makeLocal()
	}
	if err == nil {
		err = s.localFolder(p.Dir(), true)
	}
	if err != nil {
		return err
	}
	return s.replace(p, data, 0o644)
}

// RemoveLocal removes a file of .local/.
func (s *Store) RemoveLocal(ctx context.Context, name mdstore.Path) error {
	p, err := s.local(ctx, name)
	if err == nil {
		err = s.localFolder(p.Dir(), false)
	}
	if err == nil {
		err = s.disk.Remove(p)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// ListLocal returns the files in a folder of .local/, in the order of their names.
func (s *Store) ListLocal(ctx context.Context, dir mdstore.Path) ([]mdstore.LocalFile, error) {
	p, err := s.local(ctx, dir)
	if err == nil {
		err = s.localFolder(p, false)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	began := s.now()
	names, err := s.disk.ReadDir(p)
	if err != nil {
		return nil, err
	}
	var out []mdstore.LocalFile
	for _, n := range names {
		if strings.HasPrefix(n.Name, TempPrefix) {
			continue
		}
		if info, err := s.top.Stat(p.Join(n.Name)); err == nil && info.Mode.IsRegular() {
			out = append(out, mdstore.LocalFile{Name: n.Name, Stamp: firm(info.Stamp, began)})
		}
	}
	return out, nil
}

// local returns the path of what has a name in .local/.
func (s *Store) local(ctx context.Context, name mdstore.Path) (mdstore.Path, error) {
	first, _, _ := strings.Cut(string(name), "/")
	if !name.Valid() || slices.Contains(ownNames, first) {
		return "", fmt.Errorf("%q is no path for files in %s: %w", name, mdstore.LocalDir, fs.ErrInvalid)
	}
	return mdstore.Path(mdstore.LocalDir).Join(string(name)), ctx.Err()
}

// localFolder goes down to a folder of .local/ through no link, and makes what is missing on the way where it is asked to.
func (s *Store) localFolder(dir mdstore.Path, create bool) error {
	if dir != mdstore.LocalDir {
		if err := s.localFolder(dir.Dir(), create); err != nil {
			return err
		}
		if create {
			if err := s.disk.Mkdir(dir); err != nil && !errors.Is(err, fs.ErrExist) {
				return err
			}
		}
	}
	info, err := s.top.Stat(dir)
	if err == nil && !info.Mode.IsDir() {
		err = &fs.PathError{Op: "open", Path: string(dir), Err: fs.ErrNotExist}
	}
	return err
}
