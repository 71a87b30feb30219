package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"arbor/mdstore"
	"arbor/mdstore/guard"
)

// A Head is what is checked out, and the branch of a remote that it follows.
type Head struct {
	Commit   string // "" before the first one
	Branch   string // its full name; "" if the head is detached
	Remote   string // "" if the branch has no upstream; "." where that is a branch of this repository
	Upstream string // the full name of the upstream in the remote
	Tracking string // its full name in this repository, where it is as last fetched
}

// Head returns what is checked out.
func (r *Repo) Head(ctx context.Context) (h Head, err error) {
	if h.Commit, err = r.commit(ctx, "HEAD"); err != nil {
		return h, err
	}
	out, err := r.Run(ctx, nil, "symbolic-ref", "-q", "HEAD")
	if failed, ok := errors.AsType[*Error](err); ok && failed.Code == 1 {
		return h, nil
	} else if err != nil {
		return h, err
	}
	h.Branch = strings.TrimSpace(string(out))
	out, err = r.Run(ctx, nil, "for-each-ref", "--format=%(refname)%00%(upstream:remotename)%00%(upstream:remoteref)%00%(upstream)", h.Branch)
	for line := range strings.Lines(string(out)) {
		if f := strings.Split(strings.TrimSuffix(line, "\n"), "\x00"); len(f) == 4 && f[0] == h.Branch && f[1] != "" && f[2] != "" && f[3] != "" {
			h.Remote, h.Upstream, h.Tracking = f[1], f[2], f[3]
		}
	}
	return h, err
}

// commit returns the id of the commit that a full name of a ref stands for, "" for none.
func (r *Repo) commit(ctx context.Context, ref string) (string, error) {
	out, err := r.Run(ctx, nil, "rev-parse", "--verify", "--quiet", "--end-of-options", ref+"^{commit}")
	if _, ok := errors.AsType[*Error](err); ok {
		return "", nil
	}
	return strings.TrimSpace(string(out)), err
}

// Older reports whether git is older than a version, and returns git's version as git prints it.
func (r *Repo) Older(ctx context.Context, major, minor int) (version string, older bool, err error) {
	out, err := r.Run(ctx, nil, "version")
	version = strings.TrimPrefix(strings.TrimSpace(string(out)), "git version ")
	var is, less int
	if _, again := fmt.Sscanf(version, "%d.%d", &is, &less); err == nil && again != nil {
		err = fmt.Errorf("git version says %q", out)
	}
	return version, is < major || is == major && less < minor, err
}

// unfinished are the files and folders that git keeps in its own folder while an operation is not finished.
var unfinished = []struct{ name, what string }{
	{mergeHead, "merge"}, {"rebase-merge", "rebase"}, {"rebase-apply", "rebase"}, {"CHERRY_PICK_HEAD", "cherry-pick"},
	{"REVERT_HEAD", "revert"}, {"sequencer", "cherry-pick"},
}

// Amid returns which operation of git is not finished, as "merge"; "" for none.
func (r *Repo) Amid() string {
	for _, u := range unfinished {
		if _, err := os.Lstat(filepath.Join(r.Dir, u.name)); err == nil {
			return u.what
		}
	}
	return ""
}

// Nobody reports whether git has no name and address for the author of a commit.
func (r *Repo) Nobody(ctx context.Context) bool {
	for _, who := range []string{"GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"} {
		if _, err := r.Run(ctx, nil, "-c", "user.useConfigOnly=true", "var", who); err != nil {
			return ctx.Err() == nil
		}
	}
	return false
}

// tempIndex calls f with the environment variable that makes git use a temporary copy of the repository's index.
func (r *Repo) tempIndex(f func(env []string) error) error {
	dir, err := os.MkdirTemp("", "arbor-git-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	data, err := guard.ReadFile(r.Dir, "index", 1<<30)
	if err == nil {
		copied := filepath.Join(dir, "index")
		err = os.WriteFile(copied, data, 0o600)
		if info, gone := os.Stat(filepath.Join(r.Dir, "index")); err == nil && gone == nil {
			err = os.Chtimes(copied, info.ModTime(), info.ModTime()) // git compares files that are not older than the index
		}
	} else if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	if err != nil {
		return err
	}
	return f([]string{"GIT_INDEX_FILE=" + filepath.Join(dir, "index")})
}

// Snapshot returns the tree of a commit or tree with the folder's files as the working tree has them, and the names of
// those that differ. What git ignores stays out, and so does what belongs to this machine. "" is no commit.
func (r *Repo) Snapshot(ctx context.Context, of string) (tree string, names []string, err error) {
	err = r.tempIndex(func(env []string) error {
		start := []string{"read-tree", "--reset", of}
		if of == "" {
			start = []string{"read-tree", "--empty"}
		}
		if _, err := r.RunEnv(ctx, env, nil, start...); err != nil {
			return err
		}
		list := within(r, "ls-files", "-z", "--modified", "--deleted", "--others", "--exclude-standard")
		out, err := r.RunEnv(ctx, env, nil, list...)
		if err != nil {
			return err
		}
		for _, name := range split(out) {
			p, ok := r.InFolder(name)
			if ok && !p.Under(mdstore.LocalDir) && !strings.HasSuffix(name, "/") { // a repository in it is another's
				names = append(names, name)
			}
		}
		slices.Sort(names)
		names = slices.Compact(names)
		if err := r.stage(ctx, env, names); err != nil {
			return err
		}
		tree, err = r.line(r.RunEnv(ctx, env, nil, "write-tree"))
		return err
	})
	return tree, names, err
}

// Stage brings files as the working tree has them into the index.
func (r *Repo) Stage(ctx context.Context, names []string) error { return r.stage(ctx, nil, names) }

func (r *Repo) stage(ctx context.Context, env []string, names []string) error {
	if len(names) == 0 {
		return nil
	}
	_, err := r.RunEnv(ctx, env, joined(names), "update-index", "--add", "--remove", "--replace", "-z", "--stdin")
	return err
}

// Filtered returns those of the names to which git's attributes give a filter. Arbor runs none of the repository's own
// configuration, so it must not write such a file, nor commit it.
func (r *Repo) Filtered(ctx context.Context, names []string) (filtered []string, err error) {
	if len(names) == 0 {
		return nil, nil
	}
	out, err := r.Run(ctx, joined(names), "check-attr", "-z", "--stdin", "filter")
	words := split(out)
	for i := 0; i+2 < len(words); i += 3 {
		if words[i+2] != "unspecified" && words[i+2] != "unset" {
			filtered = append(filtered, words[i])
		}
	}
	return filtered, err
}

// NewCommit makes a commit, which no branch has yet.
func (r *Repo) NewCommit(ctx context.Context, tree, message string, parents ...string) (string, error) {
	args := []string{"commit-tree", "--no-gpg-sign"}
	for _, p := range parents {
		if p != "" {
			args = append(args, "-p", p)
		}
	}
	return r.line(r.Run(ctx, []byte(message), append(args, "-F", "-", tree)...))
}

// Advance moves HEAD or its branch from one commit, "" for none, to another. It fails if from is not the present
// commit.
func (r *Repo) Advance(ctx context.Context, from, to, why string) error {
	if from == "" {
		from = strings.Repeat("0", len(to))
	}
	_, err := r.Run(ctx, nil, "update-ref", "--create-reflog", "-m", why, "HEAD", to, from)
	return err
}

// Switch brings the index and the working tree from one tree to the other. If a file that must be written has local
// changes, it returns an error and writes nothing.
func (r *Repo) Switch(ctx context.Context, from, to string) error {
	_, _ = r.Run(ctx, nil, "update-index", "-q", "--refresh") // it fails if a file has changed, which is handled below
	_, err := r.Run(ctx, nil, "read-tree", "-m", "-u", from, to)
	return err
}

// line returns what a command has printed without the end of the line.
func (r *Repo) line(out []byte, err error) (string, error) {
	return strings.TrimSpace(string(out)), err
}

func split(out []byte) []string {
	if len(out) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}

func joined(names []string) []byte { return []byte(strings.Join(names, "\x00") + "\x00") }
