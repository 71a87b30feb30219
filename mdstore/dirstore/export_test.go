package dirstore

import (
	"encoding/binary"
	"hash/crc32"
	"strings"
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

// Unread reports whether a commit that is made now does not read git's index, as it has several versions of no file.
func Unread(s *Store) bool { return s.merged.Proven }

// CachePath returns the path of a workspace's cache file.
func CachePath(under mdstore.Path) string { return string(cachePath(under)) }

// Forget has a store know no more than the caches say.
func Forget(s *Store) {
	s.scans.mu.Lock()
	defer s.scans.mu.Unlock()
	clear(s.trees)
}

// Contradictions returns cache files with a right checksum whose columns contradict each other.
func Contradictions(data []byte) map[string][]byte {
	out := map[string][]byte{}
	for name, change := range map[string]func(*cache){
		"more entries than rows":  func(c *cache) { c.entries = "\xff\xff\xff\x7f" + c.entries[1:] },
		"a negative count":        func(c *cache) { c.entries = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01" + c.entries[1:] },
		"a count without an end":  func(c *cache) { c.entries = strings.Repeat("\xff", 100) },
		"too few folders":         func(c *cache) { c.entries = c.entries[:1] },
		"too few stamps":          func(c *cache) { c.stamps = c.stamps[:5] },
		"an unknown kind":         func(c *cache) { c.kinds = "\xc8" + c.kinds[1:] },
		"facts that are too long": func(c *cache) { c.lengths = "\xff\xff\x7f" + c.lengths[1:] },
		"no versions":             func(c *cache) { c.versions = "" },
	} {
		c := parse(string(data[crc32.Size:]))
		change(c)
		out[name] = c.bytes()
	}
	longer := append([]byte{}, data...)
	longer[crc32.Size] = 0x7f // the first column, longer than the file
	binary.LittleEndian.PutUint32(longer, crc32.ChecksumIEEE(longer[crc32.Size:]))
	out["a column that is too long"] = longer
	return out
}

// FolderError is why a folder cannot be looked into.
var FolderError = folderError
