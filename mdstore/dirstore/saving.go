package dirstore

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"time"

	"arbor/mdstore"
	"arbor/mdstore/dirstore/internal/osfs"
)

const (
	saveQuiet  = 100 * time.Millisecond // without a change, after which a save is taken for whole
	saveWait   = time.Second            // for which a commit waits for that
	clockSlack = 20 * time.Millisecond  // by which the stamps of files may lag behind
)

// A savingError is a *mdstore.BusyError: a file is being saved by another program.
type savingError struct{ *mdstore.BusyError }

func (e *savingError) Unwrap() error { return e.BusyError }

// fsNow returns the time in Unix nanoseconds by the clock that files are stamped by, which is another machine's on a
// network: the lock was written when it was taken, and tells how far that is off.
func (s *Store) fsNow() int64 { return time.Now().UnixNano() + s.skew.Load() }

// changedAt returns when a file was last changed or given its name, Unix nanoseconds by the same clock.
func changedAt(st mdstore.Stamp) int64 { return cmp.Or(st.Ctime, st.Mtime) }

// age returns how long ago a file was changed; -1 if unknown, as the clock was set back since.
func (s *Store) age(st mdstore.Stamp) time.Duration {
	if age := time.Duration(s.fsNow() - changedAt(st)); age > -time.Second {
		return max(age, 0)
	}
	return -1
}

// quietFor returns nil if no program is saving the file at p, which holds version: the history knows that as Arbor's
// own, or it was left alone for a moment and no program has it open for writing, as far as the system tells. Otherwise
// it is a *savingError.
func (s *Store) quietFor(p mdstore.Path, info osfs.Info, own bool) error {
	age := s.age(info.Stamp)
	if s.saveQuiet < 0 || (own || age < 0 || age >= s.saveQuiet) && s.disk.Writers(p) != osfs.Open {
		return nil
	}
	return beingSaved(p)
}

func beingSaved(p mdstore.Path) error {
	return &savingError{&mdstore.BusyError{What: string(p) + " is being saved by another program", Where: string(p),
		End: "wait until it is saved"}}
}

// settled returns an error if a change is not to be made now: its file is being saved, which is a *savingError; or it
// was saved from an older version, and holds both now, which is a *mdstore.ConflictError. The lock is held.
func (s *Store) settled(ch mdstore.Change) error {
	if ch.Keep || ch.To != "" || ch.Base.IsZero() || ch.Path.Under(mdstore.LocalDir) {
		return nil
	}
	info, err := s.disk.Lstat(ch.Path)
	if err != nil || !info.Mode.IsRegular() {
		return nil // the commit says so
	}
	recent := s.age(info.Stamp) < recordReach
	newest := lasts(s.gen.history())(ch.Path).version
	own := recent && newest == ch.Base.String() // an older version may have come back
	if err := s.quietFor(ch.Path, info, own); err != nil || own || !recent || s.kinds.Of(ch.Path) == nil || !s.recordedLately(ch.Path) {
		return err
	}
	merged, err := s.judging(ch.Path).mergeStale(ch.Path)
	if merged {
		return &mdstore.ConflictError{Paths: []mdstore.Path{ch.Path}}
	}
	return err
}

// Saving reports whether another program is saving one of these files.
func (s *Store) Saving(ctx context.Context, paths []mdstore.Path) bool {
	for _, p := range paths {
		data, info, err := s.disk.ReadFile(p, mdstore.MaxSize(p))
		own := err == nil && s.gen.wrote(p, mdstore.VersionOf(data))
		if errors.Is(err, fs.ErrNotExist) { // some editors take it away first
			p = p.Dir()
			info, err = s.disk.Lstat(p)
		}
		if err == nil && s.quietFor(p, info, own) != nil {
			return ctx.Err() == nil
		}
	}
	return false
}
