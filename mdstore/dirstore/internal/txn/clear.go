package txn

import (
	"errors"
	"io/fs"
	"strings"

	"arbor/mdstore"
)

// Leftover reports whether a file of that name was made by a commit, so that Clear knows what to do with it.
func Leftover(name string) bool {
	t, ok := parseTemp(name)
	return ok && t.target != ""
}

// Clear does away with the temporaries below dir of which the journal knows nothing any more: the journal was deleted while a commit was being made. Unlike
// Sweep, which finishes what the journal has begun, it loses no byte. A temporary that holds what its file holds is
// removed. What its commit wrote or replaced goes to the folder trash. Anything else may be somebody's save and becomes a conflict copy.
// With dry nothing is done.
func (c *Committer) Clear(dir, trash mdstore.Path, dry bool) ([]mdstore.Swept, error) {
	k := clearer{Committer: c, trash: trash, dry: dry, set: dirs{}}
	err := k.folder(dir)
	if dry {
		return k.done, err
	}
	return k.done, errors.Join(err, c.sync(k.set))
}

type clearer struct {
	*Committer
	trash mdstore.Path
	dry   bool
	set   dirs
	done  []mdstore.Swept
}

func (k *clearer) folder(dir mdstore.Path) error {
	entries, err := k.FS.ReadDir(dir)
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
			err = k.folder(p)
		case e.Type.IsRegular() && Leftover(e.Name):
			err = k.file(p)
		}
		if err != nil && !unreadable(err) && !errors.Is(err, fs.ErrPermission) {
			return err
		}
	}
	return nil
}

func (k *clearer) file(t mdstore.Path) error {
	held, err := k.read(t)
	if err != nil || held == nil {
		return err
	}
	name, _ := parseTemp(t.Base())
	p := t.Dir().Join(name.target)
	now, err := k.read(p)
	if err != nil {
		return err
	}
	switch v := digits(version(held)); {
	case len(held) == 0, same(held, now):
		return k.move(t, "")
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

// move gives a temporary another name, or none.
func (k *clearer) move(t, to mdstore.Path) error {
	if k.dry {
		k.done = append(k.done, mdstore.Swept{Path: t, To: to})
		return nil
	}
	var err error
	if to == "" {
		err = k.FS.Remove(t)
	} else if err = k.mkdirAll(k.set, to.Dir()); err == nil {
		err = k.FS.RenameNew(t, to)
	}
	if err != nil {
		return err
	}
	k.mark(k.set, t.Dir())
	k.done = append(k.done, mdstore.Swept{Path: t, To: to})
	return nil
}
