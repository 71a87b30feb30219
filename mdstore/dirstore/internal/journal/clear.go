package journal

import (
	"errors"
	"io/fs"

	"arbor/mdstore"
)

// Leftover reports whether name is that of a temporary file of a commit, which Clear can handle.
func Leftover(name string) bool {
	_, ok := parseTemp(name)
	return ok
}

// Clear clears away temporaries that no record names, because the journal was deleted during a commit. It removes a
// temporary that is empty or equals its target. Any other may hold a person's save, or the only copy of what a commit
// wrote: Clear moves it to the folder trash. It also removes folders that are empty then. With dry it changes nothing
// and only reports.
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

// clear moves a temporary to the path to, or removes it if to is empty. It then removes the folders above it that are
// empty.
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
