//go:build !linux && !darwin

package disk

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"arbor/mdstore"
)

// A Lock is a file that one process can have locked at a time. It is opened each time, as an open file could not be deleted.
type Lock struct {
	r    Root
	p    mdstore.Path
	lock *flock.Flock
}

// Lock returns the lock of the file at p; dir is the place of the folder. It must be closed. It is not safe for concurrent use.
func (r Root) Lock(dir string, p mdstore.Path) *Lock {
	return &Lock{r, p, flock.New(filepath.Join(dir, filepath.FromSlash(string(p))), flock.SetFlag(os.O_RDWR))}
}

// Ready reports whether the file is open; if it is not, Try opens it, and it has to exist.
func (l *Lock) Ready() bool { return false }

// Try takes the lock, and reports false where somebody else has it. Whether its file is still the one that others would lock, Holds says.
func (l *Lock) Try() (bool, error) { return l.lock.TryLock() }

// Holds describes the file of the lock; ok is false where it is not the one any more that others would lock.
func (l *Lock) Holds() (info Info, ok bool) {
	locked, err := l.lock.Stat()
	if err != nil {
		return Info{}, false
	}
	fi, err := l.r.R.Lstat(native(l.p))
	if err != nil || !os.SameFile(locked, fi) {
		return Info{}, false
	}
	return describe(fi), true
}

// Write makes the file hold text, which says who has the lock.
func (l *Lock) Write(text string, _ Info) (Info, error) {
	f, err := l.r.R.OpenFile(native(l.p), os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return Info{}, err
	}
	_, err = f.WriteString(text)
	return Info{}, errors.Join(err, f.Close())
}

// Unlock gives the lock back.
func (l *Lock) Unlock() error { return l.lock.Unlock() }

// Drop gives the lock back.
func (l *Lock) Drop() { _ = l.lock.Unlock() }

// Close releases the file, and with it the lock.
func (l *Lock) Close() error { return l.lock.Close() }
