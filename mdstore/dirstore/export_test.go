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

// CachePath returns the path of a workspace's cache file.
func CachePath(under mdstore.Path) string { return string(cachePath(under)) }

// Forget has a store know no more than the caches say.
func Forget(s *Store) {
	s.scans.mu.Lock()
	defer s.scans.mu.Unlock()
	clear(s.trees)
}
