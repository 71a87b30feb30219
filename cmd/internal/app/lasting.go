package app

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"os"
	"sync"
	"time"

	"arbor/mdstore"
	"arbor/mdstore/dirstore"
	"arbor/mdstore/memstore"
)

// A lastingStore is the vault at a place, for as long as a server runs. It may not exist yet: then it is an empty one, until something is written, which makes the
// folder, or until somebody else has made it. So a server is ready in a project where nobody has planned anything. And it may be moved away, or replaced
// by another, as git does when somebody goes to a branch without it and comes back: then what is there now is opened.
type lastingStore struct {
	folder string
	open   func() (*dirstore.Store, error)
	empty  mdstore.Store

	mu      sync.Mutex
	now     *opened       // guarded by mu; nil while there is none
	begun   chan struct{} // closed once there is one
	begin   sync.Once     // closes begun
	retired sync.WaitGroup
}

// opened is the vault while it is the same folder.
type opened struct {
	st    *dirstore.Store
	users sync.WaitGroup
}

var (
	_ mdstore.Store    = (*lastingStore)(nil)
	_ mdstore.History  = (*lastingStore)(nil)
	_ mdstore.Strays   = (*lastingStore)(nil)
	_ mdstore.Writable = (*lastingStore)(nil)
	_ mdstore.Docs     = (*lastingStore)(nil)
	_ mdstore.Watcher  = (*lastingStore)(nil)
	_ mdstore.Watcher  = (*lastingStore)(nil)
	_ mdstore.History  = (*lastingStore)(nil)
	_ mdstore.Strays   = (*lastingStore)(nil)
	_ mdstore.Scratch  = (*lastingStore)(nil)
	_ mdstore.Presence = (*lastingStore)(nil)
	_ mdstore.Skimming = (*lastingStore)(nil)
)

func newLastingStore(folder string, opt dirstore.Options) *lastingStore {
	return &lastingStore{folder: folder, empty: memstore.New(nil), begun: make(chan struct{}), open: func() (*dirstore.Store, error) {
		return dirstore.Open(folder, opt)
	}}
}

// use returns the vault where it exists now, and makes it on request; nil where there is none. done is to be called when it is used no more.
func (s *lastingStore) use(wanted bool) (st *dirstore.Store, done func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now != nil {
		if err := s.now.st.InPlace(); errors.Is(err, fs.ErrNotExist) || errors.Is(err, mdstore.ErrReplaced) {
			s.retire()
		}
	}
	if s.now == nil {
		if info, err := os.Stat(s.folder); err != nil || !info.IsDir() {
			if !wanted {
				return nil, func() {}, nil
			}
			if err := dirstore.Create(s.folder); err != nil {
				return nil, func() {}, err
			}
		}
		st, err := s.open()
		if err != nil {
			return nil, func() {}, err
		}
		s.now = &opened{st: st}
		s.begin.Do(func() { close(s.begun) })
	}
	o := s.now
	o.users.Add(1)
	return o.st, o.users.Done, nil
}

// retire closes a vault that is not there any more, once nobody uses it. s.mu must be held.
func (s *lastingStore) retire() {
	o := s.now
	s.now = nil
	s.retired.Go(func() {
		o.users.Wait()
		_ = o.st.Close() // nothing is left of it that could be lost
	})
}

// Close closes the vault, if there is one. Nobody may use it any more.
func (s *lastingStore) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.retired.Wait()
	if s.now == nil {
		return nil
	}
	return s.now.st.Close()
}

func (s *lastingStore) Read(ctx context.Context, p mdstore.Path) (mdstore.File, error) {
	d, done, err := s.use(false)
	defer done()
	switch {
	case err != nil:
		return mdstore.File{}, err
	case d == nil:
		return s.empty.Read(ctx, p)
	}
	return d.Read(ctx, p)
}

func (s *lastingStore) List(ctx context.Context, under mdstore.Path) iter.Seq2[mdstore.File, error] {
	return func(yield func(mdstore.File, error) bool) {
		d, done, err := s.use(false)
		defer done()
		list := s.empty.List(ctx, under)
		if d != nil {
			list = d.List(ctx, under)
		}
		if err != nil {
			yield(mdstore.File{}, err)
			return
		}
		list(yield)
	}
}

func (s *lastingStore) Stat(ctx context.Context, p mdstore.Path) (mdstore.Stamp, error) {
	d, done, err := s.use(false)
	defer done()
	switch {
	case err != nil:
		return mdstore.Stamp{}, err
	case d == nil:
		_, err := s.empty.Read(ctx, p)
		return mdstore.Stamp{}, err
	}
	return d.Stat(ctx, p)
}

func (s *lastingStore) Unchanged(p mdstore.Path, stamp mdstore.Stamp) bool {
	d, done, err := s.use(false)
	defer done()
	return err == nil && d != nil && d.Unchanged(p, stamp)
}

// Skim begins anew where what is known is of a vault that lay there before: its folder is another one.
func (s *lastingStore) Skim(ctx context.Context, under mdstore.Path, known *mdstore.Skimmed, trusting bool) (*mdstore.Skimmed, error) {
	d, done, err := s.use(false)
	defer done()
	switch {
	case err != nil:
		return nil, err
	case d == nil:
		return s.empty.(mdstore.Skimming).Skim(ctx, under, nil, trusting)
	}
	return d.Skim(ctx, under, known, trusting)
}

func (s *lastingStore) Keep(ctx context.Context, under mdstore.Path, known *mdstore.Skimmed) {
	d, done, err := s.use(false)
	defer done()
	if err == nil && d != nil {
		d.Keep(ctx, under, known)
	}
}

func (s *lastingStore) Commit(ctx context.Context, changes []mdstore.Change) (mdstore.Result, error) {
	d, done, err := s.use(true)
	defer done()
	if err != nil {
		return mdstore.Result{}, err
	}
	return d.Commit(ctx, changes)
}

func (s *lastingStore) Update(ctx context.Context, f func(mdstore.Store) error) error {
	d, done, err := s.use(false)
	defer done()
	switch {
	case err != nil:
		return err
	case d == nil:
		return f(s) // nobody else writes to what is not there, and a commit checks what it finds when it makes it
	}
	return d.Update(ctx, f)
}

func (s *lastingStore) Generation(ctx context.Context) (uint64, error) {
	d, done, err := s.use(false)
	defer done()
	if err != nil || d == nil {
		return 0, err
	}
	return d.Generation(ctx)
}

func (s *lastingStore) Strays(ctx context.Context, under mdstore.Path) ([]mdstore.Stray, error) {
	d, done, err := s.use(false)
	defer done()
	if err != nil || d == nil {
		return nil, err
	}
	return d.Strays(ctx, under)
}

func (s *lastingStore) Sweep(ctx context.Context, leftovers []mdstore.Path, trash mdstore.Path, dry bool) ([]mdstore.Swept, error) {
	d, done, err := s.use(false)
	defer done()
	if err != nil || d == nil {
		return nil, err
	}
	return d.Sweep(ctx, leftovers, trash, dry)
}

func (s *lastingStore) Notes(ctx context.Context, dir mdstore.Path) ([]string, error) {
	d, done, err := s.use(false)
	defer done()
	if err != nil || d == nil {
		return nil, err
	}
	return d.Notes(ctx, dir)
}

func (s *lastingStore) Discard(ctx context.Context, p mdstore.Path) error {
	d, done, err := s.use(false)
	defer done()
	if err != nil || d == nil {
		return err
	}
	return d.Discard(ctx, p)
}

func (s *lastingStore) Writable(ctx context.Context, p mdstore.Path) error {
	d, done, err := s.use(false)
	defer done()
	if err != nil || d == nil {
		return err
	}
	return d.Writable(ctx, p)
}

func (s *lastingStore) Movable(ctx context.Context, from, to mdstore.Path) error {
	d, done, err := s.use(false)
	defer done()
	if err != nil || d == nil {
		return err
	}
	return d.Movable(ctx, from, to)
}

func (s *lastingStore) ChangedSince(ctx context.Context, before, now uint64) ([]mdstore.Path, bool) {
	d, done, err := s.use(false)
	defer done()
	if err != nil || d == nil {
		return nil, false
	}
	return d.ChangedSince(ctx, before, now)
}

func (s *lastingStore) Displaced(ctx context.Context) ([]mdstore.Collision, error) {
	d, done, err := s.use(false)
	defer done()
	if err != nil || d == nil {
		return nil, err
	}
	return d.Displaced(ctx)
}

func (s *lastingStore) ReadDoc(ctx context.Context, target string) ([]byte, error) {
	d, done, err := s.use(false)
	defer done()
	switch {
	case err != nil:
		return nil, err
	case d == nil:
		return nil, fs.ErrNotExist
	}
	return d.ReadDoc(ctx, target)
}

func (s *lastingStore) Appear(ctx context.Context) (string, func(), error) {
	d, done, err := s.use(false)
	defer done()
	switch {
	case err != nil:
		return "", nil, err
	case d == nil:
		return "", nil, fs.ErrNotExist // there is nothing to claim
	}
	return d.Appear(ctx)
}

func (s *lastingStore) Present(ctx context.Context, token string) (bool, error) {
	d, done, err := s.use(false)
	defer done()
	if err != nil || d == nil {
		return false, err
	}
	return d.Present(ctx, token)
}

// InPlace finds nothing amiss with a vault that does not exist yet. One that was there before is missed.
func (s *lastingStore) InPlace() error {
	d, done, err := s.use(false)
	defer done()
	if err != nil {
		return err
	}
	if d == nil {
		select {
		case <-s.begun:
			return awayError{s.folder}
		default:
			return nil
		}
	}
	return d.InPlace()
}

// An awayError is that of a vault that was there and is not: an fs.ErrNotExist, as of any store, that people and assistants can do something about.
type awayError struct{ folder string }

func (a awayError) Error() string {
	return "vault " + a.folder + ": it was moved or deleted; put it back there, or start arbor again at its new place (--vault FOLDER)"
}

func (a awayError) Unwrap() []error { return []error{fs.ErrNotExist, notFound("%s", a.Error())} }

func (s *lastingStore) Polls() (bool, error) {
	d, done, err := s.use(false)
	defer done()
	if err != nil || d == nil {
		return false, nil
	}
	return d.Polls()
}

// Watch waits for the vault to be made, by whomever, and then watches its place, whatever lies there. It does not keep a vault open that was replaced.
func (s *lastingStore) Watch(ctx context.Context, w mdstore.Watching) error {
	look := time.NewTicker(time.Second)
	defer look.Stop()
	for {
		d, done, err := s.use(false)
		done()
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
