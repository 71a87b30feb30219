package importtanmi

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"arbor/mdstore"
)

var errNone = errors.New("no TanmiWorkspace found: a .tanmi-workspace folder, a project that has one, " +
	"or a folder with a workspace.json or graph.json is expected")

// findWorkspaces returns the folders that hold a workspace each, archived ones last: those of the top folder, or, where it
// holds none, those of the one folder in it that does.
func (r *reader) findWorkspaces() ([]string, error) {
	if found, err := r.workspacesIn("."); err != nil || len(found) > 0 {
		return found, err
	}
	entries, err := fs.ReadDir(r.fsys, ".")
	if err != nil {
		return nil, err
	}
	var holders []string
	for _, e := range entries {
		quiet := &reader{fsys: r.fsys} // a folder that is not imported needs no warnings
		if found, err := quiet.workspacesIn(e.Name()); err == nil && len(found) > 0 {
			holders = append(holders, e.Name())
		}
	}
	switch len(holders) {
	case 0:
		return nil, errNone
	case 1:
		return r.workspacesIn(holders[0])
	}
	return nil, fmt.Errorf("no TanmiWorkspace here, but in %s; name one of them", few(holders))
}

// workspacesIn returns the workspaces' folders of a project, of a vault, or the folder itself if it is a workspace.
func (r *reader) workspacesIn(vault string) (found []string, err error) {
	if in := path.Join(vault, mdstore.DefaultVault); r.isDir(in) {
		vault = in
	} else if r.isWorkspace(vault) {
		return []string{vault}, nil
	}
	for _, dir := range []string{vault, path.Join(vault, archiveDir)} {
		if !r.isDir(dir) {
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
	return found, nil
}

// isWorkspace tells the original's workspaces from other folders: from Arbor's own, whose vault may be the same folder, and
// from those that happen to hold a file of one of the names.
func (r *reader) isWorkspace(dir string) bool {
	config, graph := path.Join(dir, workspaceJSON), path.Join(dir, graphJSON)
	hasConfig, hasGraph := r.isFile(config), r.isFile(graph)
	if hasConfig && (hasGraph || r.contains(config, `"rootNodeId"`)) || hasGraph && r.contains(graph, `"currentFocus"`) {
		return true
	}
	nodes, _ := fs.ReadDir(r.fsys, path.Join(dir, nodesDir))
	for _, e := range nodes {
		if r.isFile(path.Join(dir, nodesDir, e.Name(), infoMD)) {
			return true
		}
	}
	return false
}

func (r *reader) contains(name, text string) bool {
	data, err := fs.ReadFile(r.fsys, name)
	return err == nil && bytes.Contains(data, []byte(text))
}

func (r *reader) isFile(name string) bool {
	info, err := fs.Lstat(r.fsys, name)
	return err == nil && info.Mode().IsRegular() && info.Size() <= maxSource
}

func (r *reader) isDir(name string) bool {
	info, err := fs.Lstat(r.fsys, name)
	return err == nil && info.IsDir()
}
