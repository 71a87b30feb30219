package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// networkTime is the longest that a fetch or a push takes.
const networkTime = 2 * time.Minute

// network runs git with a command that speaks to a remote.
func (r *Repo) network(ctx context.Context, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, networkTime, errors.New("the remote did not answer within two minutes"))
	defer cancel()
	return r.Run(ctx, nil, args...)
}

// Fetch brings the upstream of a branch here and returns its commit, "" if the remote has no such branch yet.
func (r *Repo) Fetch(ctx context.Context, h Head) (string, error) {
	if h.Remote != "." {
		_, err := r.network(ctx, "fetch", "--quiet", "--upload-pack=git-upload-pack", "--no-tags", "--no-prune", "--no-recurse-submodules", "--no-write-fetch-head", "--refmap=",
			"--", h.Remote, "+"+h.Upstream+":"+h.Tracking)
		if failed, ok := errors.AsType[*Error](err); ok && strings.Contains(failed.Stderr, "couldn't find remote ref") {
			return "", nil
		} else if err != nil {
			return "", err
		}
	}
	return r.commit(ctx, h.Tracking)
}

// Fetched returns the commit of the upstream as it was last fetched, "" for none.
func (r *Repo) Fetched(ctx context.Context, h Head) (string, error) { return r.commit(ctx, h.Tracking) }

// ErrBehind says that a push was refused because the remote has commits that this clone does not have.
var ErrBehind = errors.New("the remote has commits that this clone does not have")

// Push makes a commit the upstream of a branch. The error is ErrBehind if another push was faster. Push refuses a
// remote inside of this folder, because it may have come with the folder, and a push would run its hooks.
func (r *Repo) Push(ctx context.Context, h Head, commit string) error {
	urls, _ := r.Run(ctx, nil, "remote", "get-url", "--push", "--all", "--", h.Remote) // the push reports any error
	for url := range strings.Lines(string(urls)) {
		if r.within(strings.TrimSuffix(url, "\n")) {
			return fmt.Errorf("the remote %s is a repository in this folder, whose hooks a push would run; push by git, or move it out", h.Remote)
		}
	}
	out, err := r.network(ctx, "push", "--porcelain", "--receive-pack=git-receive-pack", "--quiet", "--no-verify", "--no-signed", "--no-follow-tags", "--recurse-submodules=no",
		"--", h.Remote, commit+":"+h.Upstream)
	if err != nil && (strings.Contains(string(out), "[rejected]") || strings.Contains(string(out), "(cannot lock ref") ||
		strings.Contains(string(out), "(failed to update ref")) {
		return ErrBehind
	}
	if _, why, refused := strings.Cut(string(out), "[remote rejected]"); err != nil && refused {
		why, _, _ = strings.Cut(why, "\n")
		err = fmt.Errorf("the remote refused it:%s", why)
	}
	return err
}

// within reports whether the address of a remote is a path in the working tree or in its git directory.
func (r *Repo) within(url string) bool {
	path, file := strings.CutPrefix(url, "file://")
	if strings.Contains(url, "://") && !file {
		return false
	}
	if path = filepath.FromSlash(path); !filepath.IsAbs(path) {
		path = filepath.Join(r.Top, path)
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return slices.ContainsFunc([]string{r.Top, r.Dir, r.Common}, func(dir string) bool {
		rel, err := filepath.Rel(filepath.FromSlash(dir), path)
		_, gone := os.Stat(path) // host:path names another machine
		return err == nil && filepath.IsLocal(rel) && gone == nil
	})
}

// A Logged is a commit, in short.
type Logged struct {
	ID, Short, Author, Subject string
}

// Logged returns the commits in the history of has that are not in that of lacks, the newest first; lacks may be "".
func (r *Repo) Logged(ctx context.Context, lacks, has string) (all []Logged, err error) {
	args := []string{"log", "-z", "--format=%H%x01%h%x01%aN%x01%s", has}
	if lacks != "" {
		args = append(args, "^"+lacks)
	}
	out, err := r.Run(ctx, nil, append(args, "--")...)
	for _, entry := range split(out) {
		if f := strings.SplitN(entry, "\x01", 4); len(f) == 4 {
			all = append(all, Logged{f[0], f[1], f[2], f[3]})
		}
	}
	return all, err
}

// Foreign returns the commits that change a file outside of the folder. A merge changes a file if it differs from that
// of every parent.
func (r *Repo) Foreign(ctx context.Context, all []Logged) (foreign []Logged, err error) {
	var ids strings.Builder
	for _, c := range all {
		ids.WriteString(c.ID + "\n")
	}
	out, err := r.Run(ctx, []byte(ids.String()), "diff-tree", "--stdin", "--always", "-r", "-c", "--root", "--no-renames", "--name-only", "-z")
	at := -1
	for _, word := range split(out) {
		if at+1 < len(all) && word == all[at+1].ID {
			at++
		} else if _, ok := r.InFolder(word); !ok && at >= 0 {
			foreign = append(foreign, all[at])
		}
	}
	return slices.Compact(foreign), err
}

// MergeBase returns the newest commit that two have in common, "" for none.
func (r *Repo) MergeBase(ctx context.Context, a, b string) (string, error) {
	out, err := r.line(r.Run(ctx, nil, "merge-base", a, b))
	if failed, ok := errors.AsType[*Error](err); ok && failed.Code == 1 {
		return "", nil
	}
	return out, err
}
