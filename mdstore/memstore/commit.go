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
func (s *Store) Commit(ctx context.Context, changes []mdstore.Change) (mdstore.Result, error) {
	if err := mdstore.CheckChanges(changes); err != nil {
		return mdstore.Result{}, err
	}
	if err := s.acquire(ctx); err != nil {
		return mdstore.Result{}, err
	}
	defer s.release()
	return s.commit(ctx, changes)
}

// Update calls f while nobody else can commit.
func (s *Store) Update(ctx context.Context, f func(mdstore.Tx) error) error {
	if err := s.acquire(ctx); err != nil {
		return err
	}
	defer s.release()
	tx := &tx{s: s}
	defer tx.end()
	return f(tx)
}

// Generation returns the number of commits that changed something.
func (s *Store) Generation(ctx context.Context) (uint64, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.generation, ctx.Err()
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

// commit is Commit for whoever holds the turn.
func (s *Store) commit(ctx context.Context, changes []mdstore.Change) (mdstore.Result, error) {
	if err := mdstore.CheckChanges(changes); err != nil {
		return mdstore.Result{}, err
	}
	if err := ctx.Err(); err != nil {
		return mdstore.Result{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.check(changes); err != nil {
		return mdstore.Result{}, err
	}
	changed := false
	for _, c := range changes {
		switch {
		case c.Keep, c.New != nil && mdstore.VersionOf(c.New) == c.Base:
			continue
		case c.To != "":
			s.move(c.Path, c.To)
		case c.New != nil:
			s.set(c.Path, clone(c.New))
		default:
			s.set(c.Path, nil)
		}
		changed = true
	}
	if changed {
		s.generation++
	}
	return mdstore.Result{Versions: mdstore.VersionsOf(changes), Generation: s.generation}, nil
}

// check compares every path with its base.
func (s *Store) check(changes []mdstore.Change) error {
	var moved []mdstore.Path
	for _, c := range changes {
		if err := s.folders(c.Path); err != nil {
			return err
		}
		if c.To != "" {
			if err := s.folders(c.To); err != nil {
				return err
			}
			if !s.exists(c.Path) {
				moved = append(moved, c.Path)
			} else if s.exists(c.To) {
				moved = append(moved, c.To)
			}
			continue
		}
		f, err := s.read(c.Path)
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

// folders refuses a path that leads through a file.
func (s *Store) folders(p mdstore.Path) error {
	for dir := p.Dir(); dir != ""; dir = dir.Dir() {
		if _, is := s.files[dir]; is {
			return unreadable(dir, "NOT_A_FILE", "is a file where a folder is needed")
		}
	}
	return nil
}

func (s *Store) exists(p mdstore.Path) bool {
	_, is := s.files[p]
	return is || s.below[p] > 0
}

func (s *Store) move(from, to mdstore.Path) {
	for p, data := range maps.Clone(s.files) {
		if p.Under(from) {
			s.set(p, nil)
			s.set(to+p[len(from):], data)
		}
	}
}

// tx is the store while its turn is held.
type tx struct {
	s    *Store
	mu   sync.Mutex // held during a commit: the function may have several goroutines
	over bool
}

func (x *tx) end() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.over = true
}

func (x *tx) Read(ctx context.Context, p mdstore.Path) (mdstore.File, error) { return x.s.Read(ctx, p) }

func (x *tx) Commit(ctx context.Context, changes []mdstore.Change) (mdstore.Result, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.over {
		return mdstore.Result{}, errors.New("a commit after Update has returned; use the store itself")
	}
	return x.s.commit(ctx, changes)
}

// ChangedSince knows only that nothing changed between two equal generations.
func (s *Store) ChangedSince(_ context.Context, before, now uint64) ([]mdstore.Path, bool) {
	return nil, before == now
}
