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

// cacheDir holds one file for each workspace, so that a scan of one costs nothing of the others. Anything in it may be
// deleted at any time.
const cacheDir = mdstore.Path(mdstore.LocalDir + "/cache")

const (
	cacheMost = 1 << 30 // bytes of a cache file; a larger one is of another program

	// A cache is written again when more of its entries are stale than a twentieth of them, and in any case when more
	// than staleMost are. A large file counts as one for each staleBytes, as each process that reads it pays for them.
	staleMost  = 256
	staleShare = 20
	staleBytes = 2 << 10
)

// cachePath returns the path of a workspace's cache file, which tells the workspace: the archive's slash is escaped.
func cachePath(under mdstore.Path) mdstore.Path { return cacheDir.Join(url.PathEscape(string(under))) }

// load returns the tree of a workspace that its cache file holds, nil for none.
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

// readCache returns what follows the checksum of a cache file. Of a large plan it is much: it is read once, into the
// text of which the tree is made.
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

// save writes the cache file of a workspace where too much of it is stale, and returns the bytes that it wrote. A
// failure costs the next process time and nothing else. t.mu is held.
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

// mayCache makes the folder of the caches in a .local/ that is there. If it is missing it is made only in a vault
// whose .gitignore keeps it out of git, as in a fresh clone: a look at a folder is no reason to put something into it.
func (s *scans) mayCache() bool {
	if !s.plainFolder(mdstore.LocalDir) {
		if info, err := s.disk.Stat(mdstore.IgnoreFile); err != nil || !info.Mode.IsRegular() || s.makeLocal() != nil {
			return false
		}
	}
	return s.plainWay(cachePath("x"), true) == nil
}

// removeOldCaches removes the caches of workspaces that are gone, and temporary files: a process that is just writing
// one writes its cache again another time.
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
