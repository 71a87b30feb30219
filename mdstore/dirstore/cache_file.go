package dirstore

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"io/fs"
	"net/url"
	"strings"

	"arbor/mdstore"
)

// cacheDir holds one file for each workspace, so that scanning one workspace does not read the caches of the others.
// Anything in it may be deleted at any time.
const cacheDir = mdstore.Path(mdstore.LocalDir + "/cache")

const (
	cacheMost = 1 << 30 // bytes of a cache file; load ignores a larger file, which this program did not write

	// save writes a cache again when more than 1/staleShare of its entries, or more than staleMost of them, are stale.
	// A large file counts as one more stale entry for each staleBytes, because each process that starts from this cache
	// has to read the file.
	staleMost  = 256
	staleShare = 20
	staleBytes = 2 << 10
)

// cachePath returns the path of a workspace's cache file. The file's name is the workspace's path, in which the slash
// of the archive is escaped.
func cachePath(under mdstore.Path) mdstore.Path { return cacheDir.Join(url.PathEscape(string(under))) }

// load returns the tree that the cache file of a workspace holds, or nil if there is no valid cache file. It removes an
// invalid one.
func (s *scans) load(under mdstore.Path) *tree {
	p := cachePath(under)
	if s.plainWay(p, false) != nil {
		return nil
	}
	text, err := s.readCache(p)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var t *tree
	if err == nil {
		t = decode(text, s.kinds, under)
	}
	if t == nil {
		s.log.Debug("a cache is damaged, or of another version", "workspace", under, "error", err)
		_ = s.disk.Remove(p)
	}
	return t
}

// readCache returns the text of a cache file after its checksum. The cache file of a large plan is large, so readCache
// copies it only once: the tree shares the memory of this text.
func (s *scans) readCache(p mdstore.Path) (string, error) {
	info, err := s.disk.Stat(p)
	if err != nil || !info.Mode.IsRegular() || info.Size > cacheMost {
		return "", fs.ErrNotExist
	}
	f, err := s.disk.R.Open(string(p))
	if err != nil {
		return "", fs.ErrNotExist
	}
	defer f.Close()
	var is [crc32.Size]byte
	if _, err := io.ReadFull(f, is[:]); err != nil {
		return "", err
	}
	var text strings.Builder
	text.Grow(int(info.Size))
	sum := crc32.NewIEEE()
	if _, err := io.Copy(io.MultiWriter(&text, sum), io.LimitReader(f, cacheMost)); err != nil {
		return "", err
	}
	if sum.Sum32() != binary.LittleEndian.Uint32(is[:]) {
		return "", errors.New("the checksum differs")
	}
	return text.String(), nil
}

// save writes the cache file of a workspace if too much of it is stale, and returns the number of bytes that it wrote.
// A failure only costs the next process time. The caller holds t.mu.
func (s *scans) save(t *tree) int {
	if t.stale == 0 || t.total > 0 && t.stale <= min(staleMost, t.total/staleShare) || !s.mayCache() {
		return 0
	}
	data, total := encode(t, s.kinds)
	err := s.replace(cachePath(t.under), data, 0o600) // the cache has content of files that other users may not read
	if err != nil {
		s.log.Debug("a cache cannot be written", "workspace", t.under, "error", err)
		return 0
	}
	t.stale, t.total = 0, total
	s.removeOldCaches()
	return len(data)
}

// mayCache makes the folder of the caches and reports whether it is there. If .local/ is missing, mayCache makes it
// only in a vault that has a .gitignore, such as a fresh clone: reading a folder must not add files to it.
func (s *scans) mayCache() bool {
	if !s.plainFolder(mdstore.LocalDir) {
		if info, err := s.disk.Stat(mdstore.IgnoreFile); err != nil || !info.Mode.IsRegular() || s.makeLocal() != nil {
			return false
		}
	}
	return s.plainWay(cachePath("x"), true) == nil
}

// removeOldCaches removes the caches of workspaces that no longer exist, and temporary files. A process that loses its
// temporary file this way writes its cache another time.
func (s *scans) removeOldCaches() {
	files, err := s.disk.ReadDir(cacheDir)
	if err != nil {
		return
	}
	for _, f := range files {
		under, err := url.PathUnescape(f.Name)
		if err != nil || !mdstore.Path(under).Valid() || !s.plainFolder(mdstore.Path(under)) {
			_ = s.disk.Remove(cacheDir.Join(f.Name)) // this removes only empty folders
		}
	}
}
