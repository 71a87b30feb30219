package dirstore

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/gofrs/flock"

	"arbor/mdstore"
	"arbor/mdstore/dirstore/internal/osfs"
)

// presentDir holds a file for everybody who is present. It is locked for as long as they are: the system lets go of the lock of a process that
// dies, and knows nothing of its number, which another one may have by now, or which may be of another container.
const presentDir = mdstore.Path(mdstore.LocalDir + "/present")

var _ mdstore.Presence = (*Store)(nil)

// Appear makes somebody present until they leave, the store is closed, or the process ends. Where .local/ is deleted meanwhile, they are not
// present any more, and may appear again.
func (s *Store) Appear(ctx context.Context) (token string, leave func(), err error) {
	if err := ctx.Err(); err != nil {
		return "", nil, err
	}
	if err := s.InPlace(); err != nil {
		return "", nil, err
	}
	s.sweepPresent()
	for range 100 { // somebody may take away, before it is locked, what is made here
		if err = s.makePresentDir(); err != nil {
			break
		}
		token = rand.Text()
		var lock *flock.Flock
		if lock, err = s.occupy(token); lock != nil {
			s.mu.Lock()
			defer s.mu.Unlock()
			if s.present == nil {
				s.present = map[string]*flock.Flock{}
			}
			s.present[token] = lock
			return token, func() { s.leave(token) }, nil
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	if err == nil {
		err = errors.New("its lock is taken away each time")
	}
	return "", nil, fmt.Errorf("vault %s: nobody can be noted as present in %s: %w", s.dir, presentDir, err)
}

// occupy makes the file of a token and locks it. Both results are nil where somebody took the file away, or looked at it, before it was locked.
func (s *Store) occupy(token string) (*flock.Flock, error) {
	p := presentDir.Join(token)
	f, err := s.root.OpenFile(string(p), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, err
	}
	if err := f.Close(); err != nil {
		return nil, err
	}
	lock := s.presentLock(token, os.O_RDWR)
	ok, err := lock.TryLock()
	if ok && s.isAt(lock, p) {
		return lock, nil
	}
	_ = lock.Unlock()
	_ = s.root.Remove(string(p))
	return nil, err
}

func (s *Store) presentLock(token string, flag int) *flock.Flock {
	return flock.New(filepath.Join(s.dir, filepath.FromSlash(string(presentDir.Join(token)))), flock.SetFlag(flag))
}

// isAt reports whether the file that is locked is the one that has the name still.
func (s *Store) isAt(lock *flock.Flock, p mdstore.Path) bool {
	locked, err := lock.Stat()
	if err != nil {
		return false
	}
	named, err := s.root.Lstat(string(p))
	return err == nil && os.SameFile(locked, named)
}

// Present reports whether who appeared under the token, in whatever process, is there.
func (s *Store) Present(ctx context.Context, token string) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	if !isToken(token) {
		return false, nil
	}
	lock, err := s.trySharePresent(token)
	if err != nil || lock == nil {
		return err == nil, absentIsFree(err)
	}
	_ = lock.Unlock()
	return false, nil
}

// trySharePresent returns a lock on the file of somebody who is gone, nil and no error for one who is there. It is shared, so that two who look at
// once do not take each other for who they look for.
func (s *Store) trySharePresent(token string) (*flock.Flock, error) {
	p := presentDir.Join(token)
	info, err := s.disk.Lstat(p)
	if err != nil {
		return nil, err
	}
	if !info.Mode.IsRegular() { // nobody's: it is not opened, whatever it is
		return nil, fs.ErrNotExist
	}
	lock := s.presentLock(token, os.O_RDONLY)
	if ok, err := lock.TryRLock(); err != nil || !ok {
		return nil, err
	}
	return lock, nil
}

// absentIsFree drops the error of a file that is not there.
func absentIsFree(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// isToken reports whether a text is what rand.Text makes; anything else must not become a part of a path.
func isToken(s string) bool {
	return len(s) >= 26 && len(s) <= 64 && !strings.ContainsFunc(s, func(r rune) bool { return (r < 'A' || r > 'Z') && (r < '2' || r > '7') })
}

// leave ends somebody's presence. Who has left may leave again.
func (s *Store) leave(token string) {
	s.mu.Lock()
	lock := s.present[token]
	delete(s.present, token)
	s.mu.Unlock()
	if lock != nil {
		s.removePresent(lock, token)
	}
}

func (s *Store) leaveAll() {
	s.mu.Lock()
	all := s.present
	s.present = nil
	s.mu.Unlock()
	for token, lock := range all {
		s.removePresent(lock, token)
	}
}

// sweepPresent removes the files of those who are gone.
func (s *Store) sweepPresent() {
	entries, err := s.disk.ReadDir(presentDir)
	if err != nil {
		return // there is none, or whoever makes one says why not
	}
	for _, e := range entries {
		if !isToken(e.Name) {
			continue
		}
		if lock, err := s.trySharePresent(e.Name); err == nil && lock != nil {
			s.removePresent(lock, e.Name)
		}
	}
}

// removePresent removes the file of somebody who is gone and gives up the lock on it. It is removed first: whoever locks a file looks afterwards whether it is
// still there, and none is given up under somebody who is just about to lock it.
func (s *Store) removePresent(lock *flock.Flock, token string) {
	p := presentDir.Join(token)
	err := error(nil)
	if s.isAt(lock, p) {
		err = s.root.Remove(string(p))
	}
	_ = lock.Unlock()
	if err != nil && runtime.GOOS == "windows" {
		_ = s.root.Remove(string(p)) // which removes no file that anybody has open, be it to lock it
	}
}

// makePresentDir makes the folder, and the one that it lies in.
func (s *Store) makePresentDir() error {
	for _, dir := range []mdstore.Path{mdstore.LocalDir, presentDir} {
		info, err := s.disk.Lstat(dir)
		if errors.Is(err, fs.ErrNotExist) {
			if err := s.disk.Mkdir(dir); err != nil && !errors.Is(err, fs.ErrExist) {
				return err
			}
			continue
		}
		if err != nil {
			return err
		}
		if !info.Mode.IsDir() {
			return osfs.CheckRegular(dir, info.Mode|fs.ModeIrregular, 0, 0)
		}
	}
	return nil
}
