package journal

import (
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

// A step is one change of a commit as it is made, and as it stands in a record.
type step struct {
	Do   verb         `json:"do"`
	Path mdstore.Path `json:"path"`
	To   mdstore.Path `json:"to,omitempty"`   // of a move
	Base []byte       `json:"base"`           // what the change was computed from; null: no file
	New  []byte       `json:"new"`            // what a write makes of the file
	Temp mdstore.Path `json:"temp,omitempty"` // of a write: the new bytes, then the old ones; of a removal: the old ones

	moved bool // it is a move, and made
}

// A comparison is a commit whose files were compared with their bases.
type comparison struct {
	*Committer
	steps   []*step
	several bool           // it takes the disk more than one step, so that it needs a record
	moved   []mdstore.Path // paths that are no longer at their base
}

// compare compares every path with its base and changes nothing. The error is a *mdstore.ConflictError that names all
// paths that moved on, an *mdoc.UnreadableError for a file that is not to be written, or an fs.ErrInvalid.
func (c *Committer) compare(changes []mdstore.Change) (*comparison, error) {
	if err := mdstore.CheckChanges(changes); err != nil {
		return nil, err
	}
	x := &comparison{Committer: c}
	for _, ch := range changes {
		for _, q := range []mdstore.Path{ch.Path, ch.To} {
			if own(q) {
				return nil, fmt.Errorf("%s: is the store's own: %w", q, fs.ErrInvalid)
			}
		}
		add := x.addFile
		if ch.To != "" {
			add = x.addMove
		}
		if err := add(ch); err != nil {
			return nil, err
		}
	}
	if len(x.moved) > 0 {
		return nil, &mdstore.ConflictError{Paths: x.moved}
	}
	x.several = x.several || len(x.steps) > 1
	return x, nil
}

func (x *comparison) addFile(ch mdstore.Change) error {
	parent, err := folder(x.FS, ch.Path.Dir())
	if err != nil {
		return err
	}
	data, info, err := describe(x.FS, ch.Path)
	if err == nil && data != nil && !ch.Keep {
		err = osfs.CheckWritable(ch.Path, info)
	}
	if err != nil {
		return err
	}
	s := &step{Do: write, Path: ch.Path, Base: data, New: ch.New}
	switch {
	case version(data) != ch.Base:
		x.moved = append(x.moved, ch.Path)
		return nil
	case ch.Keep, ch.New != nil && same(data, ch.New):
		return nil
	case ch.New != nil:
		x.several = x.several || !parent
	default:
		s.Do = remove
		x.several = x.several || nodeFolder(ch.Path)
	}
	x.steps = append(x.steps, s)
	return nil
}

func (x *comparison) addMove(ch mdstore.Change) error {
	if _, err := folder(x.FS, ch.Path.Dir()); err != nil {
		return err
	}
	parent, err := folder(x.FS, ch.To.Dir())
	if err != nil {
		return err
	}
	from, err := x.FS.Lstat(ch.Path)
	if errors.Is(err, fs.ErrNotExist) {
		x.moved = append(x.moved, ch.Path)
		return nil
	}
	if err != nil {
		return err
	}
	if there, err := exists(x.FS, ch.To); there || err != nil {
		x.moved = append(x.moved, ch.To)
		return err
	}
	if err := osfs.CheckMovable(ch.Path, from); err != nil {
		return err
	}
	x.steps = append(x.steps, &step{Do: move, Path: ch.Path, To: ch.To})
	x.several = x.several || !parent
	return nil
}

// folder reports whether dir exists. The error is an *mdoc.UnreadableError if something on the way is no folder:
// through a link, two paths could name one file.
func folder(d osfs.FS, dir mdstore.Path) (bool, error) {
	if dir == "" {
		return true, nil
	}
	if there, err := folder(d, dir.Dir()); !there || err != nil {
		return false, err
	}
	info, err := d.Lstat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, err
	case info.Mode&fs.ModeSymlink != 0:
		return false, osfs.Unreadable(dir, osfs.CodeSymlink,
			"is a symbolic link; nothing is written through it: put the folder itself here")
	case !info.Mode.IsDir():
		return false, osfs.Unreadable(dir, osfs.CodeNotAFile, "is a file where a folder is needed")
	}
	return true, nil
}
