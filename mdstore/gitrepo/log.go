package gitrepo

import (
	"bytes"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"arbor/mdstore"
	"arbor/mdstore/guard"
)

// A Change is a file that differs between two versions of the folder. On a side without the file it is the zero Blob.
// The file of the working tree has a mode and no id.
type Change struct {
	Path     mdstore.Path
	Old, New Blob
}

// A Commit is a commit that changed a file.
type Commit struct {
	ID       string
	Author   string // as git stores it: any text without NUL
	Time     time.Time
	Old, New Blob   // the file before and after; Old is the zero Blob if it came to its place
	Others   []Blob // for a merge: the file in the other parents, if all differ; Old is from the first that has it
}

// IsFile reports whether the blob is a regular file, not a link or a submodule.
func (b Blob) IsFile() bool { return strings.HasPrefix(b.Mode, "100") }

// Between returns the files of the folder that differ between two commits, whose full ids are given.
func (r *Repo) Between(ctx context.Context, a, b string) ([]Change, error) {
	out, err := r.Run(ctx, nil, within(r, "diff-tree", "-r", "--raw", "-z", "--no-renames", "--no-abbrev", a, b)...)
	return r.changes(out), err
}

// SinceCommit returns the files of the folder in the working tree that may differ from those of a commit, whose full id
// is given: without those that git ignores, and with some that only have another time.
func (r *Repo) SinceCommit(ctx context.Context, id string) ([]Change, error) {
	out, err := r.Run(ctx, nil, within(r, "diff-index", "--raw", "-z", "--no-renames", "--no-abbrev",
		"--ignore-submodules=all", id)...)
	if err != nil {
		return nil, err
	}
	all := r.changes(out)
	out, err = r.Run(ctx, nil, within(r, "ls-files", "-z", "--others", "--exclude-standard")...)
	for name := range strings.SplitSeq(string(out), "\x00") {
		if p, ok := r.InFolder(name); ok && p != "" {
			all = append(all, Change{Path: p, New: Blob{Mode: "100644"}})
		}
	}
	return all, err
}

// changes reads what git prints with --raw -z.
func (r *Repo) changes(out []byte) (all []Change) {
	fields := strings.Split(string(out), "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		if p, ok := r.InFolder(fields[i+1]); ok {
			c, _ := rawChange(fields[i])
			c.Path = p
			all = append(all, c)
		}
	}
	return all
}

// rawChange reads ":MODE MODE ID ID STATUS". The line of a merge has more modes and ids.
func rawChange(line string) (c Change, others []Blob) {
	sides := strings.IndexFunc(line, func(r rune) bool { return r != ':' }) + 1
	if words := strings.Fields(line[sides-1:]); len(words) == 2*sides+1 {
		blob := func(i int) Blob {
			b := Blob{Mode: words[i], ID: words[sides+i]}
			switch {
			case b.Mode == "000000":
				return Blob{}
			case strings.Trim(b.ID, "0") == "":
				b.ID = ""
			}
			return b
		}
		c.New = blob(sides - 1)
		for i := range sides - 1 {
			if old := blob(i); c.Old.Mode == "" {
				c.Old = old // from the first parent that has it
			} else {
				others = append(others, old)
			}
		}
	}
	return c, others
}

// FileLog returns the newest commits that changed the file at p, from the commit with the full id id on; at most most
// of them, unless that is 0. If the file was moved to p, the older commits are those of the similar file that it was.
func (r *Repo) FileLog(ctx context.Context, id string, p mdstore.Path, since time.Time, most int) ([]Commit, error) {
	args := []string{"log", "--follow", "--date-order", "--root", "--raw", "-z", "--no-abbrev", "--diff-merges=combined",
		"--encoding=UTF-8", "--format=%x01%H%x00%at%x00%aN"}
	if most > 0 {
		args = append(args, "--max-count="+strconv.Itoa(most))
	}
	if !since.IsZero() {
		args = append(args, "--since="+since.UTC().Format(time.RFC3339))
	}
	out, err := r.Run(ctx, nil, append(args, id, "--", r.InRepo(p))...)
	if err != nil {
		return nil, err
	}
	var all []Commit
	var c Commit
	fields := strings.Split(string(out), "\x00")
	for i := 0; i+2 < len(fields); i++ {
		field := strings.TrimPrefix(fields[i], "\n")
		if id, ok := strings.CutPrefix(field, "\x01"); ok {
			c = Commit{ID: id, Time: unix(fields[i+1]), Author: fields[i+2]}
			i += 2
		} else if strings.HasPrefix(field, ":") { // a merge that took one side's file unchanged has none
			change, others := rawChange(field)
			c.Old, c.New, c.Others = change.Old, change.New, others
			status := field[strings.LastIndexByte(field, ' ')+1:]
			if i++; others == nil && status != "" && strings.Contains("RC", status[:1]) {
				c.Old = Blob{}
				i++
			}
			all = append(all, c)
		}
	}
	return all, nil
}

// BlobAt returns the file at a path in a commit, whose full id is given; the zero Blob if there is none.
func (r *Repo) BlobAt(ctx context.Context, id string, p mdstore.Path) (Blob, error) {
	out, err := r.Run(ctx, nil, "ls-tree", "-z", "--full-tree", id, "--", r.InRepo(p))
	head, _, _ := strings.Cut(string(out), "\t")
	if words := strings.Fields(head); len(words) == 3 && words[1] == "blob" {
		return Blob{Mode: words[0], ID: words[2]}, err
	}
	return Blob{}, err
}

// Shallow returns the ids of the commits at which a shallow clone ends; none if the clone is whole.
func (r *Repo) Shallow() []string {
	data, _ := guard.ReadFile(r.Common, "shallow", 1<<24) // an unreadable file is taken as empty
	return strings.Fields(string(data))
}

// Blame returns for each line of a file, which holds data, the commit that added it; a commit without an id means none.
// A file that HEAD does not have is an *Error.
func (r *Repo) Blame(ctx context.Context, p mdstore.Path, data []byte) (lines []Commit, err error) {
	out, err := r.Run(ctx, data, "blame", "--line-porcelain", "--encoding=UTF-8", "--ignore-revs-file=", "--contents", "-",
		"--", r.InRepo(p))
	var c Commit
	for line := range strings.Lines(string(out)) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch {
		case line[0] == '\t':
			lines = append(lines, c)
		case key == "author":
			c.Author = value
		case key == "author-time":
			c.Time = unix(value)
		case len(key) >= 40 && strings.Trim(key, "0") == "":
			c = Commit{}
		case len(key) >= 40:
			c = Commit{ID: key}
		}
	}
	return lines, err
}

func unix(seconds string) time.Time {
	n, _ := strconv.ParseInt(seconds, 10, 64)
	return time.Unix(n, 0).UTC()
}

// Lately returns the versions of files in the commits and stashes that git's logs of HEAD and of stashes name last, at
// most most of each; each version of a file once. It asks git for the files of the first commit, and for the others
// only how they differ from the one before: to look up each file in each commit, git would read the whole folder each
// time.
func Lately(ctx context.Context, r *Repo, paths []mdstore.Path, most int) (texts map[mdstore.Path][][]byte, err error) {
	var trees []string
	for _, ref := range []string{"HEAD", "refs/stash"} {
		out, err := r.Run(ctx, nil, "log", "-g", "-n", strconv.Itoa(most), "--format=%T", ref, "--")
		if err != nil {
			continue // there is no such log
		}
		for id := range strings.FieldsSeq(string(out)) {
			if !slices.Contains(trees, id) {
				trees = append(trees, id)
			}
		}
	}
	if len(trees) == 0 || len(paths) == 0 {
		return nil, nil
	}
	named := map[string]mdstore.Path{}
	only := []string{"--"}
	for _, p := range paths {
		named[r.InRepo(p)] = p
		only = append(only, r.InRepo(p))
	}
	var ids []string
	holders := map[string][]mdstore.Path{}
	note := func(mode, id, path string) {
		p, asked := named[path]
		if !asked || !strings.HasPrefix(mode, "100") || slices.Contains(holders[id], p) {
			return
		}
		if holders[id] == nil {
			ids = append(ids, id)
		}
		holders[id] = append(holders[id], p)
	}
	out, err := r.Run(ctx, nil, slices.Concat([]string{"ls-tree", "-r", "-z", "--full-tree", trees[0]}, only)...)
	if err != nil {
		return nil, err
	}
	for entry := range strings.SplitSeq(string(out), "\x00") { // mode, type, id; TAB; path
		of, path, _ := strings.Cut(entry, "\t")
		if words := strings.Fields(of); len(words) == 3 {
			note(words[0], words[2], path)
		}
	}
	var pairs bytes.Buffer
	for i := range trees[1:] {
		pairs.WriteString(trees[i] + " " + trees[i+1] + "\n")
	}
	if out, err = r.Run(ctx, pairs.Bytes(), slices.Concat([]string{"diff-tree", "--stdin", "-r", "-z", "--raw", "--no-abbrev", "--no-renames"}, only)...); err != nil {
		return nil, err
	}
	was := ""
	for token := range strings.SplitSeq(string(out), "\x00") { // a line that names two trees; :mode mode id id change; path
		if _, of, ok := strings.Cut(was, ":"); ok {
			if words := strings.Fields(of); len(words) == 5 {
				note(words[0], words[2], token)
				note(words[1], words[3], token)
				token = ""
			}
		}
		was = token
	}
	texts = map[mdstore.Path][][]byte{}
	err = r.Blobs(ctx, ids, func(i int, data []byte) error {
		for _, p := range holders[ids[i]] {
			texts[p] = append(texts[p], data)
		}
		return nil
	})
	return texts, err
}

// An Entry is a commit of a Log.
type Entry struct {
	ID, Author, Subject string // Subject is the first line of the message
	Time                time.Time
	Paths               []mdstore.Path // the files of the folder that it changed; none for a merge
}

// Log returns the newest commits that changed files of the folder, from the commit with the full id id on: at most
// most, made at until or before. The zero time is no limit.
func (r *Repo) Log(ctx context.Context, id string, until time.Time, most int) (all []Entry, err error) {
	args := []string{"log", "--date-order", "--name-only", "-z", "--no-renames", "--encoding=UTF-8",
		"--format=%x01%H%x00%at%x00%aN%x00%s", "--max-count=" + strconv.Itoa(most)}
	if !until.IsZero() {
		args = append(args, "--until="+until.UTC().Format(time.RFC3339))
	}
	out, err := r.Run(ctx, nil, within(r, append(args, id)...)...)
	fields := strings.Split(string(out), "\x00")
	for i := 0; i < len(fields); i++ {
		field := strings.TrimPrefix(fields[i], "\n")
		if id, ok := strings.CutPrefix(field, "\x01"); ok && i+3 < len(fields) {
			all = append(all, Entry{ID: id, Time: unix(fields[i+1]), Author: fields[i+2], Subject: fields[i+3]})
			i += 3
		} else if p, ok := r.InFolder(field); ok && field != "" && len(all) > 0 {
			all[len(all)-1].Paths = append(all[len(all)-1].Paths, p)
		}
	}
	return all, err
}
