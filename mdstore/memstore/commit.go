package memstore

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// Commit makes every change or none.
func (s *Store) Commit(ctx context.Context, changes []mdstore.Change) error {
	if err := mdstore.CheckChanges(changes); err != nil {
		return err
	}
	if err := s.acquire(ctx); err != nil {
		return err
	}
	defer s.release()
	return s.commit(ctx, changes)
}

// Exclusively calls f while nobody else can commit.
func (s *Store) Exclusively(ctx context.Context, f func(mdstore.Store) error) error {
	if err := s.acquire(ctx); err != nil {
		return err
	}
	defer s.release()
	x := &exclusive{Store: s}
	defer x.end()
	return f(x)
}

// Sequence returns the number of commits that changed something.
func (s *Store) Sequence(ctx context.Context) (uint64, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.sequence, ctx.Err()
}

func (s *Store) acquire(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case s.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("another commit is being made: %w", ctx.Err())
	}
}

func (s *Store) release() { <-s.turn }

// commit is Commit for whoever holds the turn, and so is the only one to change s.files.
func (s *Store) commit(ctx context.Context, changes []mdstore.Change) error {
	if err := mdstore.CheckChanges(changes); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	files := maps.Clone(s.files)
	if err := check(files, changes); err != nil {
		return err
	}
	changed := false
	for _, c := range changes {
		switch {
		case c.Keep, c.New != nil && mdstore.VersionOf(c.New) == c.Base:
			continue
		case c.To != "":
			moveAll(files, c.Path, c.To)
		case c.New != nil:
			files[c.Path] = clone(c.New)
		default:
			delete(files, c.Path)
		}
		changed = true
	}
	if !changed {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files = files
	s.sequence++
	return nil
}

// check compares every path with its base.
func check(files map[mdstore.Path][]byte, changes []mdstore.Change) error {
	var moved []mdstore.Path
	for _, c := range changes {
		for dir := c.Path.Dir(); dir != ""; dir = dir.Dir() {
			if _, is := files[dir]; is {
				return unreadable(dir, "NOT_A_FILE", "is a file where a folder is needed")
			}
		}
		if c.To != "" {
			for dir := c.To.Dir(); dir != ""; dir = dir.Dir() {
				if _, is := files[dir]; is {
					return unreadable(dir, "NOT_A_FILE", "is a file where a folder is needed")
				}
			}
			if !exists(files, c.Path) {
				moved = append(moved, c.Path)
			} else if exists(files, c.To) {
				moved = append(moved, c.To)
			}
			continue
		}
		f, err := read(files, c.Path)
		if _, ok := errors.AsType[*mdoc.UnreadableError](err); ok {
			return err
		}
		if f.Version != c.Base {
			moved = append(moved, c.Path)
		}
	}
	if len(moved) > 0 {
		return &mdstore.ConflictError{Paths: moved}
	}
	return nil
}

func exists(files map[mdstore.Path][]byte, p mdstore.Path) bool {
	_, is := files[p]
	return is || folder(files, p)
}

func moveAll(files map[mdstore.Path][]byte, from, to mdstore.Path) {
	for p, data := range maps.Clone(files) {
		if p.Under(from) {
			delete(files, p)
			files[to+p[len(from):]] = data
		}
	}
}

// exclusive is a Store whose turn is held.
type exclusive struct {
	*Store
	mu   sync.Mutex // held during a commit: f may have several goroutines
	over bool
}

func (x *exclusive) end() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.over = true
}

func (x *exclusive) Commit(ctx context.Context, changes []mdstore.Change) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.over {
		return errors.New("a commit after Exclusively has returned; use the store itself")
	}
	return x.commit(ctx, changes)
}

func (x *exclusive) Exclusively(ctx context.Context, f func(mdstore.Store) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return f(x)
}
