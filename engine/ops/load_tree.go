package ops

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"arbor/mdstore"
)

const (
	treeLines   = 200   // of workspaceStructure, besides the top folder and a line that counts what does not fit in it
	treeMost    = 20000 // files and folders that are looked at
	recentFiles = 5
)

// indexNames are names of files that describe their folder, in lower case, up to the first dot.
var indexNames = []string{"index", "readme", "summary", "moc", "overview"}

// A RecentFile is one of the files below the root folder that were changed last.
type RecentFile struct {
	Path     string `json:"path"`
	Modified int64  `json:"modified"` // Unix milliseconds
}

// addTree adds to a load the files and folders below the root folder. Its hint proposes files of the root folder that
// describe it (see indexNames) and are not in listed.
func addTree(ctx context.Context, env *Env, root string, listed []mdstore.Ref, l *Loaded, out *WorkspaceLoadOut) error {
	all, lacking, err := env.Engine.Tree(ctx, root, treeMost)
	if err != nil {
		return err
	}
	if lacking != "" {
		l.Warnings = append(l.Warnings, "root folder "+root+": "+lacking)
	}
	top := inProject(env, root)
	lines, folders := outlined(all, top, treeLines)
	l.WorkspaceStructure, out.WorkspaceContext.WorkspacePath = nonNil(lines), nonNil(folders)
	files := slices.DeleteFunc(all, func(x mdstore.TreeEntry) bool { return x.Folder })
	var index []string
	for _, x := range files {
		name, _, _ := strings.Cut(strings.ToLower(path.Base(x.Path)), ".")
		known := func(r mdstore.Ref) bool { return inProject(env, r.Target) == x.Path }
		if path.Dir(x.Path) == top && slices.Contains(indexNames, name) && !slices.ContainsFunc(listed, known) {
			index = append(index, x.Path)
		}
	}
	if index != nil {
		out.Hint = "not listed yet, possibly worth reading: " + beginning(strings.Join(index, ", "), 200)
	}
	slices.SortStableFunc(files, func(a, b mdstore.TreeEntry) int { return cmp.Compare(b.Modified, a.Modified) })
	for _, x := range files[:min(len(files), recentFiles)] {
		l.RecentFiles = append(l.RecentFiles, RecentFile{x.Path, x.Modified})
	}
	return nil
}

// inProject returns a path in the form of engine.Tree: relative to the project if possible, clean, with slashes.
func inProject(env *Env, p string) string {
	if project := env.Engine.Project(); filepath.IsAbs(p) && project != "" {
		if rel, err := filepath.Rel(project, p); err == nil {
			p = rel
		}
	}
	return path.Clean(filepath.ToSlash(p))
}

// outlined returns the files and folders of all in the order of their paths, behind the top folder, in at most that
// many lines. If the entries of a folder do not fit, its line says how many files are below it instead; folders near
// the top are shown first. Of the top folder it shows the first entries that fit, and at the end a line with the number
// of the others. folders are the folders among the lines.
func outlined(all []mdstore.TreeEntry, top string, most int) (lines, folders []string) {
	below, files := map[string][]mdstore.TreeEntry{}, map[string]int{}
	for _, x := range all {
		below[path.Dir(x.Path)] = append(below[path.Dir(x.Path)], x)
		for at := x.Path; !x.Folder && at != top && at != "."; {
			at = path.Dir(at)
			files[at]++
		}
	}
	if len(all) == 0 {
		return nil, nil
	}
	shown, more := []mdstore.TreeEntry{}, ""
	full := map[string]bool{} // folders whose entries did not fit
	for queue := []string{top}; len(queue) > 0; queue = queue[1:] {
		in := below[queue[0]]
		if room := most - len(shown); len(in) > room {
			if queue[0] != top {
				full[queue[0]] = true
				continue
			}
			in, more = in[:room], fmt.Sprintf("%s/ (%d more)", top, len(in)-room)
		}
		for _, x := range in {
			if x.Folder {
				queue = append(queue, x.Path)
			}
			shown = append(shown, x)
		}
	}
	slices.SortFunc(shown, func(a, b mdstore.TreeEntry) int {
		return slices.Compare(strings.Split(a.Path, "/"), strings.Split(b.Path, "/"))
	})
	for _, x := range append([]mdstore.TreeEntry{{Path: top, Folder: true}}, shown...) {
		line := x.Path
		if x.Folder {
			line += "/"
			folders = append(folders, line)
		}
		if full[x.Path] {
			line += fmt.Sprintf(" (%d files)", files[x.Path])
		}
		lines = append(lines, line)
	}
	if more != "" {
		lines = append(lines, more)
	}
	return lines, folders
}
