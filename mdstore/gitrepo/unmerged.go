package gitrepo

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"arbor/mdstore"
)

// An Unmerged is a file of the folder that is unmerged in git's index, which has several versions of it. Each is the id
// of a blob, "" if that side has no such file.
type Unmerged struct {
	Path               mdstore.Path
	Mode               string // as git writes it
	Base, Ours, Theirs string
}

// UnmergedIn returns the unmerged files of the folder, in the order of paths. Links and submodules are left out: they
// are git's.
func UnmergedIn(ctx context.Context, r *Repo) ([]Unmerged, error) {
	out, err := r.Run(ctx, nil, within(r, "ls-files", "-u", "-z")...)
	if err != nil {
		return nil, err
	}
	var all []Unmerged
	foreign := mdstore.Path("")
	for entry := range strings.SplitSeq(string(out), "\x00") {
		head, name, _ := strings.Cut(entry, "\t")
		words := strings.Fields(head)
		p, ok := r.InFolder(name)
		if !ok || len(words) != 3 || p == foreign {
			continue
		}
		if len(all) == 0 || all[len(all)-1].Path != p {
			all = append(all, Unmerged{Path: p})
		}
		u := &all[len(all)-1]
		if u.Mode = words[0]; !strings.HasPrefix(u.Mode, "100") {
			foreign, all = p, all[:len(all)-1]
			continue
		}
		switch words[2] {
		case "1":
			u.Base = words[1]
		case "2":
			u.Ours = words[1]
		case "3":
			u.Theirs = words[1]
		}
	}
	return all, nil
}

// within returns a command with the folder as its pathspec.
func within(r *Repo, args ...string) []string {
	if r.Prefix == "" {
		return args
	}
	return append(args, "--", strings.TrimSuffix(r.Prefix, "/"))
}

// Sides are the versions of a file; nil if a side has no such file.
type Sides struct{ Base, Ours, Theirs []byte }

// SidesOf returns the versions of unmerged files, in their order, by one process.
func SidesOf(ctx context.Context, r *Repo, all []Unmerged) ([]Sides, error) {
	sides := make([]Sides, len(all))
	var ids []string
	var into []*[]byte
	for i, u := range all {
		for id, to := range map[string]*[]byte{u.Base: &sides[i].Base, u.Ours: &sides[i].Ours, u.Theirs: &sides[i].Theirs} {
			if id != "" {
				ids, into = append(ids, id), append(into, to)
			}
		}
	}
	return sides, r.Blobs(ctx, ids, func(i int, data []byte) error { *into[i] = data; return nil })
}

// Resolve ends git's conflict in a file: it becomes these bytes in the index and in the working tree, nil removes it
// from both.
func Resolve(ctx context.Context, r *Repo, u Unmerged, data []byte) error {
	name := r.InRepo(u.Path)
	if data == nil {
		_, err := r.Run(ctx, nil, "rm", "-q", "-f", "--", name)
		return err
	}
	id, err := r.Run(ctx, data, "hash-object", "-w", "--stdin")
	if err != nil {
		return err
	}
	blob := strings.TrimSpace(string(id))
	info := fmt.Sprintf("0 %s\t%s\x00%s %s\t%s\x00", strings.Repeat("0", len(blob)), name, u.Mode, blob, name)
	if _, err = r.Run(ctx, []byte(info), "update-index", "-z", "--index-info"); err == nil {
		_, err = r.Run(ctx, nil, "checkout-index", "-q", "-f", "-u", "--", name)
	}
	return err
}

// Write writes a file of the folder in the working tree alone.
func Write(r *Repo, p mdstore.Path, data []byte) error {
	top, err := os.OpenRoot(r.Top) // no link leads out of it
	if err != nil {
		return err
	}
	defer top.Close()
	return top.WriteFile(filepath.FromSlash(r.InRepo(p)), data, 0o666)
}
