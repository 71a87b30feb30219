package importtanmi

import (
	"path"
	"slices"
	"strings"
)

// The folders of a project in which the original keeps its workspaces; the second one is that of its developers.
var vaultDirs = []string{".tanmi-workspace", ".tanmi-workspace-dev"}

// workspaceFolders returns the folders that hold a workspace each, archived ones last: those of top, or, where it holds none,
// those of the one folder in it that does. The error is a *SeveralError where several do.
func workspaceFolders(top *folder) ([]*folder, error) {
	if all := workspacesOf(top); len(all) > 0 {
		return all, nil
	}
	var holders []string
	for _, name := range top.names {
		if !top.isDir(name) || slices.Contains(vaultDirs, name) {
			continue
		}
		silent := &report{} // of a folder that is not imported nothing need be told
		if below, err := openFolder(top.fsys, top.at(name), silent); err == nil && len(workspacesOf(below)) > 0 {
			holders = append(holders, name)
		}
	}
	switch len(holders) {
	case 0:
		return nil, nil
	case 1:
		below, _ := top.sub(holders[0])
		return workspacesOf(below), nil
	}
	return nil, &SeveralError{holders}
}

// workspacesOf returns the folders that hold a workspace each in a project, in a .tanmi-workspace, or in a workspace's folder.
func workspacesOf(top *folder) []*folder {
	var vaults []*folder
	for _, name := range vaultDirs {
		if sub, ok := top.sub(name); ok {
			vaults = append(vaults, sub)
		}
	}
	if vaults == nil {
		if isWorkspace(top) {
			return []*folder{top}
		}
		vaults = []*folder{top}
	}
	var all []*folder
	for _, v := range vaults {
		all = append(all, workspacesIn(v)...)
		if v.isDir(archiveDir) || v.isLink(archiveDir) {
			if archive, ok := v.sub(archiveDir); ok {
				all = append(all, workspacesIn(archive)...)
			}
		}
	}
	return all
}

func workspacesIn(dir *folder) []*folder {
	var all []*folder
	for _, name := range dir.names {
		if strings.HasPrefix(name, ".") || name == archiveDir {
			continue
		}
		if dir.isLink(name) {
			dir.rep.warn(dir.at(name), "is a symbolic link, which is not followed")
			continue
		}
		if !dir.isDir(name) {
			continue
		}
		if sub, ok := dir.sub(name); ok && isWorkspace(sub) {
			all = append(all, sub)
		}
	}
	return all
}

// isWorkspace tells the original's workspaces from other folders: from Arbor's own, whose vault may be the same folder, and from
// those that happen to hold a file of one of the names.
func isWorkspace(dir *folder) bool {
	hasConfig, hasGraph := dir.isFile(workspaceJSON), dir.isFile(graphJSON)
	if hasConfig && hasGraph || hasInfo(dir) {
		return true
	}
	for _, name := range []string{workspaceJSON, graphJSON} {
		if !dir.isFile(name) {
			continue
		}
		data, _ := dir.read(name)
		list, _ := members(data)
		for _, m := range list {
			switch m.key {
			case "rootNodeId", "currentFocus", "dirName":
				return true
			}
		}
	}
	return false
}

func hasInfo(dir *folder) bool {
	if !dir.isDir(nodesDir) {
		return false
	}
	nodes, ok := dir.sub(nodesDir)
	if !ok {
		return false
	}
	for _, name := range nodes.names {
		if !nodes.isDir(name) {
			continue
		}
		if sub, ok := nodes.sub(name); ok && sub.isFile(infoMD) {
			return true
		}
	}
	return false
}

// archived reports whether a workspace's folder lies in an archive.
func archived(dir *folder) bool { return path.Base(path.Dir(dir.path)) == archiveDir }
