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

var _ mdstore.Scratch = (*Store)(nil)

// Notes returns the names in a folder of .local/.
func (s *Store) Notes(ctx context.Context, dir mdstore.Path) ([]string, error) {
	if err := checkScratch(ctx, dir); err != nil {
		return nil, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	names := map[string]bool{}
	for p := range s.files {
		if p != dir && p.Under(dir) {
			name, _, _ := strings.Cut(string(p[len(dir)+1:]), "/")
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names)), nil
}

// Discard removes a file from a folder of .local/. A folder goes with its last file.
func (s *Store) Discard(ctx context.Context, p mdstore.Path) error {
	if err := checkScratch(ctx, p.Dir()); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.below[p] > 0 {
		return fmt.Errorf("%s: there are files in it", p)
	}
	if _, is := s.files[p]; is {
		s.set(p, nil)
	}
	return nil
}

func checkScratch(ctx context.Context, dir mdstore.Path) error {
	if !dir.Valid() || dir == mdstore.LocalDir || !dir.Under(mdstore.LocalDir) {
		return fmt.Errorf("%s: no folder of %s: %w", dir, mdstore.LocalDir, fs.ErrInvalid)
	}
	return ctx.Err()
}
