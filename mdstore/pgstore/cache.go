package pgstore

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"net/url"
	"os"
	"path/filepath"

	"arbor/mdstore"
	"arbor/mdstore/guard"
)

// CacheIn makes the store keep what it knows of workspaces in files of a folder of this person, so that a process need
// not read all texts of a plan. Anything in the folder may be deleted at any time.
func (s *Store) CacheIn(dir string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cache = dir
}

const (
	cacheMost = 1 << 30 // bytes

	staleMost  = 256 // a cache is written again when the facts of more files are missing in it,
	staleShare = 20  // or of one in that many
)

func (s *Store) cacheFile(under mdstore.Path) string {
	return filepath.Join(s.cache, url.PathEscape(string(under)))
}

func (s *Store) cacheForm(under mdstore.Path) string {
	return "arbor server cache 1\x00" + s.id + "\x00" + string(under) + "\x00" + mdstore.AllKinds().FormOfFacts()
}

// load returns what the cache has of a workspace, nil for nothing. s.mu must be held.
func (s *Store) load(under mdstore.Path) (t *tree) {
	if s.cache == "" {
		return nil
	}
	file := s.cacheFile(under)
	data, err := guard.ReadFile(filepath.Dir(file), filepath.Base(file), cacheMost)
	if err != nil || len(data) < crc32.Size || crc32.ChecksumIEEE(data[crc32.Size:]) != binary.LittleEndian.Uint32(data) {
		return nil
	}
	defer func() {
		if recover() != nil { // the lengths contradict each other
			t = nil
		}
	}()
	rest := string(data[crc32.Size:])
	num := func() int64 {
		n := int64(binary.LittleEndian.Uint64([]byte(rest[:8])))
		rest = rest[8:]
		return n
	}
	text := func() string {
		n := num()
		out := rest[:n]
		rest = rest[n:]
		return out
	}
	if text() != s.cacheForm(under) {
		return nil
	}
	t = &tree{whole: true, generation: num(), token: text()}
	n := num()
	t.rows, t.known = make([]row, n), make(map[mdstore.Path]*mdstore.Scanned, n)
	records := make([]mdstore.Scanned, n)
	for i := range t.rows {
		r := &t.rows[i]
		r.path = mdstore.Path(text())
		r.stamp = mdstore.Stamp{Size: num(), Mtime: num(), Inode: uint64(num()), Proven: true}
		rest = rest[copy(r.version[:], rest):]
		if has := num(); has == 1 {
			records[i] = mdstore.Scanned{Path: r.path, Stamp: r.stamp, Version: r.version, Facts: mdstore.Facts(text())}
			t.known[r.path] = &records[i]
		}
	}
	return t
}

// save writes the cache of a workspace if too much of it is stale. A failure only costs the next process time.
func (s *Store) save(under mdstore.Path, t *tree) {
	s.mu.Lock()
	dir := s.cache
	s.mu.Unlock()
	if dir == "" || t.stale == 0 || t.stale <= min(staleMost, len(t.rows)/staleShare) {
		return
	}
	out := make([]byte, crc32.Size)
	num := func(n int64) { out = binary.LittleEndian.AppendUint64(out, uint64(n)) }
	text := func(s string) {
		num(int64(len(s)))
		out = append(out, s...)
	}
	text(s.cacheForm(under))
	num(t.generation)
	text(t.token)
	num(int64(len(t.rows)))
	for _, r := range t.rows {
		text(string(r.path))
		num(r.stamp.Size)
		num(r.stamp.Mtime)
		num(int64(r.stamp.Inode))
		out = append(out, r.version[:]...)
		if k := t.known[r.path]; k != nil && k.Stamp == r.stamp {
			num(1)
			text(string(k.Facts))
		} else {
			num(0)
		}
	}
	binary.LittleEndian.PutUint32(out, crc32.ChecksumIEEE(out[crc32.Size:]))
	if err := replaceFile(s.cacheFile(under), out); err != nil {
		s.log.Debug("a cache cannot be written", "workspace", under, "error", err)
		return
	}
	t.stale = 0
}

// replaceFile writes a file of this person by a rename.
func replaceFile(name string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".arbor-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}
