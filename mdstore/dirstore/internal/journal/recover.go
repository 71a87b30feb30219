package journal

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"arbor/mdstore"
	"arbor/mdstore/dirstore/internal/osfs"
)

// Pending reports whether the journal holds a record.
func (c *Committer) Pending() (bool, error) {
	entries, err := c.records()
	return len(entries) > 0, err
}

// records returns the entries of the journal that have the name of a record: only lower-case letters and digits, unlike
// the copies that sync programs make. It refuses a journal behind a link, which is another folder.
func (c *Committer) records() ([]osfs.Entry, error) {
	for _, dir := range []mdstore.Path{mdstore.LocalDir, Dir} {
		if err := osfs.InTheWay(c.FS, dir, true); err != nil {
			return nil, err
		}
	}
	entries, err := c.FS.ReadDir(Dir)
	return slices.DeleteFunc(entries, func(e osfs.Entry) bool {
		name, ok := strings.CutSuffix(e.Name, recordExt)
		return !ok || !e.Type.IsRegular() || strings.Trim(name, "0123456789abcdefghijklmnopqrstuvwxyz") != ""
	}), osfs.UnlessMissing(err)
}

// Recover finishes the commits that have a complete record, and removes incomplete records. It may be called at any
// time and any number of times.
func (c *Committer) Recover() error {
	entries, err := c.records()
	for _, e := range entries {
		if err := c.finish(Dir.Join(e.Name)); err != nil {
			return err
		}
	}
	return err
}

// finish makes the steps of a record. Any number of them may be made already.
func (c *Committer) finish(record mdstore.Path) error {
	data, _, err := c.FS.ReadFile(record, 1<<30) // far larger than any record
	if err != nil {
		return err
	}
	steps, err := decodeRecord(data)
	switch {
	case err == errTorn:
		c.Log.Warn("a record of the journal is not whole and is dropped; no file was changed by it", "path", string(record))
		return cmp.Or(osfs.UnlessMissing(c.FS.Remove(record)), flush(c.FS, folders{Dir: true}))
	case err != nil:
		return fmt.Errorf("%s: %w", record, err)
	}
	m := &maker{Committer: c, steps: steps, folders: folders{}}
	if err = c.sync(record); err == nil { // the process that wrote it may have been killed before it did so
		err = m.makeAll()
	}
	if err == nil {
		err = m.end(record)
	}
	if err != nil {
		return err
	}
	m.tell()
	m.displaceAll(write)
	c.Log.Info("finished an unfinished commit", "steps", len(steps))
	return flush(c.FS, m.folders)
}

// Sweep removes the temporaries that a crash left between the files of the vault. Call it after Recover. A temporary
// that may hold a save goes back to its place, or becomes a copy beside it.
func (c *Committer) Sweep() error {
	err := c.sweep("", true)
	for _, dir := range []mdstore.Path{mdstore.LocalDir, mdstore.LocalDir + "/" + mdstore.ReplacedDir} { // with texts
		err = cmp.Or(err, c.sweep(dir, false))
	}
	return err
}

func (c *Committer) sweep(dir mdstore.Path, deep bool) error {
	entries, err := c.FS.ReadDir(dir)
	if err := osfs.UnlessMissing(err); err != nil {
		return err
	}
	for _, e := range entries {
		switch p := dir.Join(e.Name); {
		case e.Type.IsDir() && deep && !strings.HasPrefix(e.Name, "."):
			err = c.sweep(p, true)
		case e.Type.IsRegular():
			err = c.sweepTemp(p)
		}
		if err != nil && !unreadable(err) { // a folder closed to this user holds no temporary of this user
			return err
		}
	}
	return nil
}

const unknown = "%s was being changed when a crash came; bytes of unknown origin were found and lie beside it"

// sweepTemp clears away a temporary that no record names. The versions in its name tell what it holds.
func (c *Committer) sweepTemp(t mdstore.Path) error {
	name, ok := parseTemp(t.Base())
	if !ok {
		return nil // of another program
	}
	held, err := read(c.FS, t)
	if err != nil || held == nil {
		return err
	}
	if name.before == noFile {
		return c.FS.Remove(t) // it was never exchanged, so that it holds no save
	}
	p := t.Dir().Join(name.target)
	if v := digits(version(held)); v == name.after || v == name.before || len(held) == 0 {
		if now, err := read(c.FS, p); err == nil && v == name.before && digits(version(now)) == name.after {
			c.done = append(c.done, Made{Path: p, Base: held, New: now}) // perhaps its process was killed before reporting it
			c.tell()
		}
		c.displace(t, p, held)
		return nil
	}
	now, err := read(c.FS, p)
	if err != nil {
		return err
	}
	switch digits(version(now)) {
	case name.before: // never exchanged and incomplete; or a save, after which the file was restored
		if _, err := c.putAway(t, p, savedMark, held); err != nil {
			c.Log.Warn("a temporary file stays", "path", string(t), "error", err)
		}
		return nil
	case name.after:
		// The files were exchanged, but what came out was never checked. It is a save, to which a commit of one step
		// yields. What the commit wrote is kept, because the change may have been reported as made.
		if c.putBack(t, p, now, now) == nil {
			if now != nil {
				c.keep(t, p, now, "%s was saved by another program just when a commit that a crash ended was changing it; "+
					"the commit's version lies beside it")
			}
			return nil
		}
	}
	c.keep(t, p, held, unknown)
	return nil
}
