package gitrepo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"arbor/mdstore/guard"
)

// A Clash is a file that two commits have changed differently. The zero Blob stands for no file.
type Clash struct {
	Name               string // relative to the top of the working tree
	Base, Ours, Theirs Blob
}

// MergeTrees merges two commits without a working tree, by git 2.38 or newer. If both changed a file, or one changed
// and the other removed it, git does not merge it and runs no driver: the file is a Clash, and the tree has one of its
// versions. Renames are not looked for.
func (r *Repo) MergeTrees(ctx context.Context, ours, theirs string) (tree string, clashes []Clash, err error) {
	dir, err := os.MkdirTemp("", "arbor-git-")
	if err != nil {
		return "", nil, err
	}
	defer os.RemoveAll(dir)
	// A temporary repository over the same objects ignores the attributes and the configuration of the repository.
	format, err := r.line(r.Run(ctx, nil, "rev-parse", "--show-object-format"))
	if err == nil {
		_, err = r.Run(ctx, nil, "init", "--quiet", "--bare", "--template=", "--object-format="+format, dir)
	}
	if err == nil {
		err = os.MkdirAll(filepath.Join(dir, "info"), 0o700)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "info", "attributes"), []byte("* merge=binary -text -filter -ident -working-tree-encoding\n"), 0o600)
	}
	if err != nil {
		return "", nil, err
	}
	env := []string{"GIT_DIR=" + dir, "GIT_OBJECT_DIRECTORY=" + filepath.Join(r.Common, "objects")}
	if shallow := filepath.Join(r.Common, "shallow"); len(r.Shallow()) > 0 {
		env = append(env, "GIT_SHALLOW_FILE="+shallow)
	}
	out, err := r.RunEnv(ctx, env, nil, "-c", "merge.renames=false", "-c", "merge.directoryRenames=false",
		"merge-tree", "--write-tree", "-z", "--no-messages", ours, theirs)
	if failed, ok := errors.AsType[*Error](err); err != nil && !(ok && failed.Code == 1) {
		return "", nil, err
	}
	words := split(out)
	if len(words) == 0 {
		return "", nil, errors.New("git merge-tree says nothing")
	}
	for _, entry := range words[1:] {
		head, name, ok := strings.Cut(entry, "\t")
		f := strings.Fields(head)
		if !ok || len(f) != 3 {
			continue
		}
		if len(clashes) == 0 || clashes[len(clashes)-1].Name != name {
			clashes = append(clashes, Clash{Name: name})
		}
		c := &clashes[len(clashes)-1]
		switch b := (Blob{Mode: f[0], ID: f[1]}); f[2] {
		case "1":
			c.Base = b
		case "2":
			c.Ours = b
		case "3":
			c.Theirs = b
		}
	}
	return words[0], clashes, nil
}

// A Put is a file to put into a tree; with the zero Blob, the file is removed.
type Put struct {
	Name string
	Blob
}

// Graft returns a tree with other files, in their order.
func (r *Repo) Graft(ctx context.Context, tree string, puts []Put) (to string, err error) {
	if len(puts) == 0 {
		return tree, nil
	}
	err = r.tempIndex(func(env []string) error {
		if _, err := r.RunEnv(ctx, env, nil, "read-tree", "--reset", tree); err != nil {
			return err
		}
		var info strings.Builder
		for _, p := range puts {
			info.WriteString(entry(p.Blob, 0, p.Name, len(tree)))
		}
		if _, err := r.RunEnv(ctx, env, []byte(info.String()), "update-index", "-z", "--index-info"); err != nil {
			return err
		}
		to, err = r.line(r.RunEnv(ctx, env, nil, "write-tree"))
		return err
	})
	return to, err
}

// entry is a line of what git update-index --index-info takes. digits is the length of ids.
func entry(b Blob, stage int, name string, digits int) string {
	if b.ID == "" {
		return fmt.Sprintf("0 %s\t%s\x00", strings.Repeat("0", digits), name)
	}
	return fmt.Sprintf("%s %s %d\t%s\x00", b.Mode, b.ID, stage, name)
}

// Keep writes texts as blobs and returns their ids, by one process.
func (r *Repo) Keep(ctx context.Context, texts [][]byte) ([]string, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	dir, err := os.MkdirTemp("", "arbor-git-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	var names strings.Builder
	for i, text := range texts {
		name := filepath.Join(dir, fmt.Sprint(i))
		if err := os.WriteFile(name, text, 0o600); err != nil {
			return nil, err
		}
		names.WriteString(name + "\n")
	}
	out, err := r.Run(ctx, []byte(names.String()), "hash-object", "-w", "--no-filters", "--stdin-paths")
	ids := strings.Fields(string(out))
	if err == nil && len(ids) != len(texts) {
		err = fmt.Errorf("git hash-object has written %d of %d files", len(ids), len(texts))
	}
	return ids, err
}

// Lines merges three texts as lines. clean is false if the result has marks, or is ours because the texts are none.
func Lines(ctx context.Context, base, ours, theirs []byte) (merged []byte, clean bool, err error) {
	dir, err := os.MkdirTemp("", "arbor-git-")
	if err != nil {
		return nil, false, err
	}
	defer os.RemoveAll(dir)
	var names [3]string
	for i, text := range [][]byte{ours, base, theirs} {
		names[i] = filepath.Join(dir, strconv.Itoa(i))
		if err := os.WriteFile(names[i], text, 0o600); err != nil {
			return nil, false, err
		}
	}
	clean = MergeLines(ctx, names[0], names[1], names[2], 7, [3]string{"ours", "base", "theirs"}) == 0
	merged, err = guard.ReadFile(dir, "0", 1<<30)
	return merged, clean, err
}

// A Delta is a file that differs between two trees. The zero Blob stands for no file.
type Delta struct {
	Name     string
	Old, New Blob
}

// Deltas returns what differs between two commits or trees, in the order of names; "" is an empty tree. Renames are not
// looked for.
func (r *Repo) Deltas(ctx context.Context, a, b string) (all []Delta, err error) {
	if a == "" {
		if a, err = r.line(r.Run(ctx, nil, "hash-object", "-w", "-t", "tree", "--stdin")); err != nil {
			return nil, err
		}
	}
	out, err := r.Run(ctx, nil, "diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", a, b, "--")
	words := split(out)
	for i := 0; i+1 < len(words); i += 2 {
		f := strings.Fields(strings.TrimPrefix(words[i], ":"))
		if len(f) != 5 {
			return nil, fmt.Errorf("git diff-tree says %q", words[i])
		}
		d := Delta{Name: words[i+1], Old: Blob{f[0], f[2]}, New: Blob{f[1], f[3]}}
		if strings.Trim(d.Old.ID, "0") == "" {
			d.Old = Blob{}
		}
		if strings.Trim(d.New.ID, "0") == "" {
			d.New = Blob{}
		}
		all = append(all, d)
	}
	return all, err
}

// Plain reports whether b is a regular file, or none.
func (b Blob) Plain() bool { return b.Mode == "" || strings.HasPrefix(b.Mode, "100") }

// A Waiting is a merge that waits for people, as git and Arbor keep it in git's folder.
type Waiting struct {
	Ours, Theirs string // the commits that are merged
	Tree         string // the merge, with marks in the files that people decide on
}

const (
	mergeHead = "MERGE_HEAD"
	syncState = "ARBOR_SYNC"
)

// Waiting returns the merge of a sync that waits for people; ok is false if git is in no merge, or in another one.
func (r *Repo) Waiting() (w Waiting, ok bool) {
	state, err := guard.ReadFile(r.Dir, syncState, 1<<12)
	head, again := guard.ReadFile(r.Dir, mergeHead, 1<<12)
	f := strings.Fields(string(state))
	if err != nil || again != nil || len(f) != 3 || f[1] != string(bytes.TrimSpace(head)) {
		return Waiting{}, false
	}
	return Waiting{f[0], f[1], f[2]}, true
}

// Wait leaves the state of a stopped merge as git merge does: each file's versions in the index, and the message of
// the commit.
func (r *Repo) Wait(ctx context.Context, w Waiting, message string, clashes []Clash) error {
	for _, f := range []struct{ name, text string }{
		{syncState, w.Ours + "\n" + w.Theirs + "\n" + w.Tree + "\n"}, {"MERGE_MSG", message}, {"MERGE_MODE", ""}, {mergeHead, w.Theirs + "\n"},
	} {
		if err := os.WriteFile(filepath.Join(r.Dir, f.name), []byte(f.text), 0o666); err != nil {
			return err
		}
	}
	var info strings.Builder
	for _, c := range clashes {
		info.WriteString(entry(Blob{}, 0, c.Name, len(w.Tree)))
		for i, b := range []Blob{c.Base, c.Ours, c.Theirs} {
			if b.ID != "" {
				info.WriteString(entry(b, i+1, c.Name, len(w.Tree)))
			}
		}
	}
	_, err := r.Run(ctx, []byte(info.String()), "update-index", "-z", "--index-info")
	return err
}

// EndWait removes the state of a merge that stopped.
func (r *Repo) EndWait() error {
	var failed error
	for _, name := range []string{mergeHead, "MERGE_MODE", "MERGE_MSG", syncState} {
		if err := os.Remove(filepath.Join(r.Dir, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			failed = errors.Join(failed, err)
		}
	}
	return failed
}
