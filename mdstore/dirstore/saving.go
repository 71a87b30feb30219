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
	saveQuiet  = 100 * time.Millisecond // a save counts as complete after this long without a change
	saveWait   = time.Second            // how long a commit waits for that
	clockSlack = 20 * time.Millisecond  // how far the stamps of files may lag behind
)

// A savingError is a *mdstore.BusyError: a file is being saved by another program.
type savingError struct{ *mdstore.BusyError }

func (e *savingError) Unwrap() error { return e.BusyError }

// fsNow returns the time by the file system's clock, in Unix nanoseconds. On a network file system that is the clock of
// another machine; sign measures how far it differs.
func (s *Store) fsNow() int64 { return time.Now().UnixNano() + s.skew.Load() }

// changedAt returns when a file was last changed or renamed, in Unix nanoseconds by the file system's clock.
func changedAt(st mdstore.Stamp) int64 { return cmp.Or(st.Ctime, st.Mtime) }

// age returns how long ago a file was changed; -1 if unknown because the clock was set back since.
func (s *Store) age(st mdstore.Stamp) time.Duration {
	if age := time.Duration(s.fsNow() - changedAt(st)); age > -time.Second {
		return max(age, 0)
	}
	return -1
}

// quietFor returns a *savingError if another program seems to be saving the file at p: it has the file open for
// writing, or the file changed less than s.saveQuiet ago. The time does not matter if own says that Arbor wrote this
// version, or if it is unknown. If s.saveQuiet is negative, quietFor returns nil.
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

// settled returns an error if a change must not be made now: a *savingError while its file is being saved, or a
// *mdstore.ConflictError if the file was saved from an older version and now holds both. The lock is held.
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
	own := recent && newest == ch.Base.String() // not any version of Arbor's: an older one may have come back
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
		if errors.Is(err, fs.ErrNotExist) { // some editors remove the file first
			p = p.Dir()
			info, err = s.disk.Lstat(p)
		}
		if err == nil && s.quietFor(p, info, own) != nil {
			return ctx.Err() == nil
		}
	}
	return false
}
