package app

import (
	"context"
	"io/fs"
	"iter"
	"os"
	"sync"
	"time"

	"arbor/mdstore"
	"arbor/mdstore/dirstore"
	"arbor/mdstore/memstore"
)

// A laterStore is a vault that does not exist yet: an empty one, until something is written, which makes the folder, or until somebody else has made it. A server is
// so ready in a project where nobody has planned anything.
type laterStore struct {
	folder string
	open   func() (*dirstore.Store, error)

	mu    sync.Mutex
	empty mdstore.Store
	real  *dirstore.Store // guarded by mu; nil while there is none
	begun chan struct{}   // closed once there is one
}

var (
	_ mdstore.Store        = (*laterStore)(nil)
	_ mdstore.Shared       = (*laterStore)(nil)
	_ mdstore.Inspector    = (*laterStore)(nil)
	_ mdstore.WriteChecker = (*laterStore)(nil)
	_ mdstore.DocReader    = (*laterStore)(nil)
	_ mdstore.Watcher      = (*laterStore)(nil)
	_ mdstore.Situated     = (*laterStore)(nil)
	_ mdstore.Historian    = (*laterStore)(nil)
	_ mdstore.Collider     = (*laterStore)(nil)
	_ mdstore.Sweeper      = (*laterStore)(nil)
	_ mdstore.Presence     = (*laterStore)(nil)
)

func newLaterStore(folder string, opt dirstore.Options) *laterStore {
	return &laterStore{folder: folder, empty: memstore.New(nil), begun: make(chan struct{}), open: func() (*dirstore.Store, error) {
		return dirstore.Open(folder, opt)
	}}
}

// made returns the vault where it exists by now, and makes it on request.
func (s *laterStore) made(wanted bool) (*dirstore.Store, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.real != nil {
		return s.real, nil
	}
	if info, err := os.Stat(s.folder); err != nil || !info.IsDir() {
		if !wanted {
			return nil, nil
		}
		if err := dirstore.Create(s.folder); err != nil {
			return nil, err
		}
	}
	d, err := s.open()
	if err == nil {
		s.real = d
		close(s.begun)
	}
	return d, err
}

// Close closes the vault, if there is one.
func (s *laterStore) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.real == nil {
		return nil
	}
	return s.real.Close()
}

func (s *laterStore) Read(ctx context.Context, p mdstore.Path) (mdstore.File, error) {
	d, err := s.made(false)
	switch {
	case err != nil:
		return mdstore.File{}, err
	case d == nil:
		return s.empty.Read(ctx, p)
	}
	return d.Read(ctx, p)
}

func (s *laterStore) List(ctx context.Context, under mdstore.Path) iter.Seq2[mdstore.File, error] {
	d, err := s.made(false)
	switch {
	case err != nil:
		return func(yield func(mdstore.File, error) bool) { yield(mdstore.File{}, err) }
	case d == nil:
		return s.empty.List(ctx, under)
	}
	return d.List(ctx, under)
}

func (s *laterStore) Commit(ctx context.Context, changes []mdstore.Change) error {
	d, err := s.made(true)
	if err != nil {
		return err
	}
	return d.Commit(ctx, changes)
}

func (s *laterStore) Exclusively(ctx context.Context, f func(mdstore.Store) error) error {
	d, err := s.made(false)
	switch {
	case err != nil:
		return err
	case d == nil:
		return f(s) // nobody else writes to what is not there, and a commit checks what it finds when it makes it
	}
	return d.Exclusively(ctx, f)
}

func (s *laterStore) Sequence(ctx context.Context) (uint64, error) {
	d, err := s.made(false)
	if err != nil || d == nil {
		return 0, err
	}
	return d.Sequence(ctx)
}

func (s *laterStore) Strays(ctx context.Context, under mdstore.Path) ([]mdstore.Stray, error) {
	d, err := s.made(false)
	if err != nil || d == nil {
		return nil, err
	}
	return d.Strays(ctx, under)
}

func (s *laterStore) Sweep(ctx context.Context, leftovers []mdstore.Path, trash mdstore.Path, dry bool) ([]mdstore.Swept, error) {
	d, err := s.made(false)
	if err != nil || d == nil {
		return nil, err
	}
	return d.Sweep(ctx, leftovers, trash, dry)
}

func (s *laterStore) Writable(ctx context.Context, p mdstore.Path) error {
	d, err := s.made(false)
	if err != nil || d == nil {
		return err
	}
	return d.Writable(ctx, p)
}

func (s *laterStore) ChangedSince(ctx context.Context, before, now uint64) ([]mdstore.Path, bool) {
	d, err := s.made(false)
	if err != nil || d == nil {
		return nil, false
	}
	return d.ChangedSince(ctx, before, now)
}

func (s *laterStore) Collisions() []mdstore.Collision {
	d, err := s.made(false)
	if err != nil || d == nil {
		return nil
	}
	return d.Collisions()
}

func (s *laterStore) ReadDoc(ctx context.Context, target string) ([]byte, error) {
	d, err := s.made(false)
	switch {
	case err != nil:
		return nil, err
	case d == nil:
		return nil, fs.ErrNotExist
	}
	return d.ReadDoc(ctx, target)
}

func (s *laterStore) Appear(ctx context.Context) (string, func(), error) {
	d, err := s.made(false)
	switch {
	case err != nil:
		return "", nil, err
	case d == nil:
		return "", nil, fs.ErrNotExist // there is nothing to claim
	}
	return d.Appear(ctx)
}

func (s *laterStore) Present(ctx context.Context, token string) (bool, error) {
	d, err := s.made(false)
	if err != nil || d == nil {
		return false, err
	}
	return d.Present(ctx, token)
}

// InPlace finds nothing amiss with a vault that does not exist yet.
func (s *laterStore) InPlace() error {
	d, err := s.made(false)
	if err != nil || d == nil {
		return err
	}
	return d.InPlace()
}

func (s *laterStore) Polls() (bool, error) {
	d, err := s.made(false)
	if err != nil || d == nil {
		return false, nil
	}
	return d.Polls()
}

// Watch waits for the vault to be made, by whomever, and then watches it.
func (s *laterStore) Watch(ctx context.Context, w mdstore.Watching) error {
	look := time.NewTicker(time.Second)
	defer look.Stop()
	for {
		d, err := s.made(false)
		switch {
		case err != nil:
			return err
		case d != nil:
			return d.Watch(ctx, w)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-look.C:
		case <-s.begun:
		}
	}
}
