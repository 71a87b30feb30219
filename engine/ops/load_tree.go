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
	treeLines   = 200   // of workspaceStructure, besides one that counts the top entries that do not fit
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
		out.Hint = "not listed yet, and maybe worth reading: " + beginning(strings.Join(index, ", "), 200)
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

// outlined returns the files and folders of all, breadth first, in at most that many lines. If the entries of a folder
// do not fit, its line says how many files are below it instead. Of the top folder it shows the first entries that fit,
// and one more line with the number of the others. folders are the folders among the lines.
func outlined(all []mdstore.TreeEntry, top string, most int) (lines, folders []string) {
	below, files := map[string][]mdstore.TreeEntry{}, map[string]int{}
	for _, x := range all {
		below[path.Dir(x.Path)] = append(below[path.Dir(x.Path)], x)
		for at := x.Path; !x.Folder && at != top && at != "."; {
			at = path.Dir(at)
			files[at]++
		}
	}
	at := map[string]int{} // the line of each folder
	for queue := []string{top}; len(queue) > 0; queue = queue[1:] {
		in, rest := below[queue[0]], 0
		if room := most - len(lines); len(in) > room {
			i, shown := at[queue[0]]
			if shown {
				lines[i] += fmt.Sprintf(" (%d files)", files[queue[0]])
				continue
			}
			in, rest = in[:room], len(in)-room
		}
		for _, x := range in {
			if x.Folder {
				at[x.Path] = len(lines)
				queue = append(queue, x.Path)
				x.Path += "/"
				folders = append(folders, x.Path)
			}
			lines = append(lines, x.Path)
		}
		if rest > 0 {
			lines = append(lines, fmt.Sprintf("%s/ (%d more)", queue[0], rest))
		}
	}
	return lines, folders
}
