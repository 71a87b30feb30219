package dirstore

import (
	"time"

	"arbor/mdstore/dirstore/internal/disk"
)

// OpenThrough is Open of a vault whose commits go through wrap.
func OpenThrough(dir string, opt Options, wrap func(disk.FS) disk.FS) (*Store, error) {
	opt.Through = wrap
	return Open(dir, opt)
}

// Ahead has a store stamp files by a clock that is ahead by so much: files that were made just now have been left alone for as long.
func Ahead(s *Store, by time.Duration) {
	s.now = func() time.Time { return time.Now().Add(by) }
}

// Plainly has a store skim as it does where folders cannot be looked at in fewer calls.
func Plainly(s *Store) {
	s.leavesOf = func(disk.Folder, string) *disk.Leaves { return nil }
}

// Uncounted has a store skim as it does where a folder's number of links tells nothing.
func Uncounted(s *Store) {
	s.leavesOf = func(f disk.Folder, name string) *disk.Leaves {
		l := disk.LeavesOf(f, name)
		if l != nil {
			l.Counts = false
		}
		return l
	}
}
