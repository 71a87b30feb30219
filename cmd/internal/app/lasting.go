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
)

// A lastingStore is the vault at a place, for as long as a server runs. The vault may not exist yet: then it is an empty one, until the
// first commit makes the folder, or another program does. So a server is ready in a project where nothing has been planned. And the
// folder may be moved away, or replaced by another, as git does when a branch without it is checked out and left again: then the vault
// that lies there now is opened.
//
// It implements what changes when the vault does; every other capability is that of the store that is open now: see Unwrap.
type lastingStore struct {
	folder string
	opt    dirstore.Options

	mu      sync.Mutex
	now     *dirstore.Store // guarded by mu; nil while there is none
	past    *sync.WaitGroup // guarded by mu: the calls that use now
	opened  uint64          // guarded by mu: counts the vaults that were opened
	retired sync.WaitGroup  // of vaults that are being closed
}

var (
	_ mdstore.Store   = (*lastingStore)(nil)
	_ mdstore.History = (*lastingStore)(nil)
	_ mdstore.Watcher = (*lastingStore)(nil)
)

func newLastingStore(folder string, opt dirstore.Options) *lastingStore {
	return &lastingStore{folder: folder, opt: opt}
}

// use returns the vault that lies at the place now, the empty one where there is none, after making its folder where that is wanted.
// done is to be called when the store is used no more.
func (s *lastingStore) use(wanted bool) (st mdstore.Store, done func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now != nil {
		if err := s.now.InPlace(); errors.Is(err, fs.ErrNotExist) || errors.Is(err, mdstore.ErrReplaced) {
			s.retire()
		}
	}
	if s.now == nil {
		if info, err := os.Stat(s.folder); err != nil || !info.IsDir() {
			if !wanted {
				return emptyStore{}, func() {}, nil
			}
			if err := dirstore.Create(s.folder); err != nil {
				return nil, func() {}, err
			}
		}
		if s.now, err = dirstore.Open(s.folder, s.opt); err != nil {
			return nil, func() {}, err
		}
		s.opened++
		s.past = &sync.WaitGroup{}
	}
	s.past.Add(1)
	return s.now, s.past.Done, nil
}

// retire closes a vault that is not there any more, once no call uses it. s.mu must be held.
func (s *lastingStore) retire() {
	st, past := s.now, s.past
	s.now = nil
	s.retired.Go(func() {
		past.Wait()
		_ = st.Close() // its folder is gone
	})
}

// Close closes the vault. The store must not be used any more.
func (s *lastingStore) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.retired.Wait()
	if s.now == nil {
		return nil
	}
	return s.now.Close()
}

// Unwrap returns the store that is open now, for its capabilities.
func (s *lastingStore) Unwrap() mdstore.Store {
	st, done, err := s.use(false)
	done()
	if err != nil {
		return emptyStore{}
	}
	return st
}

func (s *lastingStore) Read(ctx context.Context, p mdstore.Path) (mdstore.File, error) {
	st, done, err := s.use(false)
	defer done()
	if err != nil {
		return mdstore.File{}, err
	}
	return st.Read(ctx, p)
}

func (s *lastingStore) List(ctx context.Context, under mdstore.Path) iter.Seq2[mdstore.Entry, error] {
	return func(yield func(mdstore.Entry, error) bool) {
		st, done, err := s.use(false)
		defer done()
		if err != nil {
			yield(mdstore.Entry{}, err)
			return
		}
		st.List(ctx, under)(yield)
	}
}

func (s *lastingStore) Stat(ctx context.Context, p mdstore.Path) (mdstore.Stamp, error) {
	st, done, err := s.use(false)
	defer done()
	if err != nil {
		return mdstore.Stamp{}, err
	}
	return st.Stat(ctx, p)
}

func (s *lastingStore) Commit(ctx context.Context, changes []mdstore.Change) (mdstore.Result, error) {
	st, done, err := s.use(true)
	defer done()
	if err != nil {
		return mdstore.Result{}, err
	}
	return st.Commit(ctx, changes)
}

// Update makes the folder only when something is committed: a refused operation leaves none behind.
func (s *lastingStore) Update(ctx context.Context, f func(mdstore.Tx) error) error {
	st, done, err := s.use(false)
	defer done()
	switch {
	case err != nil:
		return err
	case st == emptyStore{}:
		return f(s)
	}
	return st.Update(ctx, f)
}

// vaultShift puts the count of opened vaults above the generation of each.
const vaultShift = 48

// Generation is another one for another vault, too.
func (s *lastingStore) Generation(ctx context.Context) (uint64, error) {
	st, done, err := s.use(false)
	defer done()
	if err != nil {
		return 0, err
	}
	n, err := st.(mdstore.History).Generation(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	return n + s.opened<<vaultShift, err
}

// ChangedSince knows nothing of the time before the vault was opened.
func (s *lastingStore) ChangedSince(ctx context.Context, before, now uint64) ([]mdstore.Path, bool) {
	st, done, err := s.use(false)
	defer done()
	const low = 1<<vaultShift - 1
	if err != nil || before>>vaultShift != now>>vaultShift {
		return nil, false
	}
	return st.(mdstore.History).ChangedSince(ctx, before&low, now&low)
}

// InPlace finds nothing amiss with a vault that does not exist yet. One that was there before is missed.
func (s *lastingStore) InPlace() error {
	st, done, err := s.use(false)
	defer done()
	if err != nil {
		return err
	}
	if w, ok := st.(mdstore.Watcher); ok {
		return w.InPlace()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.opened > 0 {
		return awayError{s.folder}
	}
	return nil
}

// An awayError is that of a vault that was there and is not: an fs.ErrNotExist that says what would work.
type awayError struct{ folder string }

func (a awayError) Error() string {
	return "vault " + a.folder + ": it was moved or deleted; put it back there, or start arbor again at its new place (--vault FOLDER)"
}

func (a awayError) Unwrap() []error { return []error{fs.ErrNotExist, notFound("%s", a.Error())} }

// Polls is that of the vault.
func (s *lastingStore) Polls() (bool, error) {
	if w, ok := s.Unwrap().(mdstore.Watcher); ok {
		return w.Polls()
	}
	return false, nil
}

// Watch waits until the vault exists, and then watches its place, whatever lies there. It does not keep a vault open that was replaced.
func (s *lastingStore) Watch(ctx context.Context, w mdstore.Watching) error {
	look := time.NewTicker(time.Second)
	defer look.Stop()
	for {
		if st, ok := s.Unwrap().(mdstore.Watcher); ok {
			return st.Watch(ctx, w)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-look.C:
		}
	}
}
