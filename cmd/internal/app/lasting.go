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

// A lastingStore is the vault at a place, for as long as a server runs. If the vault does not exist yet, the store is
// empty until the first commit, or another program, makes the folder. So a server works in a project without a plan. If
// the folder is moved away or replaced, as git does when a branch without it is checked out and left again, the store
// opens the vault that is there then.
//
// It implements the methods that depend on such changes. All other capabilities are those of the store that is open
// now: see Unwrap.
type lastingStore struct {
	folder string
	opt    dirstore.Options
	may    error // why no folder may be made there; nil if one may

	mu     sync.Mutex
	now    *dirstore.Store // guarded by mu; nil while there is none
	opened uint64          // guarded by mu: counts the vaults that were opened
}

var (
	_ mdstore.Store   = (*lastingStore)(nil)
	_ mdstore.History = (*lastingStore)(nil)
	_ mdstore.Watcher = (*lastingStore)(nil)
)

// use returns the vault at the place, and makes its folder if asked to. If there is no vault, or it cannot be opened,
// it returns an emptyStore.
func (s *lastingStore) use(wanted bool) mdstore.Store {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now != nil {
		err := s.now.InPlace()
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, mdstore.ErrReplaced) {
			return s.now
		}
		s.now = nil // os.Root closes its descriptors once no call uses it
	}
	if info, err := os.Stat(s.folder); err != nil || !info.IsDir() {
		if !wanted {
			return emptyStore{may: s.may}
		}
		err := s.may
		if err == nil {
			err = dirstore.Create(s.folder)
		}
		if err != nil {
			return emptyStore{why: err}
		}
	}
	st, err := dirstore.Open(s.folder, s.opt)
	if err != nil {
		return emptyStore{why: err}
	}
	s.now = st
	s.opened++
	return st
}

// Close closes the vault. The store must not be used any more.
func (s *lastingStore) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now == nil {
		return nil
	}
	return s.now.Close()
}

// Unwrap returns the store that is open now, for its capabilities.
func (s *lastingStore) Unwrap() mdstore.Store { return s.use(false) }

func (s *lastingStore) Read(ctx context.Context, p mdstore.Path) (mdstore.File, error) {
	return s.use(false).Read(ctx, p)
}

func (s *lastingStore) List(ctx context.Context, under mdstore.Path) iter.Seq2[mdstore.Entry, error] {
	return s.use(false).List(ctx, under)
}

func (s *lastingStore) Stat(ctx context.Context, p mdstore.Path) (mdstore.Stamp, error) {
	return s.use(false).Stat(ctx, p)
}

func (s *lastingStore) Commit(ctx context.Context, changes []mdstore.Change) (mdstore.Result, error) {
	return s.use(true).Commit(ctx, changes)
}

// Update makes the folder only when something is committed: a refused operation leaves none behind.
func (s *lastingStore) Update(ctx context.Context, f func(mdstore.Tx) error) error {
	st := s.use(false)
	if none, ok := st.(emptyStore); ok && none.why == nil {
		return f(s)
	}
	return st.Update(ctx, f)
}

// shift is added to the generations of the open vault. It grows with each vault that was opened, so that generations
// never repeat.
func (s *lastingStore) shift() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.opened << 48
}

// Generation also changes when the vault is replaced by another.
func (s *lastingStore) Generation(ctx context.Context) (uint64, error) {
	n, err := s.use(false).(mdstore.History).Generation(ctx)
	return n + s.shift(), err
}

// ChangedSince returns false for a generation from before the vault was opened: its commits have other numbers.
func (s *lastingStore) ChangedSince(ctx context.Context, before, now uint64) ([]mdstore.Path, bool) {
	st, shift := s.use(false).(mdstore.History), s.shift()
	return st.ChangedSince(ctx, before-shift, now-shift)
}

// InPlace returns nil for a vault that does not exist yet, and an awayError for one that is gone.
func (s *lastingStore) InPlace() error {
	switch st := s.use(false).(type) {
	case mdstore.Watcher:
		return st.InPlace()
	case emptyStore:
		if st.why != nil {
			return st.why
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.opened > 0 {
		return awayError{s.folder}
	}
	return nil
}

// An awayError says that the vault is gone, and what would help. It is an fs.ErrNotExist.
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

// Watch waits until the vault exists, and then watches its place, whichever vault is there.
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
