package memstore

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"arbor/mdstore"
)

// ReadLocal returns a file of .local/.
func (s *Store) ReadLocal(ctx context.Context, name mdstore.Path) ([]byte, error) {
	p, err := localPath(ctx, name)
	if err != nil {
		return nil, err
	}
	f, err := s.Read(ctx, p)
	return f.Data, err
}

// WriteLocal replaces a file of .local/. It is no commit.
func (s *Store) WriteLocal(ctx context.Context, name mdstore.Path, data []byte) error {
	p, err := localPath(ctx, name)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.folders(p); err != nil {
		return err
	}
	if s.below[p] > 0 {
		return unreadable(p, "NOT_A_FILE", "is a folder where a file is expected")
	}
	s.set(p, clone(data))
	return nil
}

// KeepLocal is WriteLocal: nothing here outlasts the process.
func (s *Store) KeepLocal(ctx context.Context, name mdstore.Path, data []byte) error {
	return s.WriteLocal(ctx, name, data)
}

// RemoveLocal removes a file of .local/.
func (s *Store) RemoveLocal(ctx context.Context, name mdstore.Path) error {
	p, err := localPath(ctx, name)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.set(p, nil)
	return nil
}

// ListLocal returns the files in a folder of .local/, in the order of their names.
func (s *Store) ListLocal(ctx context.Context, dir mdstore.Path) ([]mdstore.LocalFile, error) {
	p, err := localPath(ctx, dir)
	if err != nil {
		return nil, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	var out []mdstore.LocalFile
	for _, q := range slices.Sorted(maps.Keys(s.files)) {
		if rest, ok := strings.CutPrefix(string(q), string(p)+"/"); ok && !strings.Contains(rest, "/") {
			out = append(out, mdstore.LocalFile{Name: rest, Stamp: s.stamp(q)})
		}
	}
	return out, nil
}

func localPath(ctx context.Context, name mdstore.Path) (mdstore.Path, error) {
	if !name.Valid() {
		return "", fmt.Errorf("%q is not a path inside %s: %w", name, mdstore.LocalDir, fs.ErrInvalid)
	}
	return mdstore.Path(mdstore.LocalDir).Join(string(name)), ctx.Err()
}
