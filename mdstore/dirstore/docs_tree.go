package dirstore

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"arbor/mdstore"
)

const maxIgnoreFile = 1 << 16 // bytes; a larger .gitignore is not read

// Tree returns what lies below a folder of the project: see mdstore.Docs.
func (d docs) Tree(ctx context.Context, dir string, most int) (found []mdstore.TreeEntry, more bool, err error) {
	refuse := func(err error) ([]mdstore.TreeEntry, bool, error) {
		return nil, false, &fs.PathError{Op: "list folder", Path: dir, Err: err}
	}
	if d.root == nil {
		return refuse(fs.ErrNotExist)
	}
	top, err := d.name(dir)
	if err != nil {
		return refuse(err)
	}
	info, err := d.root.R.Lstat(top)
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() && info.Mode()&fs.ModeSymlink == 0:
		return refuse(fs.ErrNotExist)
	case err != nil || !info.IsDir():
		return refuse(fs.ErrPermission) // a link, or a path through a link that leads out of the project
	}
	type folder struct {
		path    string
		ignored []ignoreRule // the rules of the folders above it
	}
	var rules []ignoreRule
	for parts, i := strings.Split(top, "/"), 0; top != "." && i < len(parts); i++ {
		rules = d.ignores(path.Clean(strings.Join(parts[:i], "/")), rules)
	}
	for queue := []folder{{top, rules}}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
		entries, err := fs.ReadDir(d.root.R.FS(), at.path)
		if err != nil {
			continue // it was removed meanwhile, or this user may not read it
		}
		rules := d.ignores(at.path, at.ignored)
		for _, e := range entries {
			p := path.Join(at.path, e.Name())
			folds := e.IsDir()
			if !folds && !e.Type().IsRegular() || folds && (e.Name()[0] == '.' || p == d.vault) || ignored(rules, p, folds) {
				continue
			}
			if len(found) == most {
				return found, true, nil
			}
			x := mdstore.TreeEntry{Path: p, Folder: folds}
			if folds {
				queue = append(queue, folder{p, rules})
			} else if info, err := e.Info(); err == nil {
				x.Modified = info.ModTime().UnixMilli()
			}
			found = append(found, x)
		}
	}
	return found, false, nil
}

// ignores returns above, the rules of the folders above dir, followed by the rules of dir itself. A later rule
// overrides an earlier one.
func (d docs) ignores(dir string, above []ignoreRule) []ignoreRule {
	data, _, err := d.root.ReadRegular(mdstore.Path(path.Join(dir, mdstore.IgnoreFile)), maxIgnoreFile)
	if err != nil {
		return above
	}
	return append(slices.Clip(above), ignoreRules(dir, string(data))...)
}
