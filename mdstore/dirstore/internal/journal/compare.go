package journal

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"

	"arbor/mdstore"
	"arbor/mdstore/dirstore/internal/osfs"
)

// A verb is what a step does.
type verb string

const (
	write  verb = "write"
	remove verb = "remove"
	move   verb = "move"
)

// A step is one change of a commit. Its JSON is what a record holds.
type step struct {
	Do   verb         `json:"do"`
	Path mdstore.Path `json:"path"`
	To   mdstore.Path `json:"to,omitempty"`   // of a move
	Base []byte       `json:"base"`           // the bytes that the change was computed from; null: no file
	New  []byte       `json:"new"`            // the file's bytes after the write
	Temp mdstore.Path `json:"temp,omitempty"` // of a write: the new bytes, then the old ones; of a removal: the old ones

	moved bool // it is a move that is made
}

// compare returns the steps that make the changes, after comparing every path with its base. The error is a
// *mdstore.ConflictError that names all paths that moved on, an *mdoc.UnreadableError for a file that must not be
// written, or an fs.ErrInvalid for an invalid change.
func (c *Committer) compare(changes []mdstore.Change) (steps []*step, err error) {
	if err := mdstore.CheckChanges(changes); err != nil {
		return nil, err
	}
	var moved []mdstore.Path
	for _, ch := range changes {
		for _, q := range []mdstore.Path{ch.Path, ch.To} {
			if own(q) {
				return nil, fmt.Errorf("%s: is the store's own: %w", q, fs.ErrInvalid)
			}
		}
		compare := c.compareFile
		if ch.To != "" {
			compare = c.compareMove
		}
		s, err := compare(ch)
		if conflict, ok := errors.AsType[*mdstore.ConflictError](err); ok {
			moved = append(moved, conflict.Paths...)
		} else if err != nil {
			return nil, err
		}
		if s != nil {
			steps = append(steps, s)
		}
	}
	if len(moved) > 0 {
		return nil, &mdstore.ConflictError{Paths: moved}
	}
	return steps, nil
}

// compareFile returns the step of a write or a removal, nil if the file is to stay as it is.
func (c *Committer) compareFile(ch mdstore.Change) (*step, error) {
	if err := checkFolder(c.FS, ch.Path.Dir()); err != nil {
		return nil, err
	}
	data, info, err := describe(c.FS, ch.Path)
	if err == nil && data != nil && !ch.Keep {
		err = osfs.CheckWritable(ch.Path, info)
	}
	switch {
	case err != nil:
		return nil, err
	case version(data) != ch.Base:
		return nil, &mdstore.ConflictError{Paths: []mdstore.Path{ch.Path}}
	case ch.Keep, ch.New != nil && same(data, ch.New):
		return nil, nil
	}
	s := &step{Do: write, Path: ch.Path, Base: data, New: ch.New}
	if ch.New == nil {
		s.Do = remove
	}
	return s, nil
}

func (c *Committer) compareMove(ch mdstore.Change) (*step, error) {
	err := cmp.Or(checkFolder(c.FS, ch.Path.Dir()), checkFolder(c.FS, ch.To.Dir()))
	if err != nil {
		return nil, err
	}
	from, err := c.FS.Lstat(ch.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &mdstore.ConflictError{Paths: []mdstore.Path{ch.Path}}
	}
	if err != nil {
		return nil, err
	}
	if there, err := exists(c.FS, ch.To); err != nil {
		return nil, err
	} else if there {
		return nil, &mdstore.ConflictError{Paths: []mdstore.Path{ch.To}}
	}
	return &step{Do: move, Path: ch.Path, To: ch.To}, osfs.CheckMovable(ch.Path, from)
}

// checkFolder returns an *mdoc.UnreadableError if dir, or a part of its path, is not a folder. It refuses links,
// because through them two paths could name one file. Folders may be missing.
func checkFolder(d osfs.FS, dir mdstore.Path) error {
	if dir == "" {
		return nil
	}
	if err := checkFolder(d, dir.Dir()); err != nil {
		return err
	}
	info, err := d.Lstat(dir)
	switch {
	case err != nil:
		return osfs.UnlessMissing(err)
	case info.Mode&fs.ModeSymlink != 0:
		return osfs.Unreadable(dir, osfs.CodeSymlink,
			"is a symbolic link; nothing is written through it: put the folder itself here")
	case !info.Mode.IsDir():
		return osfs.Unreadable(dir, osfs.CodeNotAFile, "is a file where a folder is needed")
	}
	return nil
}
