package journal

import (
	"errors"
	"io/fs"

	"arbor/mdstore"
)

// Leftover reports whether a file of that name was made by a commit, so that Clear knows what to do with it.
func Leftover(name string) bool {
	_, ok := parseTemp(name)
	return ok
}

// Clear does away with temporaries of which the journal knows nothing any more: it was deleted while a commit was
// being made. One that is empty, or holds what its file holds, is removed. Any other may hold what a person saved, or
// the only copy of what a commit wrote: it goes to the folder trash. A folder that is empty then goes too. With dry
// nothing is done.
func (c *Committer) Clear(leftovers []mdstore.Path, trash mdstore.Path, dry bool) (done []mdstore.Swept, err error) {
	set := folders{}
	for _, t := range leftovers {
		name, ok := parseTemp(t.Base())
		held, err := read(c.FS, t)
		if !ok || err == nil && held == nil {
			continue
		}
		to := trash.Join(string(t))
		if now, failed := read(c.FS, t.Dir().Join(name.target)); len(held) == 0 || failed == nil && same(held, now) {
			to = ""
		}
		if err == nil && !dry {
			err = c.clear(set, t, to)
		}
		switch {
		case err == nil:
			done = append(done, mdstore.Swept{Path: t, To: to})
		case err != nil && !unreadable(err) && !errors.Is(err, fs.ErrPermission):
			return done, errors.Join(err, flush(c.FS, set))
		}
	}
	return done, flush(c.FS, set)
}

// clear gives a temporary another name, or none, and removes its folder and those above it that are empty then.
func (c *Committer) clear(set folders, t, to mdstore.Path) error {
	var err error
	if to == "" {
		err = c.FS.Remove(t)
	} else if _, err = mkdirAll(c.FS, set, to.Dir()); err == nil {
		set[to.Dir()] = true
		err = c.FS.RenameNew(t, to)
	}
	if err != nil {
		return err
	}
	for dir := t.Dir(); ; dir = dir.Dir() {
		set[dir] = true
		entries, err := c.FS.ReadDir(dir)
		if err != nil || len(entries) > 0 || dir == "" || dir == mdstore.ArchiveDir || c.FS.Remove(dir) != nil {
			return nil
		}
	}
}
