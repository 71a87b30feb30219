package journal

import (
	"errors"
	"fmt"
	"io/fs"

	"arbor/mdstore"
)

// What keep and layBeside say of the bytes that they keep.
const (
	savedTwice = "%s was saved twice while a commit was changing it; one of the versions lies beside it"
	savedBoth  = "%s was changed by a commit and by a program that had opened it before; it holds both changes now"
	savedLate  = "%s was saved, by a program that had opened it before, after a commit had changed it; that version lies beside it"
	savedFirst = "%s was saved by another program just when a commit that a crash ended was changing it; the commit's version lies beside it"
	unknown    = "%s was being changed when a crash came; bytes of unknown origin were found and lie beside it"
)

// put replaces the file at p, which should hold base, by the temporary t, which holds data. The error is errForeign if
// p holds something else; p is left alone then. On success t holds what was displaced, if there was anything.
func (c *Committer) put(t, p mdstore.Path, base, data []byte) error {
	if base == nil {
		err := c.FS.RenameNew(t, p)
		if errors.Is(err, fs.ErrExist) {
			return errForeign
		}
		return err
	}
	err := c.FS.Exchange(t, p)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errForeign
	case errors.Is(err, errors.ErrUnsupported):
		return c.replace(t, p, base)
	case err != nil:
		return err
	}
	out, err := read(c.FS, t)
	if err == nil && same(out, base) {
		return nil
	}
	// A person saved the file before the exchange, or what came out cannot be read: it goes back.
	if back := c.putBack(t, p, base); back != nil {
		return &mdstore.UnfinishedError{Err: fmt.Errorf("%s: what was there before is in %s: %w", p, t, back)}
	}
	if ours, again := read(c.FS, t); again != nil || !same(ours, data) {
		c.keep(t, p, ours, savedTwice) // a second save came between: the first stays, the second lies beside it
		return errForeign
	}
	return foreign(err)
}

// replace is put on file systems that cannot exchange. A save between its look and its rename is lost.
func (c *Committer) replace(t, p mdstore.Path, base []byte) error {
	now, err := read(c.FS, p)
	if err != nil || !same(now, base) {
		return foreign(err)
	}
	return c.FS.Rename(t, p)
}

// foreign returns the error for a file that was read with err and is not what was expected.
func foreign(err error) error {
	if err != nil && !unreadable(err) {
		return err
	}
	return errForeign
}

// putBack exchanges t and p again, because what came out at t is not known, but a save. It is not at its place for a
// moment. A program that reads the file in that moment and saves it later overwrites the save without having seen it:
// so a copy is kept.
func (c *Committer) putBack(t, p mdstore.Path, known []byte) error {
	for range 3 { // it may be written to still
		saved, err := read(c.FS, t)
		if err != nil || saved == nil || same(saved, known) {
			break
		}
		if err := c.spare(p, saved); err != nil {
			c.Log.Warn("no copy of a save can be kept", "path", string(p), "error", err)
		}
		known = saved
	}
	return c.FS.Exchange(t, p)
}

// take removes the file at p, which should hold base, by moving it to t. The error is errForeign if it holds something
// else.
func (c *Committer) take(p, t mdstore.Path, base []byte) error {
	err := c.FS.RenameNew(p, t)
	if errors.Is(err, fs.ErrNotExist) {
		return errForeign
	}
	if err != nil {
		return err
	}
	out, err := read(c.FS, t)
	if err == nil && same(out, base) {
		return nil
	}
	if back := c.FS.RenameNew(t, p); errors.Is(back, fs.ErrExist) {
		c.keep(t, p, out, savedTwice)
	} else if back != nil {
		return &mdstore.UnfinishedError{Err: fmt.Errorf("%s: what was there before is in %s: %w", p, t, back)}
	}
	return foreign(err)
}

// overwrite makes the file at p, which should hold base, hold data, a merge, and reports that. The error is errForeign
// if it holds something else.
func (c *Committer) overwrite(p mdstore.Path, base, data []byte) error {
	if same(base, data) {
		return c.FS.Sync(p)
	}
	t := tempPath(p.Dir(), p, base, data, c.token())
	if err := putTemp(c.FS, t, data, p); err != nil {
		_ = c.FS.Remove(t)
		return err
	}
	switch err := c.put(t, p, base, data); {
	case unfinished(err): // t holds a save whose place is taken or gone
		if held, again := read(c.FS, t); again == nil {
			c.keep(t, p, held, savedTwice)
		}
		return err
	case err != nil:
		c.displace(t, p, data) // it may have been in place for a moment
		return err
	}
	c.displace(t, p, base)
	c.report(mdstore.Collision{Path: p, Text: fmt.Sprintf(savedBoth, p)})
	return nil
}

// keep makes a conflict copy beside p of a temporary that holds bytes of a person. If there is no room for it, the
// temporary stays as a stray.
func (c *Committer) keep(t, p mdstore.Path, data []byte, format string) {
	k := mdstore.Collision{Path: p, Copy: t, Text: fmt.Sprintf(format, p)}
	set := folders{}
	if data == nil || c.layBeside(set, data, k) != nil || flush(c.FS, set) != nil {
		c.report(k)
		return
	}
	c.displace(t, p, data)
}

// layBeside makes a conflict copy of data, which lost the file of a collision, and reports that.
func (c *Committer) layBeside(set folders, data []byte, k mdstore.Collision) error {
	p := k.Path
	if err := mkdirAll(c.FS, set, p.Dir()); err != nil {
		return err
	}
	set[p.Dir()] = true
	for _, kept := range conflictPaths(p, data) {
		held, err := read(c.FS, kept)
		if err == nil && same(held, data) {
			return c.FS.Sync(kept)
		}
		if err == nil && held == nil {
			t := tempPath(kept.Dir(), kept, nil, data, c.token())
			if err = putTemp(c.FS, t, data, ""); err == nil {
				err = c.FS.RenameNew(t, kept)
			}
			if err == nil {
				k.Copy = kept
				c.report(k)
				return nil
			}
			_ = c.FS.Remove(t)
		}
		if err != nil && !unreadable(err) && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return fmt.Errorf("%s: no name is free for the version that lost", p)
}
