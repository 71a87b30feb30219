package crashtest

import (
	"errors"
	"fmt"
	"sync"

	"arbor/mdstore"
	"arbor/mdstore/dirstore"
	"arbor/mdstore/dirstore/internal/osfs"
)

// A Life counts the steps of the stores that are opened with it, the calls to the disk that change something, and may
// end at one of them, as a process that is killed. The zero Life never ends.
type Life struct {
	Steps  int            // begun so far
	At     int            // the step that is death; 0 means none
	Before func(step int) // called before each step, if it is not nil: what others do in the midst of a commit
	Hasty  bool           // nothing waits for the disk: what is written need not survive more than the process
}

// errDead is what each step of a dead process panics with.
var errDead = errors.New("dead")

// Open opens the vault in a folder. Its commits are mortal; what a store writes besides, its lock and its generation,
// is not.
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
	if l.At > 0 && l.Steps >= l.At { // not the clean-up of an error either
		panic(errDead)
	}
	if l.Before != nil {
		l.Before(l.Steps)
	}
}

// Lives calls f and reports whether it returned. If it did not, the disk is as a killed process leaves it. The store
// that died is good for nothing but to be closed.
func (l *Life) Lives(f func()) (alive bool) {
	defer func() {
		if p := recover(); p != nil && p != errDead {
			panic(p)
		}
	}()
	f()
	return true
}

// A Trouble is a disk that refuses one call of the commits that are made on it, and waits for nothing. The zero
// Trouble refuses none, and counts.
type Trouble struct {
	Calls int    // made so far, reading ones among them
	At    int    // the call that fails; 0 means none
	Err   error  // what it fails with
	What  string // the call that failed, "" before

	mu sync.Mutex // held during a call: documents are read side by side
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

// A disk asks before each call whether it may be made.
type disk struct {
	osfs.FS
	hasty bool
	ask   func(call string, changes bool) error
}

// may asks for a call, and makes it.
func (d disk) may(call string, p mdstore.Path, do func() error) error {
	if err := d.ask(call+" "+string(p), true); err != nil {
		return err
	}
	return do()
}

// get asks for a call that only reads, and makes it.
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
