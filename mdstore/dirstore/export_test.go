package dirstore

import (
	"encoding/binary"
	"hash/crc32"
	"strings"
	"time"

	"arbor/mdstore"
	"arbor/mdstore/dirstore/internal/osfs"
)

// OpenThrough is Open with a file system for commits that wrap returns.
func OpenThrough(dir string, opt Options, wrap func(osfs.FS) osfs.FS) (*Store, error) {
	opt.Through = wrap
	return Open(dir, opt)
}

// Ahead sets the clock of a store ahead, so that new files seem to be unchanged for that long.
func Ahead(s *Store, by time.Duration) {
	s.now = func() time.Time { return time.Now().Add(by) }
}

// Unread reports whether a commit would skip reading git's index now, as the store knows that no file in it is
// unmerged.
func Unread(s *Store) bool { return s.merged.Proven }

// CachePath returns the path of a workspace's cache file.
func CachePath(under mdstore.Path) string { return string(cachePath(under)) }

// Forget clears what a store remembers, except the cache files.
func Forget(s *Store) {
	s.scans.mu.Lock()
	defer s.scans.mu.Unlock()
	clear(s.trees)
}

// Contradictions returns cache files with a correct checksum, but inconsistent columns.
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

// FolderError returns the error of reading a folder.
var FolderError = folderError
