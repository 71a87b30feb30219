//go:build linux || darwin

package disk

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"

	"arbor/mdstore"
)

// A Lock is a file that one process can have locked at a time. The file stays open meanwhile.
type Lock struct {
	r    Root
	p    mdstore.Path
	f    *os.File // nil: not open
	is   Info     // of f when it was opened
	held bool
}

// Lock returns the lock of the file at p; dir is the place of the folder. It must be closed. It is not safe for concurrent use.
func (r Root) Lock(_ string, p mdstore.Path) *Lock { return &Lock{r: r, p: p} }

// Ready reports whether the file is open; if it is not, Try opens it, and it has to exist.
func (l *Lock) Ready() bool { return l.f != nil }

// Try takes the lock, and reports false where somebody else has it. Whether its file is still the one that others would lock, Holds says.
func (l *Lock) Try() (bool, error) {
	if l.f == nil {
		f, err := l.r.R.OpenFile(native(l.p), os.O_RDWR, 0)
		if err != nil {
			return false, absent(err)
		}
		fi, err := f.Stat()
		if err != nil {
			return false, errors.Join(err, f.Close())
		}
		l.f, l.is = f, describe(fi)
	}
	ok, err := tryLock(l.f)
	l.held = ok
	return ok, err
}

// Holds describes the file of the lock; ok is false where it is not the one any more that others would lock.
func (l *Lock) Holds() (info Info, ok bool) {
	if !l.held {
		return Info{}, false
	}
	info, err := l.r.named(l.p)
	return info, err == nil && sameFile(info, l.is)
}

// Write makes the file hold text, which says who has the lock, and returns what it is then.
func (l *Lock) Write(text string, was Info) (Info, error) {
	_, err := l.f.WriteAt([]byte(text), 0)
	if err == nil && was.Size != int64(len(text)) {
		err = l.f.Truncate(int64(len(text)))
	}
	if err != nil {
		return Info{}, err
	}
	fi, err := l.f.Stat()
	if err != nil {
		return Info{}, err
	}
	return describe(fi), nil
}

// Unlock gives the lock back. The file stays open, and may be deleted all the same.
func (l *Lock) Unlock() error {
	if l.f == nil {
		return nil
	}
	var err error
	if l.held {
		err = unlock(l.f)
		l.held = false
	}
	if err != nil {
		err = errors.Join(err, l.Close())
	}
	return err
}

// Drop gives the lock back and closes a file that others would not lock.
func (l *Lock) Drop() { _ = l.Close() }

// Close releases the file, and with it the lock.
func (l *Lock) Close() error {
	if l.f == nil {
		return nil
	}
	err := l.f.Close()
	l.f, l.held = nil, false
	return err
}

func tryLock(f *os.File) (bool, error) {
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch err {
		case nil:
			return true, nil
		case unix.EINTR:
			continue
		case unix.EWOULDBLOCK:
			return false, nil
		}
		return false, &os.PathError{Op: "lock", Path: f.Name(), Err: err}
	}
}

func unlock(f *os.File) error {
	for {
		if err := unix.Flock(int(f.Fd()), unix.LOCK_UN); err != unix.EINTR {
			return err
		}
	}
}
