package txn

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"arbor/mdstore"
	"arbor/mdstore/dirstore/internal/disk"
)

// Pending reports whether the journal holds a record, or something that became none: what else lies there is not Recover's.
func (c *Committer) Pending() (bool, error) {
	entries, err := c.journal()
	return slices.ContainsFunc(entries, func(e disk.Entry) bool { return undecided(e) || recorded(e) && !c.vacant(e) }), err
}

// undecided reports whether an entry of the journal never became a record.
func undecided(e disk.Entry) bool { return e.Type.IsRegular() && strings.HasPrefix(e.Name, TempPrefix) }

// recorded reports whether an entry of the journal has the name of a record that a commit gives one.
func recorded(e disk.Entry) bool {
	return e.Type.IsRegular() && strings.HasSuffix(e.Name, recordExt) && !copied(e.Name)
}

// copied reports whether a record has a name that no commit gives one: a program that syncs folders has made it, of a record that is over or of another machine's.
func copied(name string) bool {
	name, ok := strings.CutSuffix(name, recordExt)
	return ok && !strings.HasPrefix(name, TempPrefix) && strings.ContainsAny(name, " .-_()~")
}

// journal returns the entries of the journal, nil where there is none. Through a link it would be somebody else's folder.
func (c *Committer) journal() ([]disk.Entry, error) {
	for _, dir := range []mdstore.Path{mdstore.LocalDir, JournalDir} {
		if err := disk.InTheWay(c.FS, dir, true); err != nil {
			return nil, err
		}
	}
	entries, err := c.FS.ReadDir(JournalDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return entries, err
}

// Recover finishes the commits that were decided and not finished, and removes
// what is left of those that were not decided. It may be called at any time
// and any number of times. The error is a *NewerError where only a newer
// version can finish; nothing has changed then.
func (c *Committer) Recover() error {
	entries, err := c.journal()
	if err != nil {
		return err
	}
	found, notes := map[mdstore.Path]*record{}, map[mdstore.Path]string{}
	var order, torn []mdstore.Path
	for _, e := range entries {
		p := JournalDir.Join(e.Name)
		if undecided(e) {
			torn = append(torn, p)
			continue
		}
		if !recorded(e) || c.vacant(e) {
			continue
		}
		data, err := c.FS.ReadFile(p, maxRecord)
		if err != nil {
			return err
		}
		rec, err := decodeRecord(data)
		if newer, ok := errors.AsType[*NewerError](err); ok {
			newer.Path = p
			return newer
		}
		if err != nil {
			c.logger().Warn("a record of the journal is not whole and is dropped; no file was changed by it", "path", string(p))
			torn = append(torn, p)
			continue
		}
		found[p], notes[p] = rec, c.noteOf(data)
		order = append(order, p)
	}
	if len(order) > 0 {
		// A process that was killed may have left a record that is not durable yet.
		if found[slot] != nil {
			if err := c.FS.Sync(slot); err != nil {
				return err
			}
		}
		set := dirs{}
		c.mark(set, JournalDir)
		if err := c.sync(set); err != nil {
			return err
		}
	}
	for _, p := range order {
		if err := c.redo(p, found[p], notes[p]); err != nil {
			return fmt.Errorf("finish an unfinished commit: %w", err)
		}
		c.logger().Info("finished an unfinished commit", "steps", len(found[p].Steps))
	}
	for _, p := range torn {
		if p == slot {
			if err := c.bury(p); err != nil {
				return err
			}
			continue
		}
		if err := c.FS.Remove(p); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := c.FS.SyncDir(JournalDir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Sweep removes the temporaries that a crash left between the files of the
// vault. It follows Recover. A temporary that may hold what somebody else
// saved goes back to its place, or becomes a copy beside it.
func (c *Committer) Sweep() error {
	if err := c.sweep(""); err != nil {
		return err
	}
	return c.sweepProbes()
}

// Probe reports whether a file of that name was made only to see whether its folder can be written.
func Probe(name string) bool {
	t, ok := parseTemp(name)
	return ok && t.probe()
}

// sweepProbes removes the probes of folders that sweep does not look into.
func (c *Committer) sweepProbes() error {
	for _, dir := range []mdstore.Path{mdstore.LocalDir, mdstore.LocalDir + "/trash"} {
		entries, err := c.FS.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !unreadable(err) {
			return err
		}
		for _, e := range entries {
			if e.Type.IsRegular() && Probe(e.Name) {
				if err := c.FS.Remove(dir.Join(e.Name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
					return err
				}
			}
		}
	}
	return nil
}

func (c *Committer) sweep(dir mdstore.Path) error {
	entries, err := c.FS.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		p := dir.Join(e.Name)
		switch {
		case e.Type.IsDir() && !strings.HasPrefix(e.Name, "."):
			err = c.sweep(p)
		case e.Type.IsRegular() && strings.HasPrefix(e.Name, TempPrefix):
			err = c.sweepTemp(p)
		}
		if err != nil && !unreadable(err) { // a folder that is closed to us holds nothing of ours
			return err
		}
	}
	return nil
}

func (c *Committer) sweepTemp(t mdstore.Path) error {
	name, ok := parseTemp(t.Base())
	if !ok {
		return nil // nobody knows whose
	}
	held, err := c.read(t)
	if err != nil || held == nil {
		return err
	}
	p := t.Dir().Join(name.target)
	if v := digits(version(held)); v == name.after || v == name.before || len(held) == 0 {
		if name.target == "" {
			return c.FS.Remove(t)
		}
		c.retire(t, p, held)
		return nil
	}
	if name.target == "" {
		return nil
	}
	now, err := c.read(p)
	if err != nil {
		return err
	}
	switch digits(version(now)) {
	case name.before:
		if now == nil {
			c.retire(t, p, held) // torn before it had a name: nothing was ever exchanged with a file that is not there
			return nil
		}
		// Torn before it was exchanged, or somebody's save, over which the file was made what it had been.
		if _, err := c.shelve(t, p, held); err != nil {
			c.logger().Warn("a temporary file stays", "path", string(t), "error", err)
		}
		return nil
	case name.after:
		// Changed, but never looked at: a commit of one change gives way to somebody's save. It may have been answered, so that what it wrote is kept.
		if now == nil {
			if err := c.FS.RenameNew(t, p); err == nil {
				return nil
			}
		} else if err := c.putBack(t, p, now); err == nil {
			c.keep(t, p, now, savedFirst)
			return nil
		}
	}
	c.keep(t, p, held, unknown)
	return nil
}
