package dirstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"arbor/mdstore"
	"arbor/mdstore/dirstore/internal/osfs"
)

const (
	lockPath    = mdstore.Path(mdstore.LocalDir + "/lock")
	localIgnore = mdstore.Path(mdstore.LocalDir + "/" + mdstore.IgnoreFile)

	writeWait = 30 * time.Second     // how long a writer waits for the lock
	readWait  = 10 * time.Second     // how long a reader waits for a commit that is being made
	openWait  = time.Second          // how long Open waits for the lock: its holder finishes interrupted commits
	poll      = 2 * time.Millisecond // between two tries
)

// A stuckError is a *mdstore.BusyError: the holder of the lock did not give it back in time.
type stuckError struct{ *mdstore.BusyError }

func (e *stuckError) Unwrap() error { return e.BusyError }

// acquire waits for the lock, finishes the commits that a crash interrupted, and merges saves that collided with
// commits. It returns a function that releases the lock. The error is a *stuckError if the lock is not free in time.
func (s *Store) acquire(ctx context.Context, wait time.Duration) (release func(), err error) {
	until, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	select {
	case <-s.turn:
	case <-until.Done():
		return nil, s.gaveUp(ctx, wait)
	}
	lock := flock.New(filepath.Join(s.dir, filepath.FromSlash(string(lockPath))), flock.SetFlag(os.O_RDWR))
	release = func() {
		s.lock = nil
		_ = lock.Unlock()
		s.turn <- struct{}{}
	}
	for ok := false; !ok; {
		if ok, err = s.take(until, lock); err != nil {
			release()
			if until.Err() != nil && errors.Is(err, until.Err()) {
				err = s.gaveUp(ctx, wait)
			}
			return nil, err
		}
	}
	return release, nil
}

// take takes the lock and finishes commits that a crash interrupted. ok is false if the lock file was deleted
// meanwhile; the caller then calls take again. When until has ended, the error is its error.
func (s *Store) take(until context.Context, lock *flock.Flock) (ok bool, err error) {
	if err := s.InPlace(); err != nil {
		return false, err
	}
	if err = s.makeLock(); err == nil {
		ok, err = lock.TryLockContext(until, poll)
	}
	switch {
	case ok:
	case until.Err() != nil:
		return false, until.Err()
	case err != nil && !errors.Is(err, fs.ErrNotExist): // else .local/ was deleted just now, and is made again
		return false, fmt.Errorf("vault %s: cannot be locked for writing: %w", s.dir, osfs.Denied(lockPath, err))
	default:
		return false, nil
	}
	if s.lock = lock; s.holds() {
		s.sign()
		if err = s.finish(); err == nil || !errors.Is(err, fs.ErrNotExist) || s.holds() {
			return err == nil, err
		}
	}
	_ = lock.Unlock() // the file was deleted
	return false, nil
}

// gaveUp is the error of not getting the lock: the caller's context ended, or the time is over.
func (s *Store) gaveUp(ctx context.Context, wait time.Duration) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("vault %s: %s is writing to it: %w", s.dir, s.holder(), err)
	}
	return &stuckError{&mdstore.BusyError{
		What:  fmt.Sprintf("%s is writing to the vault for %v", s.holder(), wait),
		Where: filepath.Join(s.dir, filepath.FromSlash(string(lockPath))), End: "wait for it, or end it",
	}}
}

// holds reports whether the locked file is still the one that others would lock.
func (s *Store) holds() bool {
	locked, err := s.lock.Stat()
	if err != nil {
		return false
	}
	now, err := s.disk.R.Lstat(string(lockPath))
	return err == nil && os.SameFile(locked, now)
}

// sign writes the process id into the lock file, for the error messages of others, and measures how far the file
// system's clock differs from the local one.
func (s *Store) sign() {
	if f, err := s.disk.R.OpenFile(string(lockPath), os.O_WRONLY, 0); err == nil {
		_, _ = fmt.Fprintf(f, "process %-10d\n", os.Getpid()) // of fixed length, so that the file need not be truncated
		if info, err := f.Stat(); err == nil {
			s.skew.Store(info.ModTime().UnixNano() - time.Now().UnixNano())
		}
		_ = f.Close()
	}
}

// makeLock makes .local/ and the file of the lock if they are missing. It makes the file through the vault's root,
// which no link leads out of; locking only opens the file.
func (s *Store) makeLock() error {
	err := osfs.InTheWay(s.disk, mdstore.LocalDir, true)
	if err == nil {
		err = osfs.InTheWay(s.disk, lockPath, false)
	}
	if err == nil {
		err = s.makeLocal()
	}
	if err != nil {
		return err
	}
	f, err := s.disk.R.OpenFile(string(lockPath), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
		return nil // another process makes or deletes it at this moment; locking sees what came of it
	}
	if err != nil {
		return osfs.Denied(mdstore.LocalDir, err)
	}
	return f.Close()
}

// unfinished reports whether a commit was begun and not ended. Another process may be making it.
func (s *Store) unfinished() (bool, error) {
	if n, ok := s.gen.read(); ok && n%2 == 1 {
		return true, nil
	}
	return s.committer.Pending()
}

// finish ends the commits that a crash interrupted, and merges saves that collided with commits. The lock is held.
func (s *Store) finish() error {
	n, ok := s.gen.read()
	if s.gen.number = n; !ok {
		s.gen.number = 0
	}
	unfinished, err := s.unfinished()
	if err != nil {
		return fmt.Errorf("vault %s: nothing is written before its journal can be read: %w", s.dir, err)
	}
	if !unfinished {
		return s.mergeLate()
	}
	if busy := s.git.busy(); busy != nil { // a writer waits for git without the lock
		return fmt.Errorf("vault %s: an earlier commit is unfinished: %w", s.dir, busy)
	}
	if err = s.gen.begin(); err == nil {
		err = s.committer.Recover()
	}
	if err != nil {
		return fmt.Errorf("vault %s: an earlier commit is unfinished, and nothing is written before it is finished: %w",
			s.dir, err)
	}
	if err := s.committer.Sweep(); err != nil {
		return fmt.Errorf("vault %s: temporary files of a crash cannot be removed: %w", s.dir, err)
	}
	if err := s.gen.end(s.fsNow(), s.unnoted(), false); err != nil {
		return err
	}
	return s.mergeLate()
}

// mergeLate merges saves in displaced files and saves that were made from older versions. After a failure the next
// writer tries again. The lock is held.
func (s *Store) mergeLate() error {
	s.touched, s.madeAt = []versioned{}, s.fsNow()
	err := s.committer.Displaced(func() error {
		if busy := s.git.busy(); busy != nil {
			return busy
		}
		return s.gen.begin()
	})
	if err != nil {
		s.log.Warn("what was saved in displaced files is merged later", "error", err)
	}
	s.mergeForeign()
	if s.gen.begun() {
		return s.gen.end(s.madeAt, s.touched, true)
	}
	return nil
}
