package journal

import (
	"errors"
	"io/fs"

	"arbor/mdstore"
)

// Leftover reports whether a file of that name was made by a commit, so that Clear knows what to do with it.
func Leftover(name string) bool {
	t, ok := parseTemp(name)
	return ok && (t.target != "" || t.probe())
}

// Clear does away with temporaries of which the journal knows nothing any more: it was deleted while a commit was
// being made. Unlike Sweep, which finishes what the journal has begun, it loses no byte. A temporary that holds what
// its file holds is removed. What its commit wrote or replaced goes to the folder trash, and a folder that was made
// for it goes too; but the files of a workspace that exists in part are put in their places. Anything else may be a
// save and becomes a conflict copy. With dry nothing is done.
func (c *Committer) Clear(leftovers []mdstore.Path, trash mdstore.Path, dry bool) (done []mdstore.Swept, err error) {
	set := folders{}
	var begun []mdstore.Path // folders of workspaces that exist in part: their commit was decided
	for _, t := range leftovers {
		if c.begun(t) {
			begun = append(begun, t.Dir())
		}
	}
	for _, t := range leftovers {
		to, known, err := c.fate(t, trash, begun)
		if err == nil && known && !dry {
			err = c.clear(set, t, to)
		}
		switch {
		case err == nil && known:
			done = append(done, mdstore.Swept{Path: t, To: to})
		case err != nil && !unreadable(err) && !errors.Is(err, fs.ErrPermission):
			return done, errors.Join(err, flush(c.FS, set))
		}
	}
	return done, flush(c.FS, set)
}

// begun reports whether a temporary is to become the Workspace.md, which comes last, of a workspace some of whose
// nodes are in their places.
func (c *Committer) begun(t mdstore.Path) bool {
	name, ok := parseTemp(t.Base())
	if !ok || t.Dir().Join(name.target) != mdstore.WorkspacePath(t.Dir()) || name.before != noFile {
		return false
	}
	nodes := mdstore.NodeKind.Folder(t.Dir())
	entries, _ := c.FS.ReadDir(nodes)
	for _, e := range entries {
		if info, err := c.FS.Lstat(mdstore.NodeKind.File(nodes.Join(e.Name))); err == nil && info.Mode.IsRegular() {
			return true
		}
	}
	return false
}

// fate returns where a temporary is to go, "" if it is to be removed. known is false for one that stays.
func (c *Committer) fate(t, trash mdstore.Path, begun []mdstore.Path) (to mdstore.Path, known bool, err error) {
	name, ok := parseTemp(t.Base())
	if !ok {
		return "", false, nil
	}
	held, err := read(c.FS, t)
	if err != nil || held == nil || name.target == "" {
		return "", err == nil && held != nil && name.probe() && len(held) == 0, err
	}
	p := t.Dir().Join(name.target)
	now, err := read(c.FS, p)
	if err != nil {
		return "", false, err
	}
	v := digits(version(held))
	if len(held) == 0 || same(held, now) {
		return "", true, nil
	}
	for _, dir := range begun {
		if v == name.after && now == nil && name.before == noFile && t.Under(dir) {
			return p, true, nil
		}
	}
	if v == name.after || v == name.before || digits(version(now)) == name.before { // of the last, the write was torn
		return trash.Join(string(t)), true, nil
	}
	for _, kept := range conflictPaths(p, held) {
		there, err := read(c.FS, kept)
		switch {
		case unreadable(err):
			continue
		case err != nil:
			return "", false, err
		case same(there, held):
			return "", true, nil // it is kept already
		case there == nil:
			return kept, true, nil
		}
	}
	return "", false, nil
}

// clear gives a temporary another name, or none, and removes its folder and those above it that are empty then.
func (c *Committer) clear(set folders, t, to mdstore.Path) error {
	var err error
	if to == "" {
		err = c.FS.Remove(t)
	} else if err = mkdirAll(c.FS, set, to.Dir()); err == nil {
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
