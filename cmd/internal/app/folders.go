package app

import (
	"os"
	"path/filepath"
	"strings"

	"arbor/mdstore/guard"
)

// folders returns the folders in which a vault is looked for, from dir upwards, and the index of the top of the
// project: the root of the git repository that dir lies in, or -1 if it is in none. The top of a submodule is that of
// its superproject, and that of a linked working tree is the main one, from which the search goes on. A home folder is
// never a top, although some people keep it in git.
func folders(dir, home string) (all []string, top int) {
	top = -1
	submodule, at := "", -1 // a submodule whose superproject was not found yet: its git folder, and its index in all
	for dir := filepath.Clean(dir); ; {
		all = append(all, dir)
		if git, linked := gitFolder(dir); top < 0 && git != "" && !sameDir(dir, home) {
			main := mainTree(dir, git)
			switch {
			case submodule != "" && !isBelow(submodule, git):
				top = at
			case linked && main != "":
				dir, submodule = main, ""
				continue
			case linked && strings.Contains(filepath.ToSlash(git), "/modules/"):
				submodule, at = git, len(all)-1
			default:
				top = len(all) - 1
			}
		}
		up := filepath.Dir(dir)
		if up == dir {
			break
		}
		dir = up
	}
	if top < 0 {
		top = at
	}
	return all, top
}

// gitFolder returns git's folder for the working tree at dir, "" if dir is not the top of one; linked is true if .git
// is a file that names the folder.
func gitFolder(dir string) (git string, linked bool) {
	git = filepath.Join(dir, ".git")
	if isDir(git) {
		return git, false
	}
	to := firstLine(dir, ".git")
	if to, linked = strings.CutPrefix(to, "gitdir: "); !linked {
		return "", false
	}
	if !filepath.IsAbs(to) {
		to = filepath.Join(dir, to)
	}
	return filepath.Clean(to), true
}

// mainTree returns the main working tree of the linked one at dir; "" if dir is not linked or there is no main one.
// Git's folder must name dir in turn, because the file .git may have come with an archive.
func mainTree(dir, git string) string {
	common := filepath.Dir(filepath.Dir(git))
	if filepath.Base(filepath.Dir(git)) != "worktrees" || filepath.Base(common) != ".git" || !isDir(common) {
		return ""
	}
	back := firstLine(git, "gitdir")
	if !filepath.IsAbs(back) {
		back = filepath.Join(git, back)
	}
	if !sameDir(filepath.Dir(back), dir) {
		return ""
	}
	return filepath.Dir(common)
}

// firstLine returns the first line of a file, "" if it cannot be read.
func firstLine(dir, name string) string {
	data, err := guard.ReadFile(dir, name, 1<<12)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(data), "\n")
	return strings.TrimRight(line, "\r")
}

// isBelow reports whether a path is below another.
func isBelow(path, dir string) bool {
	rel, err := filepath.Rel(realDir(dir), realDir(path))
	return err == nil && rel != "." && filepath.IsLocal(rel)
}

func realDir(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// sameDir reports whether two paths, which need not exist, are the same folder.
func sameDir(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	if filepath.Clean(a) == filepath.Clean(b) {
		return true
	}
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
