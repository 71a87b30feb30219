package dirstore

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"time"

	"arbor/mdstore"
)

// indexDir holds an index of each workspace. Whatever lies there may be deleted at any time.
const indexDir = mdstore.Path(mdstore.LocalDir + "/index")

const (
	indexMost = 1 << 30     // bytes, beyond which it is not one of ours
	indexOld  = time.Minute // after which a file that nobody has renamed was left by somebody who died
)

// indexPath returns the path of a workspace's index.
func indexPath(under mdstore.Path) mdstore.Path {
	sum := sha256.Sum256([]byte(under))
	return indexDir.Join(hex.EncodeToString(sum[:8]))
}

// readIndex returns what an earlier process has kept of a workspace.
func (s *Store) readIndex(under mdstore.Path) (*ground, error) {
	for _, dir := range []mdstore.Path{mdstore.LocalDir, indexDir} {
		if info, err := s.disk.Lstat(dir); err != nil || !info.Mode.IsDir() {
			return nil, errNoIndex
		}
	}
	data, _, err := s.disk.ReadFile(indexPath(under), indexMost)
	if err != nil {
		return nil, errNoIndex
	}
	return decodeIndex(data, under)
}

// Keep writes the index of a workspace, in the background. It is worth nothing but time: it is not made durable, needs no lock, and who writes last wins.
func (s *Store) Keep(ctx context.Context, under mdstore.Path, known *mdstore.Skimmed) {
	if g := s.held(under, known); g != nil && ctx.Err() == nil {
		s.keep(g)
	}
}

// keep is Keep. Close waits for it. Of a workspace that is kept again before it was written, what came last is.
func (s *Store) keep(g *ground) {
	s.toIndex.Store(g.under, g)
	s.indexing.Go(func() {
		s.indexMu.Lock()
		defer s.indexMu.Unlock()
		last, ok := s.toIndex.LoadAndDelete(g.under)
		if !ok {
			return
		}
		if err := s.writeIndex(last.(*ground)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			s.log.Debug("the index cannot be written", "error", err)
		}
	})
}

// writeIndex writes an index where there is a .local/, or where one is no news to git because the vault has the file that says so, as a fresh clone; and through no link.
func (s *Store) writeIndex(g *ground) error {
	info, err := s.disk.Lstat(mdstore.LocalDir)
	if errors.Is(err, fs.ErrNotExist) {
		if at, err := s.disk.Lstat(mdstore.IgnoreFile); err != nil || !at.Mode.IsRegular() {
			return err
		}
		if err := s.makeLocal(); err != nil {
			return err
		}
		info, err = s.disk.Lstat(mdstore.LocalDir)
	}
	if err != nil || !info.Mode.IsDir() {
		return err
	}
	if err := s.disk.Mkdir(indexDir); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if info, err := s.disk.Lstat(indexDir); err != nil || !info.Mode.IsDir() {
		return err
	}
	data := encodeIndex(g)
	if data == nil {
		return nil
	}
	p := indexPath(g.under)
	temp := p + mdstore.Path("."+rand.Text())
	err = s.disk.Create(temp, nil, "")
	if err == nil {
		err = s.root.Chmod(string(temp), 0o600) // it says what files say that others may not read
	}
	if err == nil {
		err = s.fill(temp, data)
	}
	if err == nil {
		err = s.disk.Rename(temp, p)
		if info, ierr := s.disk.Lstat(p); err != nil && ierr == nil && info.Mode.IsDir() && s.disk.RenameNew(p, p+mdstore.Path("-"+rand.Text())) == nil {
			err = s.disk.Rename(temp, p) // somebody's folder lay in its place, and lies beside it now
		}
	}
	if err != nil {
		_ = s.disk.Remove(temp)
	}
	s.sweepIndex()
	return err
}

// fill writes a file that is there and empty.
func (s *Store) fill(p mdstore.Path, data []byte) error {
	f, err := s.root.OpenFile(string(p), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// sweepIndex removes what others have left who died while they wrote, and the indexes of workspaces that are gone.
func (s *Store) sweepIndex() {
	entries, err := s.disk.ReadDir(indexDir)
	if err != nil {
		return
	}
	there := map[mdstore.Path]bool{}
	for _, dir := range []mdstore.Path{"", mdstore.ArchiveDir} {
		folders, err := s.disk.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return
		}
		for _, f := range folders {
			there[indexPath(dir.Join(f.Name))] = true
		}
	}
	for _, e := range entries {
		p := indexDir.Join(e.Name)
		if there[p] || e.Type.IsDir() {
			continue
		}
		if len(e.Name) == 16 {
			_ = s.disk.Remove(p)
			continue
		}
		if info, err := s.disk.Lstat(p); err == nil && time.Since(time.Unix(0, info.Stamp.Mtime)) > indexOld {
			_ = s.disk.Remove(p)
		}
	}
}
