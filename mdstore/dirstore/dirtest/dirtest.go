// Package dirtest opens vaults in folders whose writers die: at a step of the disk that a test names, a commit stops as that of
// a killed process does, and leaves on the disk what it leaves.
package dirtest

import (
	"errors"

	"arbor/mdstore"
	"arbor/mdstore/dirstore"
	"arbor/mdstore/dirstore/internal/disk"
)

// A Life counts the steps of the stores that are opened with it: the calls to the disk that change something. The zero Life never ends.
type Life struct {
	Steps  int            // begun so far
	At     int            // the step that is death; 0 means none
	Before func(step int) // called before each step, if it is not nil: what others do in the midst of a commit
	Hasty  bool           // what is written need not survive more than the process, so that nothing waits for the disk
}

// errDead is what a step panics with from which on a process is to be dead.
var errDead = errors.New("dead")

// Open opens the vault in a folder. Its commits are mortal; what a store writes besides, its lock and its number, is not.
func (l *Life) Open(dir string, opt dirstore.Options) (*dirstore.Store, error) {
	opt.Through = func(d disk.FS) disk.FS { return mortal{d, l} }
	return dirstore.Open(dir, opt)
}

// Lives calls f and reports whether it returned. If it did not, the disk is as a killed process leaves it. The store that
// died is good for nothing but to be closed.
func (l *Life) Lives(f func()) (alive bool) {
	defer func() {
		if p := recover(); p != nil && p != errDead {
			panic(p)
		}
	}()
	f()
	return true
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

// mortal is a disk whose steps end with a life.
type mortal struct {
	disk.FS
	l *Life
}

func (m mortal) Mkdir(p mdstore.Path) error { m.l.step(); return m.FS.Mkdir(p) }
func (m mortal) Create(p mdstore.Path, data []byte, like mdstore.Path) error {
	m.l.step()
	return m.FS.Create(p, data, like)
}
func (m mortal) Sync(p mdstore.Path) error     { return m.durable(p, m.FS.Sync) }
func (m mortal) SyncData(p mdstore.Path) error { return m.durable(p, m.FS.SyncData) }

func (m mortal) durable(p mdstore.Path, sync func(mdstore.Path) error) error {
	m.l.step()
	if m.l.Hasty {
		_, err := m.Lstat(p)
		return err
	}
	return sync(p)
}
func (m mortal) SyncDir(p mdstore.Path) error {
	m.l.step()
	if m.l.Hasty {
		if p == "" {
			return nil
		}
		_, err := m.Lstat(p)
		return err
	}
	return m.FS.SyncDir(p)
}
func (m mortal) Overwrite(p mdstore.Path, data []byte) error {
	m.l.step()
	return m.FS.Overwrite(p, data)
}
func (m mortal) Exchange(a, b mdstore.Path) error      { m.l.step(); return m.FS.Exchange(a, b) }
func (m mortal) RenameNew(from, to mdstore.Path) error { m.l.step(); return m.FS.RenameNew(from, to) }
func (m mortal) Rename(from, to mdstore.Path) error    { m.l.step(); return m.FS.Rename(from, to) }
func (m mortal) Remove(p mdstore.Path) error           { m.l.step(); return m.FS.Remove(p) }
