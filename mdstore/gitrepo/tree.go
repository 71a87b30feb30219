package gitrepo

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"arbor/mdstore"
)

// Rev returns the full id of the commit that a person's text names, such as main, HEAD~2 or v1. A text that begins with
// "-" is refused.
func (r *Repo) Rev(ctx context.Context, text string) (string, error) {
	out, err := r.Run(ctx, nil, "rev-parse", "--verify", "--quiet", "--end-of-options", text+"^{commit}")
	if failed, ok := errors.AsType[*Error](err); ok || err == nil && len(bytes.TrimSpace(out)) == 0 {
		why := ""
		if ok && failed.Stderr != "" {
			why = ": " + failed.Stderr
		}
		return "", fmt.Errorf("git knows no commit %q%s; git log --oneline and git branch -a list them", text, why)
	}
	return strings.TrimSpace(string(out)), err
}

// A Blob is a file of a tree.
type Blob struct {
	Mode string // as git writes it: 100644, 100755, 120000 (a link)
	ID   string
}

// Tree returns the regular files of the folder in a commit or tree, whose full id is given.
func (r *Repo) Tree(ctx context.Context, id string) (map[mdstore.Path]Blob, error) {
	out, err := r.Run(ctx, nil, "ls-tree", "-r", "-z", "--full-tree", id, "--", strings.TrimSuffix(r.Prefix, "/"))
	if r.Prefix == "" {
		out, err = r.Run(ctx, nil, "ls-tree", "-r", "-z", "--full-tree", id)
	}
	if err != nil {
		return nil, err
	}
	files := map[mdstore.Path]Blob{}
	for entry := range strings.SplitSeq(string(out), "\x00") {
		head, name, _ := strings.Cut(entry, "\t")
		words := strings.Fields(head)
		if p, ok := r.InFolder(name); ok && len(words) == 3 && words[1] == "blob" && strings.HasPrefix(words[0], "100") {
			files[p] = Blob{Mode: words[0], ID: words[2]}
		}
	}
	return files, nil
}

// Blobs calls f with the bytes of each blob, in the order of ids, by one process. A missing object, as in a partial
// clone without its remote, is an error.
func (r *Repo) Blobs(ctx context.Context, ids []string, f func(i int, data []byte) error) error {
	if len(ids) == 0 {
		return nil
	}
	cmd := r.command(ctx, nil, "cat-file", "--batch")
	cmd.Stdin = strings.NewReader(strings.Join(ids, "\n") + "\n")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	pipe, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return err
	}
	in := bufio.NewReaderSize(pipe, 1<<16)
	read := func() error {
		for i, id := range ids {
			line, err := in.ReadString('\n')
			if err != nil {
				return fmt.Errorf("git cat-file: %w: %s", err, strings.TrimSpace(stderr.String()))
			}
			words := strings.Fields(line)
			if len(words) != 3 || words[1] != "blob" {
				return fmt.Errorf("git cat-file: %s is no file that is here: %s", id, strings.TrimSpace(line))
			}
			size, err := strconv.Atoi(words[2])
			if err != nil {
				return err
			}
			data := make([]byte, size+1)
			if _, err := io.ReadFull(in, data); err != nil {
				return err
			}
			if err := f(i, data[:size:size]); err != nil {
				return err
			}
		}
		return nil
	}
	err = read()
	_ = pipe.Close() // this ends a git that is still writing
	if ended := cmd.Wait(); err == nil && ctx.Err() != nil {
		err = errors.Join(context.Cause(ctx), ended)
	}
	return err
}

// Files returns the files of the folder in a commit or tree, whose full id is given: those for which keep returns true,
// or all if it is nil.
func (r *Repo) Files(ctx context.Context, id string, keep func(mdstore.Path) bool) (map[mdstore.Path][]byte, error) {
	tree, err := r.Tree(ctx, id)
	if err != nil {
		return nil, err
	}
	var ids []string
	var paths []mdstore.Path
	for p, b := range tree {
		if keep == nil || keep(p) {
			ids, paths = append(ids, b.ID), append(paths, p)
		}
	}
	files := make(map[mdstore.Path][]byte, len(ids))
	err = r.Blobs(ctx, ids, func(i int, data []byte) error { files[paths[i]] = data; return nil })
	return files, err
}
