package crashtest

import (
	"errors"
	"fmt"
	"sync"

	"arbor/mdstore"
	"arbor/mdstore/dirstore"
	"arbor/mdstore/dirstore/internal/osfs"
)

// A Life counts the steps of the stores that are opened with it. A step is a call to the disk that changes something.
// At the step At the process dies, as if killed. The zero Life never ends.
type Life struct {
	Steps  int            // steps begun so far
	At     int            // the step at which the process dies; 0 means never
	Before func(step int) // called before each step, if it is not nil, for changes by others during a commit
	Hasty  bool           // syncs are skipped: data need only survive the process, not a power failure
}

// errDead is the panic value of each step of a dead process.
var errDead = errors.New("dead")

// Open opens the vault in a folder. Only steps of commits count, not the writes of the lock and the generation.
func (l *Life) Open(dir string, opt dirstore.Options) (*dirstore.Store, error) {
	opt.Through = func(d osfs.FS) osfs.FS {
		return disk{d, l.Hasty, func(_ string, changes bool) error {
			if changes {
				l.step()
			}
			return nil
		}}
	}
	return dirstore.Open(dir, opt)
}

func (l *Life) step() {
	l.Steps++
	if l.At > 0 && l.Steps >= l.At { // after death, also the clean-up of an error is refused
		panic(errDead)
	}
	if l.Before != nil {
		l.Before(l.Steps)
	}
}

// Lives calls f and reports whether it returned. If it did not, the disk is as a killed process leaves it, and the
// store can only be closed.
func (l *Life) Lives(f func()) (alive bool) {
	defer func() {
		if p := recover(); p != nil && p != errDead {
			panic(p)
		}
	}()
	f()
	return true
}

// A Trouble is a disk that fails one call of its commits, and skips syncs. The zero Trouble only counts calls.
type Trouble struct {
	Calls int    // calls so far, including reads
	At    int    // the call that fails; 0 means none
	Err   error  // its error
	What  string // the failed call, "" if none has failed

	mu sync.Mutex // held during a call, as documents are read concurrently
}

// Open opens the vault in a folder.
func (t *Trouble) Open(dir string, opt dirstore.Options) (*dirstore.Store, error) {
	opt.Through = func(d osfs.FS) osfs.FS {
		return disk{d, true, func(call string, _ bool) error {
			t.mu.Lock()
			defer t.mu.Unlock()
			if t.Calls++; t.At == 0 || t.Calls != t.At {
				return nil
			}
			t.What = call
			return fmt.Errorf("%s: %w", call, t.Err)
		}}
	}
	return dirstore.Open(dir, opt)
}

// A disk calls ask before each of its calls. An error of ask fails the call.
type disk struct {
	osfs.FS
	hasty bool
	ask   func(call string, changes bool) error
}

// may makes a call if it is allowed.
func (d disk) may(call string, p mdstore.Path, do func() error) error {
	if err := d.ask(call+" "+string(p), true); err != nil {
		return err
	}
	return do()
}

// get makes a read-only call if it is allowed.
func get[T any](d disk, call string, p mdstore.Path, do func() (T, error)) (out T, err error) {
	if err = d.ask(call+" "+string(p), false); err != nil {
		return out, err
	}
	return do()
}

func (d disk) Lstat(p mdstore.Path) (osfs.Info, error) {
	return get(d, "lstat", p, func() (osfs.Info, error) { return d.FS.Lstat(p) })
}

func (d disk) ReadFile(p mdstore.Path, limit int64) (data []byte, info osfs.Info, err error) {
	data, err = get(d, "read", p, func() (data []byte, err error) {
		data, info, err = d.FS.ReadFile(p, limit)
		return data, err
	})
	return data, info, err
}

func (d disk) ReadDir(p mdstore.Path) ([]osfs.Entry, error) {
	return get(d, "read folder", p, func() ([]osfs.Entry, error) { return d.FS.ReadDir(p) })
}

func (d disk) Writers(p mdstore.Path) osfs.Writers {
	who, _ := get(d, "writers", p, func() (osfs.Writers, error) { return d.FS.Writers(p), nil })
	return who
}

// Create fails before it has made anything, or with half of the bytes written.
func (d disk) Create(p mdstore.Path, data []byte, like mdstore.Path) error {
	return d.may("create", p, func() error {
		if err := d.ask("write "+string(p), false); err != nil {
			_ = d.FS.Create(p, data[:len(data)/2], like)
			return err
		}
		return d.FS.Create(p, data, like)
	})
}

func (d disk) sync(p mdstore.Path, do func(mdstore.Path) error) error {
	return d.may("sync", p, func() error {
		if !d.hasty {
			return do(p)
		}
		_, err := d.FS.Lstat(p)
		return err
	})
}

func (d disk) Sync(p mdstore.Path) error    { return d.sync(p, d.FS.Sync) }
func (d disk) SyncDir(p mdstore.Path) error { return d.sync(p, d.FS.SyncDir) }

func (d disk) Mkdir(p mdstore.Path) error {
	return d.may("mkdir", p, func() error { return d.FS.Mkdir(p) })
}

func (d disk) Exchange(a, b mdstore.Path) error {
	return d.may("exchange", b, func() error { return d.FS.Exchange(a, b) })
}

func (d disk) RenameNew(from, to mdstore.Path) error {
	return d.may("rename", to, func() error { return d.FS.RenameNew(from, to) })
}

func (d disk) Rename(from, to mdstore.Path) error {
	return d.may("rename", to, func() error { return d.FS.Rename(from, to) })
}

func (d disk) Remove(p mdstore.Path) error {
	return d.may("remove", p, func() error { return d.FS.Remove(p) })
}
