package txn

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"arbor/mdstore"
	"arbor/mdstore/dirstore/internal/disk"
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

	seen mdstore.Stamp // of the file when it was compared with Base; zero where there is none, or the system gives none
}

// A Plan is a commit whose files were all found at their bases.
type Plan struct {
	c       *Committer
	steps   []*step
	journal bool                  // more than one step of the disk shows it
	folders map[mdstore.Path]bool // whether a folder that was looked at exists
}

// Empty reports whether there is nothing to do.
func (p *Plan) Empty() bool { return len(p.steps) == 0 }

// Prepare compares every path with its base and changes nothing.
// The error is a *mdstore.ConflictError that names all that moved on, an
// *mdoc.UnreadableError for what is not to be written, or an fs.ErrInvalid.
func (c *Committer) Prepare(changes []mdstore.Change) (*Plan, error) {
	if err := mdstore.CheckChanges(changes); err != nil {
		return nil, err
	}
	p := &preparer{Plan: Plan{c: c, folders: map[mdstore.Path]bool{}}}
	for _, ch := range changes {
		if err := p.add(ch); err != nil {
			return nil, err
		}
	}
	if len(p.moved) > 0 {
		return nil, &mdstore.ConflictError{Paths: p.moved}
	}
	p.journal = p.journal || len(p.steps) > 1
	return &p.Plan, nil
}

type preparer struct {
	Plan
	moved []mdstore.Path
}

func (p *preparer) add(ch mdstore.Change) error {
	for _, q := range []mdstore.Path{ch.Path, ch.To} {
		if own(q) {
			return fmt.Errorf("%s: is the store's own: %w", q, fs.ErrInvalid)
		}
	}
	if ch.To != "" {
		return p.addMove(ch)
	}
	parent, data, seen := true, []byte(nil), mdstore.Stamp{}
	if there, info, ok := disk.ReadStraight(p.c.FS, ch.Path, mdstore.MaxFileSize); ok && (ch.Keep || disk.CheckWritable(ch.Path, info) == nil) {
		p.folders[ch.Path.Dir()] = true
		data, seen = there, info.Stamp
	} else {
		var err error
		if parent, err = p.folder(ch.Path.Dir()); err != nil {
			return err
		}
		if data, err = p.current(ch); err != nil {
			return err
		}
	}
	switch {
	case version(data) != ch.Base:
		p.moved = append(p.moved, ch.Path)
	case ch.Keep, ch.New != nil && same(data, ch.New):
	case ch.New != nil:
		p.steps = append(p.steps, &step{Do: write, Path: ch.Path, Base: data, New: ch.New, seen: seen})
		p.journal = p.journal || !parent
	default:
		p.steps = append(p.steps, &step{Do: remove, Path: ch.Path, Base: data, seen: seen})
		p.journal = p.journal || nodeFolder(ch.Path)
	}
	return nil
}

// own reports whether a path is made and removed by stores themselves.
func own(p mdstore.Path) bool {
	const local = mdstore.Path(mdstore.LocalDir)
	return p == local || p.Under(JournalDir) || p.Under(LateDir) || p == local.Join("lock") || p == local.Join("sequence") ||
		strings.HasPrefix(p.Base(), TempPrefix)
}

// current returns the bytes of the file that a change is about, nil where there is none.
func (p *preparer) current(ch mdstore.Change) ([]byte, error) {
	info, err := p.c.FS.Lstat(ch.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if err := disk.CheckRegular(ch.Path, info.Mode, info.Size, mdstore.MaxFileSize); err != nil {
		return nil, err
	}
	if !ch.Keep {
		if err := disk.CheckWritable(ch.Path, info); err != nil {
			return nil, err
		}
	}
	return p.c.read(ch.Path)
}

func (p *preparer) addMove(ch mdstore.Change) error {
	c := p.c
	if _, err := p.folder(ch.Path.Dir()); err != nil {
		return err
	}
	parent, err := p.folder(ch.To.Dir())
	if err != nil {
		return err
	}
	from, err := c.FS.Lstat(ch.Path)
	if errors.Is(err, fs.ErrNotExist) {
		p.moved = append(p.moved, ch.Path)
		return nil
	}
	if err != nil {
		return err
	}
	_, err = c.FS.Lstat(ch.To)
	if err == nil {
		p.moved = append(p.moved, ch.To)
		return nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	above, err := c.nearest(ch.To.Dir())
	if err != nil {
		return err
	}
	to, err := c.FS.Lstat(above)
	if err != nil {
		return err
	}
	if from.Dev != to.Dev {
		return fmt.Errorf("%s: cannot move to %s, which lies on another file system", ch.Path, ch.To)
	}
	if err := disk.CheckMovable(ch.Path, from); err != nil {
		return err
	}
	p.steps = append(p.steps, &step{Do: move, Path: ch.Path, To: ch.To})
	p.journal = p.journal || !parent
	return nil
}

// folder reports whether dir exists, and refuses it if something on the way
// is no folder: through a link, two paths could name one file.
func (p *preparer) folder(dir mdstore.Path) (bool, error) {
	if dir == "" {
		return true, nil
	}
	if exists, known := p.folders[dir]; known {
		return exists, nil
	}
	if disk.Straight(p.c.FS, dir) {
		p.folders[dir] = true
		return true, nil
	}
	exists, err := p.folder(dir.Dir())
	if err != nil {
		return false, err
	}
	if exists {
		info, err := p.c.FS.Lstat(dir)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			exists = false
		case err != nil:
			return false, err
		case info.Mode&fs.ModeSymlink != 0:
			return false, disk.Unreadable(dir, disk.CodeSymlink, "is a symbolic link; nothing is written through it: put the folder itself here")
		case !info.Mode.IsDir():
			return false, disk.Unreadable(dir, disk.CodeNotAFile, "is a file where a folder is needed")
		}
	}
	p.folders[dir] = exists
	return exists, nil
}
