package importtanmi

import (
	"bytes"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"arbor/mdstore"
)

var errNone = errors.New("no TanmiWorkspace found: a .tanmi-workspace folder, a project that has one, " +
	"or a folder with a workspace.json or graph.json is expected")

// findWorkspaces returns the folders that hold a workspace each, archived ones last: those of a project, of a vault, or
// the top folder itself if it is a workspace.
func (r *reader) findWorkspaces() (found []string, err error) {
	vault := "."
	if r.isDir(mdstore.DefaultVault) {
		vault = mdstore.DefaultVault
	} else if r.isWorkspace(vault) {
		return []string{vault}, nil
	}
	for _, dir := range []string{vault, path.Join(vault, archiveDir)} {
		if dir != vault && !r.isDir(dir) {
			continue
		}
		entries, err := fs.ReadDir(r.fsys, dir)
		if err != nil {
			return nil, err
		}
		before := len(found)
		var others []string
		for _, e := range entries {
			switch name := path.Join(dir, e.Name()); {
			case strings.HasPrefix(e.Name(), "."), e.IsDir() && e.Name() == archiveDir:
			case e.IsDir() && r.isWorkspace(name):
				found = append(found, name)
			default:
				others = append(others, e.Name())
			}
		}
		if len(others) > 0 && len(found) > before {
			r.warn(dir, "holds what is no workspace of TanmiWorkspace 1.x and is not imported: %s", few(others))
		}
	}
	if len(found) == 0 {
		return nil, errNone
	}
	return found, nil
}

// isWorkspace reports whether a folder is a workspace of the original, and not one of Arbor, whose vault may be the
// same folder, or another folder that has a file with one of the names.
func (r *reader) isWorkspace(dir string) bool {
	count := 0
	for name, key := range map[string]string{workspaceJSON: `"rootNodeId"`, graphJSON: `"currentFocus"`} {
		if name = path.Join(dir, name); !r.isFile(name) {
			continue
		}
		data, _ := fs.ReadFile(r.fsys, name)
		if count++; count == 2 || bytes.Contains(data, []byte(key)) {
			return true
		}
	}
	nodes, _ := fs.ReadDir(r.fsys, path.Join(dir, nodesDir))
	return slices.ContainsFunc(nodes, func(e fs.DirEntry) bool {
		return e.IsDir() && r.isFile(path.Join(dir, nodesDir, e.Name(), infoMD))
	})
}

func (r *reader) isFile(name string) bool {
	info, err := fs.Lstat(r.fsys, name)
	return err == nil && info.Mode().IsRegular()
}

func (r *reader) isDir(name string) bool {
	info, err := fs.Lstat(r.fsys, name)
	return err == nil && info.IsDir()
}
