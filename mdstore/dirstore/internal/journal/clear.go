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

// Clear does away with temporaries of which the journal knows nothing any more: it was deleted while a commit was being made. Unlike
// Sweep, which finishes what the journal has begun, it loses no byte. A temporary that holds what its file holds is
// removed. What its commit wrote or replaced goes to the folder trash, and a folder that was made for it goes too; but the files of a workspace that is there
// in part are put in their places. Anything else may be somebody's save and becomes a conflict copy. With dry nothing is done.
func (c *Committer) Clear(leftovers []mdstore.Path, trash mdstore.Path, dry bool) ([]mdstore.Swept, error) {
	k := clearer{Committer: c, trash: trash, dry: dry, set: folders{}}
	for _, t := range leftovers {
		if k.begun(t) {
			k.whole = append(k.whole, t.Dir())
		}
	}
	for _, t := range leftovers {
		if err := k.file(t); err != nil && !unreadable(err) && !errors.Is(err, fs.ErrPermission) {
			return k.done, errors.Join(err, c.sync(k.set))
		}
	}
	if dry {
		return k.done, nil
	}
	return k.done, c.sync(k.set)
}

type clearer struct {
	*Committer
	trash mdstore.Path
	dry   bool
	whole []mdstore.Path // folders of workspaces that are there in part: their commit was decided
	set   folders
	done  []mdstore.Swept
}

// begun reports whether a temporary is to become the Workspace.md, which comes last, of a workspace some of whose nodes are in their places.
func (k *clearer) begun(t mdstore.Path) bool {
	name, ok := parseTemp(t.Base())
	if !ok || name.target != mdstore.WorkspaceFile || name.before != noFile {
		return false
	}
	nodes := t.Dir().Join(mdstore.NodesDir)
	folders, _ := k.FS.ReadDir(nodes)
	for _, f := range folders {
		if info, err := k.FS.Lstat(nodes.Join(f.Name, mdstore.NodeFile)); err == nil && info.Mode.IsRegular() {
			return true
		}
	}
	return false
}

func (k *clearer) file(t mdstore.Path) error {
	name, ok := parseTemp(t.Base())
	if !ok {
		return nil
	}
	held, err := k.read(t)
	if err != nil || held == nil {
		return err
	}
	if name.target == "" {
		if name.probe() && len(held) == 0 {
			return k.move(t, "")
		}
		return nil
	}
	p := t.Dir().Join(name.target)
	now, err := k.read(p)
	if err != nil {
		return err
	}
	switch v := digits(version(held)); {
	case len(held) == 0, same(held, now):
		return k.move(t, "")
	case v == name.after && now == nil && name.before == noFile && k.partOf(t):
		return k.move(t, p)
	case v == name.after, v == name.before, digits(version(now)) == name.before: // of the last, the write was torn
		return k.move(t, k.trash.Join(string(t)))
	}
	for _, kept := range conflictPaths(p, held) {
		there, err := k.read(kept)
		switch {
		case unreadable(err):
			continue
		case err != nil:
			return err
		case same(there, held):
			return k.move(t, "") // kept already
		case there == nil:
			return k.move(t, kept)
		}
	}
	return nil
}

// partOf reports whether a temporary belongs to a workspace that is there in part.
func (k *clearer) partOf(t mdstore.Path) bool {
	for _, dir := range k.whole {
		if t.Under(dir) {
			return true
		}
	}
	return false
}

// move gives a temporary another name, or none.
func (k *clearer) move(t, to mdstore.Path) error {
	if !k.dry {
		var err error
		if to == "" {
			err = k.FS.Remove(t)
		} else if err = k.mkdirAll(k.set, to.Dir()); err == nil {
			err = k.FS.RenameNew(t, to)
		}
		if err != nil {
			return err
		}
		k.set[t.Dir()] = true
		k.vacate(t.Dir())
	}
	k.done = append(k.done, mdstore.Swept{Path: t, To: to})
	return nil
}

// vacate removes a folder that is empty now, and those above it that are.
func (k *clearer) vacate(dir mdstore.Path) {
	for ; dir != "" && dir != mdstore.ArchiveDir; dir = dir.Dir() {
		if entries, err := k.FS.ReadDir(dir); err != nil || len(entries) > 0 || k.FS.Remove(dir) != nil {
			return
		}
		k.set[dir.Dir()] = true
	}
}
