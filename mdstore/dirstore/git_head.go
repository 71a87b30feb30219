package dirstore

import (
	"bufio"
	"bytes"
	"context"
	"path/filepath"
	"strings"

	"arbor/mdstore/guard"
)

// Head returns the id of the commit that is checked out in the project's repository; "" if there is none or it cannot
// be told.
func (d docs) Head(ctx context.Context) string {
	project, err := filepath.EvalSymlinks(d.project)
	if err != nil || ctx.Err() != nil {
		return ""
	}
	_, dir := findGit(project)
	if dir == "" {
		return ""
	}
	head := firstLine(dir, "HEAD")
	ref, named := strings.CutPrefix(head, "ref: ")
	if !named {
		return commitID(head)
	}
	shared := commonDir(dir)
	for _, at := range []string{dir, shared} {
		if id := commitID(firstLine(at, filepath.FromSlash(ref))); id != "" {
			return id
		}
	}
	packed, err := guard.ReadFile(shared, "packed-refs", 1<<26)
	if err != nil {
		return ""
	}
	for lines := bufio.NewScanner(bytes.NewReader(packed)); lines.Scan(); {
		if id, of, _ := strings.Cut(lines.Text(), " "); of == ref {
			return commitID(id)
		}
	}
	return ""
}

// commonDir returns the git directory with the branches and objects: dir itself, or for a linked working tree that of
// its main repository.
func commonDir(dir string) string {
	switch to := firstLine(dir, "commondir"); {
	case to == "":
		return dir
	case filepath.IsAbs(to):
		return to
	default:
		return filepath.Join(dir, to)
	}
}

// firstLine returns the first line of a small file in a git directory; "" if it cannot be read.
func firstLine(dir, name string) string {
	data, err := guard.ReadFile(dir, name, 1<<12)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(data), "\n")
	return strings.TrimSpace(line)
}

// commitID returns s if it has the form of a commit id, SHA-1 or SHA-256, and otherwise "".
func commitID(s string) string {
	if len(s) != 40 && len(s) != 64 || strings.Trim(s, "0123456789abcdef") != "" {
		return ""
	}
	return s
}
