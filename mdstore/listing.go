package mdstore

import (
	"maps"
	"slices"
)

// Listed returns what Store.List yields under a folder, in its order, for a store that is given the paths of all files
// below the folder: those of files, and of files that are missing.
func Listed(under Path, files []Path) []Path {
	names := map[Path]bool{}
	if under == "" {
		listWorkspaces(files, names)
	} else {
		listInside(under, files, names)
	}
	return slices.Sorted(maps.Keys(names))
}

// listWorkspaces adds the own file of every workspace to names, also where that file is missing beside a folder of
// nodes.
func listWorkspaces(files []Path, names map[Path]bool) {
	for _, p := range files {
		for ; p != ""; p = p.Dir() { // a folder of that name is listed too, and cannot be read
			ws := WorkspaceDir(p)
			if own := WorkspacePath(ws); ws != "" && (p == own || p.Dir() == NodeKind.Folder(ws)) {
				names[own] = true
			}
		}
	}
}

// listInside adds the files of a workspace to names, and those that a kind asks for and that are missing.
func listInside(under Path, files []Path, names map[Path]bool) {
	kinds := AllKinds().In(under)
	if slices.Contains(kinds, WorkspaceKind) {
		names[WorkspacePath(under)] = true
	}
	asked := map[Path]bool{} // the files that kinds require, and whether their folder has one, at any depth
	var of []*Kind           // of the file at p, and of the folders above it
	for _, p := range files {
		if !p.Under(under) {
			continue
		}
		of = of[:0]
		for q := p; q != under; q = q.Dir() {
			of = append(of, AllKinds().Of(q))
		}
		for _, k := range kinds {
			top, each := k.Top(under, p)
			each = each && k.Place.Each && top.Base()[0] != '.'
			at := Path("")
			for i, q := 0, p; q != under && (!each || q != top); i, q = i+1, q.Dir() {
				if of[i] == k {
					at = q
				}
			}
			if at != "" {
				names[at] = true
			}
			if own := k.File(top); each {
				asked[own] = asked[own] || at != ""
			}
		}
	}
	for own, found := range asked {
		if !found {
			names[own] = true
		}
	}
}
