package dirstore

import (
	"time"

	"arbor/mdstore"
	"arbor/mdstore/dirstore/internal/osfs"
)

// OpenThrough is Open of a vault whose commits go through wrap.
func OpenThrough(dir string, opt Options, wrap func(osfs.FS) osfs.FS) (*Store, error) {
	opt.Through = wrap
	return Open(dir, opt)
}

// Ahead has a store stamp files by a clock that is ahead by so much: files that were made just now have been left alone for as long.
func Ahead(s *Store, by time.Duration) {
	s.now = func() time.Time { return time.Now().Add(by) }
}

// Rebooted has a store live in another run of the system than the others.
func Rebooted(s *Store) { s.boot += " and another one" }

// Plainly has a store skim as it does where folders cannot be looked at in fewer calls.
func Plainly(s *Store) {
	s.leavesOf = func(osfs.Folder, string) *osfs.Leaves { return nil }
}

// Uncounted has a store skim as it does where a folder's number of links tells nothing.
func Uncounted(s *Store) {
	s.leavesOf = func(f osfs.Folder, name string) *osfs.Leaves {
		l := osfs.LeavesOf(f, name)
		if l != nil {
			l.Counts = false
		}
		return l
	}
}

// HasIndex reports whether a workspace has an index that can be read.
func HasIndex(s *Store, under mdstore.Path) bool {
	_, err := s.readIndex(under)
	return err == nil
}

// IndexPath returns the path of a workspace's index.
func IndexPath(s *Store, under mdstore.Path) string { return string(indexPath(under)) }

// HoldIndex keeps indexes from being written until they are let.
func HoldIndex(s *Store) (let func()) {
	s.indexMu.Lock()
	return s.indexMu.Unlock
}

// AwaitIndex waits for the index that is being written.
func AwaitIndex(s *Store) { s.indexing.Wait() }

// Waiting has a store skim as it does where it waits for the disk from the beginning.
func Waiting(s *Store) { s.waiting = 0 }
