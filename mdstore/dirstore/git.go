package dirstore

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"arbor/mdstore"
	"arbor/mdstore/dirstore/internal/osfs"
	"arbor/mdstore/guard"
)

// While git rewrites a working tree, a commit to it may be overwritten: by the checkout itself, or by the --abort that
// ends a merge. So commits wait until git is done. They are refused if that takes long, because a person is in the
// middle of something then.
const (
	gitPatience      = 5 * time.Second        // how long a commit waits for git
	checkoutPatience = 800 * time.Millisecond // how long the watcher waits for the end of a checkout
	stashGap         = time.Second            // how long git may take from logging a stash to resetting the working tree
)

// gitLock is the file that git holds while it writes to its index, and with it to the working tree.
const gitLock = "index.lock"

// A gitState is an unfinished operation of git: the file or folder that shows it, a description, and how to end it.
type gitState struct{ name, doing, end string }

// gitStates are the files and folders that git keeps in its own folder while an operation is not finished.
var gitStates = []gitState{
	{gitLock, "git is writing to the working tree", "wait for it; if no git is running any more, remove the file"},
	{"MERGE_HEAD", "git is in the middle of a merge", "end it with git merge --continue or git merge --abort"},
	{"rebase-merge", "git is in the middle of a rebase", "end it with git rebase --continue or git rebase --abort"},
	{"rebase-apply", "git is in the middle of a rebase or of applying patches", "end it with git rebase --continue or --abort (git am --continue or --abort)"},
	{"CHERRY_PICK_HEAD", "git is in the middle of a cherry-pick", "end it with git cherry-pick --continue or git cherry-pick --abort"},
	{"sequencer", "git is in the middle of picking or reverting several commits", "end it with git cherry-pick or git revert, and --continue or --abort"},
	{"REVERT_HEAD", "git is in the middle of a revert", "end it with git revert --continue or git revert --abort"},
}

// git watches the git repository that contains a vault.
type git struct {
	vault    string        // the vault's folder, with no link in it
	patience time.Duration // how long a commit waits; if negative, commits ignore git
}

// busy returns the unfinished operation of git in the vault's repository, or nil.
func (g git) busy() *mdstore.BusyError { return g.amid(gitStates) }

// working is like busy, but only for git writing to the working tree at this moment.
func (g git) working() *mdstore.BusyError { return g.amid(gitStates[:1]) }

func (g git) amid(states []gitState) *mdstore.BusyError {
	if g.patience < 0 {
		return nil
	}
	top, git := findGit(g.vault)
	if git == "" {
		return nil
	}
	for _, state := range states {
		at := filepath.Join(git, state.name)
		if state.name == gitLock && !exists(at) {
			at = stashing(git)
		}
		if at != "" && exists(at) && tracked(top, git, g.vault) {
			return &mdstore.BusyError{What: state.doing, Where: at, End: state.end}
		}
	}
	return nil
}

// stashing returns the file that shows that git is making a stash: it has read the working tree and has not reset it
// yet. Otherwise it returns "". For a stash git first writes an index of its own, then logs the stash, and last writes
// the index.
func stashing(git string) string {
	if own, err := filepath.Glob(filepath.Join(git, "index.stash.*")); err == nil && len(own) > 0 {
		return own[0]
	}
	made, logged := lastStash(git)
	if time.Since(time.Unix(0, logged)) > stashGap || logged-made > int64(stashGap) { // or a stash was dropped
		return ""
	}
	if index, err := os.Stat(filepath.Join(git, "index")); err != nil || index.ModTime().UnixNano() > logged {
		return ""
	}
	return filepath.Join(commonDir(git), stashLog)
}

// state returns a text that changes when git has changed the working tree; "" if there is no repository or commits
// ignore git.
func (g git) state() (state string) {
	if g.patience < 0 {
		return ""
	}
	_, git := findGit(g.vault)
	if git == "" {
		return ""
	}
	for _, name := range []string{"index", "HEAD", filepath.Join("logs", "HEAD")} {
		if info, err := os.Stat(filepath.Join(git, name)); err == nil {
			state += info.ModTime().Format(time.RFC3339Nano)
		}
	}
	return state
}

// unmerged returns an *mdstore.UnmergedError for the first changed file that is unmerged in git's index, for example
// after a git stash pop that met a conflict. In an index of version 4 it finds none. It does not read an index without
// unmerged files again while the stamp proves it unchanged. The lock is held.
func (s *Store) unmerged(changes []mdstore.Change) error {
	top, git := findGit(s.git.vault)
	if s.git.patience < 0 || git == "" {
		return nil
	}
	began := s.now()
	stamp, err := osfs.StampOf(filepath.Join(git, "index"))
	if stamp = proven(stamp, began); err != nil || stamp.Same(s.merged) {
		return nil
	}
	index, err := guard.ReadFile(git, "index", 1<<30)
	if err != nil || len(index) < 8 {
		return nil
	}
	if index[7] > 3 || !stagesIn(index) {
		s.merged = stamp
		return nil
	}
	for _, ch := range changes {
		for e := range entriesOf(index, s.git.named(top, ch.Path)) {
			if e.stage > 0 && !ch.Base.IsZero() {
				return &mdstore.UnmergedError{Path: ch.Path}
			}
		}
	}
	return nil
}

// findGit returns the top folder of the working tree that contains dir, and the tree's git directory; both are ""
// outside of a repository. In linked working trees and submodules, the file .git says where the git directory is. dir
// must be absolute and contain no link.
func findGit(dir string) (top, git string) {
	for below := ""; dir != below; dir = filepath.Dir(dir) {
		below = dir
		at := filepath.Join(dir, ".git")
		info, err := os.Stat(at)
		switch {
		case err == nil && info.IsDir():
			return dir, at
		case err == nil:
			data, err := guard.ReadFile(dir, ".git", 1<<12)
			to, ok := strings.CutPrefix(strings.TrimSpace(string(data)), "gitdir: ")
			if err != nil || !ok {
				return "", ""
			}
			if !filepath.IsAbs(to) {
				to = filepath.Join(dir, to)
			}
			return dir, to
		}
	}
	return "", ""
}

// Tracked reports whether git's index names a file in a folder, so that the folder may have come with a clone. For an
// index of version 4 or a split one, Tracked returns false.
func Tracked(dir string) bool {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return false
	}
	top, git := findGit(real)
	named, sure := indexed(top, git, real)
	return git != "" && named && sure
}

// await waits until git has finished its operation. The error is ctx's, or a *mdstore.BusyError if it takes too long.
// The caller must not hold the lock, so that commits to .local/ alone can go on meanwhile.
func (g git) await(ctx context.Context) error {
	busy := g.busy()
	if busy == nil {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, g.patience, busy)
	defer cancel()
	return until(ctx, func() bool { return g.busy() == nil })
}

// The pauses between two looks grow from the least to the most. Each is lengthened at random by up to half, so that
// waiters do not look in step with one another or with the program that they wait for.
const (
	pauseLeast = 2 * time.Millisecond
	pauseMost  = 50 * time.Millisecond // shorter than the gaps between git commands that run back to back
)

// until calls done, with growing pauses before each call, until it returns true. If ctx ends first, the error is its
// cause.
func until(ctx context.Context, done func() bool) error {
	for pause := pauseLeast; ; pause = min(pause*3/2, pauseMost) {
		select {
		case <-time.After(pause + rand.N(pause/2)):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if done() {
			return nil
		}
	}
}

// moment pauses between two looks at a file that is being saved.
func moment(ctx context.Context) {
	select {
	case <-time.After(10 * poll):
	case <-ctx.Done():
	}
}

// with calls do until it returns false for again, or the time is over. again says that do was refused without changing
// anything, because git is busy, the lock was lost, or a file is being saved. Before the next call, with waits: for a
// save up to saveWait, and otherwise for git, up to g.patience.
func (g git) with(ctx context.Context, do func() (again bool, err error)) error {
	for began := time.Now(); ; {
		again, err := do()
		if saving, ok := errors.AsType[*savingError](err); ok && again {
			if ctx.Err() != nil || time.Since(began) > saveWait {
				return saving
			}
			moment(ctx)
			continue
		}
		if !again || time.Since(began) >= g.patience {
			return err
		}
		if err := g.await(ctx); err != nil {
			return err
		}
	}
}

// forGit reports whether err is a *mdstore.BusyError after which waiting helps: git is busy, a file is being saved, or
// the lock was lost. It returns false if another process holds the lock, because acquire has already waited for that.
func forGit(err error) bool {
	_, busy := errors.AsType[*mdstore.BusyError](err)
	_, stuck := errors.AsType[*stuckError](err)
	return busy && !stuck
}

// awaitCheckout waits until git has stopped writing to the working tree, but no longer than patience: git looks the
// same while a person is writing a commit message.
func (g git) awaitCheckout(ctx context.Context, patience time.Duration) {
	if g.working() == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	_ = until(ctx, func() bool { return g.working() == nil })
}

// tracked reports whether git's index names, or may name, a file in the vault's folder. Git neither overwrites nor
// deletes files that its index does not name.
func tracked(top, git, vault string) bool {
	named, sure := indexed(top, git, vault)
	return named || !sure
}

// indexed reports whether git's index names a file in a folder; sure is false if the index does not tell. Up to version
// 3 of its format, an index holds names as plain text.
func indexed(top, git, dir string) (named, sure bool) {
	rel, err := filepath.Rel(top, dir)
	if err != nil {
		return false, false
	}
	index, err := guard.ReadFile(git, "index", 1<<30)
	if errors.Is(err, fs.ErrNotExist) && !exists(filepath.Join(git, gitLock)) {
		return false, true
	}
	const head = 8                                                      // "DIRC" and the version
	shared, again := filepath.Glob(filepath.Join(git, "sharedindex.*")) // a split index names little itself
	if err != nil || again != nil || len(shared) > 0 || len(index) < head || index[head-1] > 3 {
		return false, false
	}
	return rel == "." || bytes.Contains(index, []byte(filepath.ToSlash(rel)+"/")), true
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil || !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission)
}
