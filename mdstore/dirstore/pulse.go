package dirstore

import (
	"sync/atomic"
	"time"

	"arbor/mdstore"
	"arbor/mdstore/dirstore/internal/disk"
	"arbor/mdstore/dirstore/internal/txn"
)

// beat is how often a commit that takes long shows that it gets on.
const beat = time.Second

// A pulse is the disk of a commit: what is done on it is a sign for those who wait. The lock is held whenever something is.
type pulse struct {
	disk.FS
	show  func()
	parks func()       // called before a file is put where displaced files wait
	next  atomic.Int64 // Unix nanoseconds of the next sign; 0 before the first step
}

func (p *pulse) beat() {
	now := time.Now()
	next := p.next.Load()
	if next != 0 && now.UnixNano() <= next {
		return
	}
	if p.next.CompareAndSwap(next, now.Add(beat).UnixNano()) && next != 0 {
		p.show()
	}
}

// show makes another sign of the lock, which is held.
func (s *Store) show() {
	now := time.Now()
	_ = s.root.Chtimes(string(lockPath), now, now) // who waits may give up without it
}

func (p *pulse) Create(at mdstore.Path, data []byte, like mdstore.Path) error {
	p.beat()
	return p.FS.Create(at, data, like)
}
func (p *pulse) Mkdir(at mdstore.Path) error { p.beat(); return p.FS.Mkdir(at) }
func (p *pulse) Overwrite(at mdstore.Path, data []byte) error {
	p.beat()
	return p.FS.Overwrite(at, data)
}
func (p *pulse) SyncData(at mdstore.Path) error { p.beat(); return p.FS.SyncData(at) }
func (p *pulse) Sync(at mdstore.Path) error     { p.beat(); return p.FS.Sync(at) }
func (p *pulse) SyncDir(at mdstore.Path) error  { p.beat(); return p.FS.SyncDir(at) }
func (p *pulse) SyncAll(files, dirs []mdstore.Path) []error {
	p.beat()
	return disk.SyncAll(p.FS, files, dirs)
}
func (p *pulse) RemoveAll(files []mdstore.Path) ([]error, func()) {
	p.beat()
	return disk.RemoveAll(p.FS, files)
}
func (p *pulse) ReadStraight(at mdstore.Path, limit int64) ([]byte, disk.Info, bool) {
	return disk.ReadStraight(p.FS, at, limit)
}
func (p *pulse) Boot() string                     { return disk.Boot(p.FS) }
func (p *pulse) Straight(at mdstore.Path) bool    { return disk.Straight(p.FS, at) }
func (p *pulse) Exchange(a, b mdstore.Path) error { p.beat(); return p.FS.Exchange(a, b) }
func (p *pulse) RenameNew(from, to mdstore.Path) error {
	p.beat()
	if to.Under(txn.LateDir) {
		p.parks()
	}
	return p.FS.RenameNew(from, to)
}
func (p *pulse) Rename(from, to mdstore.Path) error { p.beat(); return p.FS.Rename(from, to) }
func (p *pulse) Remove(at mdstore.Path) error       { p.beat(); return p.FS.Remove(at) }
