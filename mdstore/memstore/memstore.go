// Package memstore is the mdstore.Store in memory: for tests, previews, and stores that write it elsewhere.
package memstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// A Store holds the files of a vault in memory. A folder exists as long as
// there is a file below it. It is safe for concurrent use; listing yields the files of the moment at which it began.
type Store struct {
	turn chan struct{} // holds one value while nobody may commit; a channel, so that waiting can be given up

	mu         sync.RWMutex
	files      map[mdstore.Path][]byte // the bytes never change
	below      map[mdstore.Path]int    // the number of files below each folder, at any depth
	written    map[mdstore.Path]uint64 // the number of each file's last write
	writes     uint64
	generation uint64
	docs       map[string][]byte
}

var (
	_ mdstore.Store   = (*Store)(nil)
	_ mdstore.History = (*Store)(nil)
	_ mdstore.Docs    = (*Store)(nil)
	_ mdstore.Scanner = (*Store)(nil)
	_ mdstore.Local   = (*Store)(nil)
)

// New returns a store that holds a copy of files, which may be nil. It panics if a path is not valid.
func New(files map[mdstore.Path][]byte) *Store {
	s := &Store{turn: make(chan struct{}, 1), files: make(map[mdstore.Path][]byte, len(files)), below: map[mdstore.Path]int{}, written: map[mdstore.Path]uint64{}}
	for p, data := range files {
		if !p.Valid() {
			panic(fmt.Sprintf("memstore: %q is no path inside of a vault", p))
		}
		s.set(p, clone(data))
	}
	return s
}

// set stores data, without copying it, as the file at p; nil removes the file.
func (s *Store) set(p mdstore.Path, data []byte) {
	_, had := s.files[p]
	if has := data != nil; had != has {
		for dir := p.Dir(); dir != ""; dir = dir.Dir() {
			if has {
				s.below[dir]++
			} else if s.below[dir]--; s.below[dir] == 0 {
				delete(s.below, dir)
			}
		}
	}
	if data == nil {
		delete(s.files, p)
		delete(s.written, p)
	} else {
		s.files[p] = data
		s.writes++
		s.written[p] = s.writes
	}
}

// Put writes data to the file at p, or removes it if data is nil. It acts like a person's save: it waits for no lock
// and is not a commit.
func (s *Store) Put(p mdstore.Path, data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if data != nil {
		data = clone(data)
	}
	s.set(p, data)
}

// clone returns a copy that is never nil.
func clone(data []byte) []byte { return append([]byte{}, data...) }

// Files returns a copy of all files.
func (s *Store) Files() map[mdstore.Path][]byte {
	s.mu.RLock()
	defer s.mu.RUnlock()
	out := make(map[mdstore.Path][]byte, len(s.files))
	for p, data := range s.files {
		out[p] = clone(data)
	}
	return out
}

// SetDoc makes data a document of the project, for ReadDoc. target is a path relative to the project's folder.
func (s *Store) SetDoc(target string, data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.docs == nil {
		s.docs = map[string][]byte{}
	}
	s.docs[path.Clean(target)] = clone(data)
}

// ReadDoc returns a document that SetDoc has made.
func (s *Store) ReadDoc(ctx context.Context, target string, _ int64) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	name := path.Clean(target)
	data, ok := s.docs[name]
	switch {
	case ok:
		return clone(data), nil
	case strings.HasPrefix(target, "file:"), path.IsAbs(name), name == "..", strings.HasPrefix(name, "../"):
		return nil, &fs.PathError{Op: "read document", Path: target, Err: fs.ErrPermission}
	}
	return nil, &fs.PathError{Op: "read document", Path: target, Err: fs.ErrNotExist}
}

// MakeDoc makes a document as SetDoc does.
func (s *Store) MakeDoc(ctx context.Context, target string, data []byte) error {
	_, err := s.ReadDoc(ctx, target, 0)
	switch {
	case err == nil:
		return &fs.PathError{Op: "make document", Path: target, Err: fs.ErrExist}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	case strings.Contains("/"+path.Clean(target), "/."):
		return &fs.PathError{Op: "make document", Path: target, Err: fs.ErrPermission}
	}
	s.SetDoc(target, data)
	return nil
}

// Alike returns the document that differs in the case of ASCII letters.
func (s *Store) Alike(_ context.Context, target string) (found string) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for name := range s.docs {
		switch {
		case !strings.EqualFold(name, path.Clean(target)):
		case found != "":
			return ""
		default:
			found = name
		}
	}
	return found
}

// Head returns "": there is no git around a map.
func (s *Store) Head(context.Context) string { return "" }

// Tree returns the documents below a folder that SetDoc has made, with the folders that they lie in.
func (s *Store) Tree(ctx context.Context, dir string, most int) (found []mdstore.TreeEntry, more bool, err error) {
	if _, err := s.ReadDoc(ctx, dir, 0); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, false, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	top, met := path.Clean(dir), map[string]bool{}
	for name := range s.docs {
		for at := name; at != top && at != "."; at = path.Dir(at) {
			if below := top == "." || strings.HasPrefix(at, top+"/"); below && !met[at] {
				met[at] = true
				found = append(found, mdstore.TreeEntry{Path: at, Folder: at != name})
			}
		}
	}
	if found == nil && top != "." {
		return nil, false, &fs.PathError{Op: "list folder", Path: dir, Err: fs.ErrNotExist}
	}
	slices.SortFunc(found, func(a, b mdstore.TreeEntry) int {
		return cmp.Or(cmp.Compare(strings.Count(a.Path, "/"), strings.Count(b.Path, "/")), cmp.Compare(a.Path, b.Path))
	})
	n := min(len(found), most)
	return found[:n], n < len(found), nil
}

// Read returns the file at p.
func (s *Store) Read(ctx context.Context, p mdstore.Path) (mdstore.File, error) {
	if err := ctx.Err(); err != nil {
		return mdstore.File{}, err
	}
	if !p.Valid() {
		return mdstore.File{}, &fs.PathError{Op: "read", Path: string(p), Err: fs.ErrInvalid}
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.read(p)
}

// read is Read for whoever has the lock.
func (s *Store) read(p mdstore.Path) (mdstore.File, error) {
	data, ok := s.files[p]
	switch {
	case ok && int64(len(data)) > mdstore.MaxSize(p):
		return mdstore.File{}, unreadable(p, mdoc.CodeTooLarge, "has %d bytes; %d are the limit", len(data), mdstore.MaxSize(p))
	case ok:
		return mdstore.File{Path: p, Version: mdstore.VersionOf(data), Data: data, Stamp: s.stamp(p)}, nil
	case s.below[p] > 0:
		return mdstore.File{}, unreadable(p, "NOT_A_FILE", "is a folder where a file is expected")
	}
	return mdstore.File{}, &fs.PathError{Op: "read", Path: string(p), Err: fs.ErrNotExist}
}

func unreadable(p mdstore.Path, code, format string, args ...any) error {
	return &mdoc.UnreadableError{Problem: mdoc.Diagnostic{File: string(p), Code: code, Text: fmt.Sprintf(format, args...)}}
}

// List yields where files lie, of the moment at which it began.
func (s *Store) List(ctx context.Context, under mdstore.Path) iter.Seq2[mdstore.Entry, error] {
	return func(yield func(mdstore.Entry, error) bool) {
		if under != "" && !under.Valid() {
			yield(mdstore.Entry{Path: under}, &fs.PathError{Op: "list", Path: string(under), Err: fs.ErrInvalid})
			return
		}
		for _, r := range s.listing(under) {
			if ctx.Err() != nil {
				break
			}
			if !yield(mdstore.Entry{Path: r.file.Path, Stamp: r.file.Stamp}, r.err) {
				return
			}
		}
		if err := ctx.Err(); err != nil {
			yield(mdstore.Entry{}, err)
		}
	}
}

// Stat returns the stamp of the file at p, another one after each write.
func (s *Store) Stat(ctx context.Context, p mdstore.Path) (mdstore.Stamp, error) {
	f, err := s.Read(ctx, p)
	return f.Stamp, err
}

// stamp returns the stamp of an existing file. s.mu must be held.
func (s *Store) stamp(p mdstore.Path) mdstore.Stamp {
	return mdstore.Stamp{Size: int64(len(s.files[p])), Inode: s.written[p], Proven: true}
}

// Scan reads every file of a workspace, or those of the kinds.
func (s *Store) Scan(ctx context.Context, workspace mdstore.Path, kinds ...*mdstore.Kind) (*mdstore.Scan, error) {
	out := &mdstore.Scan{}
	if !workspace.Valid() {
		err := &fs.PathError{Op: "list", Path: string(workspace), Err: fs.ErrInvalid}
		out.Broken = []mdstore.Broken{{Path: workspace, Err: err}}
		return out, ctx.Err()
	}
	for _, r := range s.listing(workspace) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if k := mdstore.AllKinds().Of(r.file.Path); k != nil && len(kinds) > 0 && !slices.Contains(kinds, k) {
			continue
		}
		out.Work.Stamped++
		if r.err != nil {
			out.Broken = append(out.Broken, mdstore.Broken{Path: r.file.Path, Err: r.err})
			continue
		}
		out.Work.Read++
		if rec, ok := mdstore.ScannedOf(mdstore.AllKinds().Of(r.file.Path), r.file); ok {
			out.Records = append(out.Records, &rec)
		} else {
			out.Others = append(out.Others, r.file)
		}
	}
	return out, nil
}

// A result is what a listing finds.
type result struct {
	file mdstore.File
	err  error
}

func (s *Store) listing(under mdstore.Path) []result {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var out []result
	for _, p := range mdstore.Listed(under, slices.Collect(maps.Keys(s.files))) {
		f, err := s.read(p)
		f.Path = p
		out = append(out, result{f, err})
	}
	return out
}
