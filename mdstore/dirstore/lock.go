package dirstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"arbor/mdstore"
	"arbor/mdstore/dirstore/internal/disk"
	"arbor/mdstore/dirstore/internal/txn"
)

const (
	lockName    = "lock"
	lockPath    = mdstore.Path(mdstore.LocalDir + "/" + lockName)
	localIgnore = mdstore.Path(mdstore.LocalDir + "/" + mdstore.IgnoreFile)
	poll        = 2 * time.Millisecond // between two looks at a lock that another process holds
)

// acquire waits for the lock, finishes what a crash left, and returns what releases it. Where nobody gets on for as long as patience, it gives up with
// an *mdstore.BusyError.
func (s *Store) acquire(ctx context.Context, patience time.Duration) (release func(), err error) {
	return s.acquireUnless(ctx, patience, func() bool { return false })
}

// acquireUnless is acquire for who needs the lock no more once something is over; release is nil then. Who commits many times in a row has the lock nearly
// always.
func (s *Store) acquireUnless(ctx context.Context, patience time.Duration, over func() bool) (release func(), err error) {
	select {
	case <-s.turn:
	default:
		if !s.settling(ctx) {
			return s.await(ctx, patience, false, over)
		}
	}
	release, err = s.tryLock(ctx)
	if release != nil || err != nil {
		return release, err
	}
	return s.await(ctx, patience, true, over)
}

// tryAcquire is acquire that does not wait: release is nil when somebody else has the lock.
func (s *Store) tryAcquire(ctx context.Context) (release func(), err error) {
	select {
	case <-s.turn:
	default:
		return nil, nil
	}
	release, err = s.tryLock(ctx)
	if release == nil && err == nil {
		s.turn <- struct{}{}
	}
	return release, err
}

// tryLock is called with the turn taken. It returns nil and no error, and leaves the turn taken, when another process has
// the lock; after an error the turn is given back.
func (s *Store) tryLock(ctx context.Context) (release func(), err error) {
	release = func() {
		if s.debt != nil && !s.atOnce {
			s.putOff()
			return
		}
		defer func() { s.turn <- struct{}{} }()
		defer s.unlock()
		s.settle()
	}
	defer func() {
		if err != nil {
			release()
			release = nil
		}
	}()
	s.takeOver()
	if err := s.InPlace(); err != nil {
		return release, err
	}
	if !s.lock.Ready() {
		if err := s.makeLock(); err != nil {
			return release, fmt.Errorf("vault %s: cannot be locked for writing: %w", s.dir, err)
		}
	}
	s.letOthers()
	ok, err := s.lock.Try()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // .local/ was deleted just now; it is made again
	}
	if err != nil {
		return release, fmt.Errorf("vault %s: cannot be locked for writing: %w", s.dir, disk.Denied(lockPath, err))
	}
	if !ok {
		return nil, nil
	}
	info, ok := s.lock.Holds()
	if !ok { // deleted, and made again or not, since it was opened
		s.lock.Drop()
		return nil, nil
	}
	s.signIn(info)
	s.numbered = false
	if err := s.mend(ctx); err != nil {
		if errors.Is(err, fs.ErrNotExist) && !s.holds() { // .local/ was deleted meanwhile
			s.lock.Drop()
			return nil, nil
		}
		return release, err
	}
	return release, nil
}

// unlock gives back the lock.
func (s *Store) unlock() {
	s.numbered = false
	_ = s.lock.Unlock()
	s.freed = time.Now()
}

// InPlace reports an error if the vault's folder is no longer the one that was opened.
func (s *Store) InPlace() error {
	now, err := os.Stat(s.dir)
	if err != nil {
		return fmt.Errorf("vault %s: was moved or deleted; open it at its new place: %w", s.dir, err)
	}
	if !os.SameFile(s.opened, now) {
		return fmt.Errorf("vault %s: %w", s.dir, mdstore.ErrReplaced)
	}
	return nil
}

// makeLock makes .local/ and the file of the lock where they are missing. The file is made here, below
// the vault whatever links there are; locking only opens it.
func (s *Store) makeLock() error {
	if err := disk.InTheWay(s.disk, mdstore.LocalDir, true); err != nil {
		return err
	}
	if err := s.makeLocal(); err != nil {
		return err
	}
	if err := disk.InTheWay(s.disk, lockPath, false); err != nil {
		return err
	}
	f, err := s.root.OpenFile(string(lockPath), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
		return nil // it is there, or somebody else makes or deletes it at this moment; locking sees what came of it
	}
	if err != nil {
		return disk.Denied(mdstore.LocalDir, err)
	}
	return f.Close()
}

// makeLocal makes .local/ where it is missing, and in it the file that keeps it out of git. The vault's own does so, too, but goes with the vault where a branch without it is checked out:
// what belongs to this machine, a token among it, stays behind, and must not be added there.
func (s *Store) makeLocal() error {
	if err := s.disk.Mkdir(mdstore.LocalDir); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if err := s.disk.Create(localIgnore, []byte("*\n"), ""); err != nil && !errors.Is(err, fs.ErrExist) {
		s.log.Debug("what belongs to this machine cannot be kept out of git", "error", err)
	}
	return nil
}

// inTheWay returns what lies in the place of something in .local/ that every commit needs, or keeps this user from the lock; nil for nothing.
func (s *Store) inTheWay() error {
	for _, p := range []struct {
		path   mdstore.Path
		folder bool
	}{{mdstore.LocalDir, true}, {lockPath, false}, {sequencePath, false}, {txn.JournalDir, true}} {
		if err := disk.InTheWay(s.disk, p.path, p.folder); err != nil {
			return err // what lies below it needs no word of its own
		}
	}
	return s.mayMake(lockPath)
}

// mayMake returns why this user may not write to what is at p or, where that is missing, to the next folder above it.
func (s *Store) mayMake(p mdstore.Path) error {
	for ; ; p = p.Dir() {
		err := s.disk.MayWrite(p)
		switch {
		case !errors.Is(err, fs.ErrNotExist):
			return err
		case p == "":
			return nil // the vault is gone, as reading it says
		}
	}
}

// holds reports whether the file that is locked is still the one that others would lock.
func (s *Store) holds() bool {
	_, ok := s.lock.Holds()
	return ok
}

// signIn writes into the lock who holds it, for the messages of others, and as a sign that somebody gets on. Where the file, which is as info says, was last
// written by this store a moment ago, it says so still.
func (s *Store) signIn(info disk.Info) {
	now := s.now()
	if s.signed != (mdstore.Stamp{}) && s.signed == info.Stamp && now.Sub(s.signedAt).Abs() < beat {
		return
	}
	after, err := s.lock.Write(fmt.Sprintf("process %d\n", os.Getpid()), info)
	if err != nil {
		return
	}
	s.signed, s.signedAt = after.Stamp, now
}

func (s *Store) holder() string {
	data, err := s.disk.ReadFile(lockPath, 100)
	if who := strings.TrimSpace(string(data)); err == nil && who != "" {
		return who
	}
	return "another process"
}

// unfinished reports whether somebody began to commit and did not end, be it because they are still at it.
func (s *Store) unfinished() (bool, error) {
	if n, ok := s.readSequence(); ok && n%2 == 1 {
		return true, nil
	}
	return s.committer.Pending()
}

// mend finishes what a crash left. The lock is held.
func (s *Store) mend(ctx context.Context) error {
	n, ok := s.heldSequence()
	if ok && n == s.last && n != 0 {
		return s.attend() // nobody has committed since this store did, which left nothing behind
	}
	s.calm.Store(false)
	s.committer.Forget()
	unfinished, err := s.unfinished()
	if err != nil {
		return fmt.Errorf("vault %s: nothing is written before its journal can be read: %w", s.dir, err)
	}
	if !unfinished {
		return s.attend()
	}
	if err := s.gitBusy(); err != nil { // who wants to write waits for git without the lock
		return fmt.Errorf("vault %s: an earlier commit is unfinished: %w", s.dir, err)
	}
	if err := s.committer.Recover(); err != nil {
		return fmt.Errorf("vault %s: an earlier commit is unfinished, and nothing is written before it is finished: %w", s.dir, err)
	}
	if err := s.committer.Sweep(); err != nil {
		return fmt.Errorf("vault %s: temporary files of a crash cannot be removed: %w", s.dir, err)
	}
	if err := s.endSequence(); err != nil {
		return err
	}
	return s.attend()
}
