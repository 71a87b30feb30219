package journal

import (
	"errors"
	"fmt"
	"io/fs"

	"arbor/mdstore"
)

// put replaces base by data in the file at p, through the temporary t, which holds data; nil stands for no file. On
// success t holds base. If p holds something other than base, put leaves it alone and returns errForeign.
func (c *Committer) put(t, p mdstore.Path, base, data []byte) (err error) {
	switch {
	case base == nil:
		if err = c.FS.RenameNew(t, p); errors.Is(err, fs.ErrExist) {
			return errForeign
		}
		return err
	case data == nil:
		err = c.FS.RenameNew(p, t)
	default:
		err = c.FS.Exchange(t, p)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errForeign
	case errors.Is(err, errors.ErrUnsupported): // a save between the look and the rename is lost
		now, err := read(c.FS, p)
		if err != nil || !same(now, base) {
			return foreign(err)
		}
		return c.FS.Rename(t, p)
	case err != nil:
		return err
	}
	out, err := read(c.FS, t)
	if err == nil && same(out, base) {
		return nil
	}
	// A person has saved the file, or what came out cannot be read: it goes back.
	if back := c.putBack(t, p, base, data); back != nil && !(data == nil && errors.Is(back, fs.ErrExist)) {
		return &mdstore.UnfinishedError{Err: fmt.Errorf("%s: what was there before is in %s: %w", p, t, back)}
	}
	if left, again := read(c.FS, t); again != nil || !same(left, data) {
		if len(left) == 0 && again == nil && out != nil { // emptied to be written anew; its program has read p
			c.displace(t, p, out)
			return errForeign
		}
		// A second save came between: one stays, the other lies beside it.
		c.keep(t, p, left, "%s was saved twice while a commit was changing it; one of the versions lies beside it")
		return errForeign
	}
	return foreign(err)
}

// foreign returns the error for a file that is not what was expected: err, if reading it failed, or else errForeign. A
// file that must not be read is also foreign.
func foreign(err error) error {
	if err != nil && !unreadable(err) {
		return err
	}
	return errForeign
}

// putBack undoes what put did to write data to p, because what came out, now in t, is a save and not the known bytes.
// For a moment the save is not at p. A program that reads p in that moment and saves it later would overwrite a save
// that it has not seen, so putBack keeps a copy.
func (c *Committer) putBack(t, p mdstore.Path, known, data []byte) error {
	if data == nil {
		return c.FS.RenameNew(t, p)
	}
	for range 3 { // a program may still be writing to it
		saved, err := read(c.FS, t)
		if err != nil || saved == nil || same(saved, known) {
			break
		}
		at, err := c.place(savedMark, p, saved)
		if err == nil {
			err = c.FS.Create(at, saved, "")
		}
		if err != nil {
			c.Log.Warn("no copy of a save can be kept", "path", string(p), "error", err)
		}
		known = saved
	}
	return c.FS.Exchange(t, p)
}

// A join returns a new text for a file, made from its present bytes, and the names of what that text lacks. It returns
// nil if it cannot join them.
type join = func(now []byte) (joined []byte, missing []string)

// Rejoin replaces the bytes of the file at p by what join makes of them, and returns the names of what is missing from
// the result. If save is not nil, it is a save that lacked a commit, and the change is reported as Late with that Base.
// ok is false if the change cannot be made: join returns nil, the file is gone or the result too large, or the file
// keeps changing.
func (c *Committer) Rejoin(p mdstore.Path, save []byte, join join) (missing []string, ok bool) {
	missing, ok = c.rejoin(p, join)
	if save != nil && len(c.done) > 0 {
		c.done[0].Base, c.done[0].Late = save, true
	}
	c.tell()
	return missing, ok
}

// LayBeside makes a conflict copy of data, the version of p that commits had made, because the save that stands lacks a
// part of it. missing names that part.
func (c *Committer) LayBeside(p mdstore.Path, data []byte, missing string) error {
	return c.layBeside(data, mdstore.Collision{Path: p, Text: fmt.Sprintf("STALE_SAVE: %s was saved by a program that had "+
		"read an older version; both changes are in the file now, except %s; the other version lies beside it", p, missing)})
}

// base returns the version from which a save at p was made: the one that it replaced, or an older one if that is
// proved.
func (c *Committer) base(p mdstore.Path, replaced, save []byte) []byte {
	if c.BaseOf != nil {
		if older := c.BaseOf(p, save); older != nil {
			return older
		}
	}
	return replaced
}

// rejoin is Rejoin without a save. It does not report to OnMade.
func (c *Committer) rejoin(p mdstore.Path, join join) (missing []string, ok bool) {
	for range tries {
		now, err := read(c.FS, p)
		if err != nil || now == nil {
			return nil, false
		}
		joined, missing := join(now)
		if joined == nil || int64(len(joined)) > mdstore.MaxSize(p) {
			return missing, false
		}
		if same(joined, now) {
			return missing, c.FS.Sync(p) == nil
		}
		t := tempPath(p.Dir(), p, now, joined, c.token())
		if err = c.FS.Create(t, joined, p); err == nil {
			err = c.FS.Sync(t)
		}
		if err != nil {
			_ = c.FS.Remove(t)
			return missing, false
		}
		if err = c.put(t, p, now, joined); err == nil {
			c.done = append(c.done, Made{Path: p, Base: now, New: joined})
			c.displace(t, p, now)
			if missing == nil {
				c.report(mdstore.Collision{Path: p, Text: fmt.Sprintf(
					"%s was changed by a commit and by a program that had opened it before; it holds both changes now", p)})
			}
			return missing, c.FS.SyncDir(p.Dir()) == nil
		}
		if again := c.sweepTemp(t); again != nil || !errors.Is(err, errForeign) {
			return missing, false
		}
	}
	return nil, false
}

// keep makes a conflict copy beside p of data, a person's bytes in the temporary t. If that fails, t stays as a stray.
// text describes the collision and has a %s for p.
func (c *Committer) keep(t, p mdstore.Path, data []byte, text string) {
	k := mdstore.Collision{Path: p, Copy: t, Text: fmt.Sprintf(text, p)}
	if data == nil || c.layBeside(data, k) != nil {
		c.report(k)
		return
	}
	c.displace(t, p, data)
}

// layBeside makes a durable conflict copy of data, which lost the file of a collision, and reports that. Empty data is
// from a program that emptied the file to write it anew: there is nothing to keep.
func (c *Committer) layBeside(data []byte, k mdstore.Collision) error {
	if len(data) == 0 {
		return nil
	}
	set := folders{k.Path.Dir(): true}
	if _, err := mkdirAll(c.FS, set, k.Path.Dir()); err != nil {
		return err
	}
	for _, k.Copy = range conflictPaths(k.Path, data) {
		held, err := read(c.FS, k.Copy)
		if err == nil && held == nil {
			if err = c.createWhole(k.Copy, data, ""); err == nil {
				c.report(k)
				return flush(c.FS, set)
			}
		}
		if err == nil && same(held, data) {
			return errors.Join(c.FS.Sync(k.Copy), flush(c.FS, set))
		}
		if err != nil && !unreadable(err) && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return fmt.Errorf("%s: no name is free for the version that lost", k.Path)
}

// createWhole makes a durable file that gets its name only when it is complete. like is the file that it will replace.
func (c *Committer) createWhole(p mdstore.Path, data []byte, like mdstore.Path) error {
	t := tempPath(p.Dir(), p, nil, data, c.token())
	err := c.FS.Create(t, data, like)
	if err == nil {
		err = c.FS.Sync(t)
	}
	if err == nil {
		err = c.FS.RenameNew(t, p)
	}
	if err != nil {
		_ = c.FS.Remove(t)
	}
	return err
}
