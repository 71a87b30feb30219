package dirstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"arbor/mdstore"
	"arbor/mdstore/dirstore/internal/disk"
)

// While git rewrites a working tree, what is committed to it may be overwritten, by the checkout itself or by the --abort that
// ends a merge. So commits wait until git is done, and are refused when that takes long, because a person is in the middle of something then.

// gitPatience is how long a commit waits for git, and checkoutPatience how long news of changes wait for a checkout to end.
const (
	gitPatience      = 5 * time.Second
	checkoutPatience = 800 * time.Millisecond
)

// gitLock is the file that git holds while it writes to its index, and with it to the working tree.
const gitLock = "index.lock"

// gitStates are the files and folders that git keeps in its own folder while it is in the middle of something.
var gitStates = []struct{ name, doing, end string }{
	{gitLock, "git is writing to the working tree", "wait for it; if no git is running any more, remove the file"},
	{"MERGE_HEAD", "git is in the middle of a merge", "end it with git merge --continue or git merge --abort"},
	{"rebase-merge", "git is in the middle of a rebase", "end it with git rebase --continue or git rebase --abort"},
	{"rebase-apply", "git is in the middle of a rebase or of applying patches", "end it with git rebase --continue or --abort (git am --continue or --abort)"},
	{"CHERRY_PICK_HEAD", "git is in the middle of a cherry-pick", "end it with git cherry-pick --continue or git cherry-pick --abort"},
	{"sequencer", "git is in the middle of picking or reverting several commits", "end it with git cherry-pick or git revert, and --continue or --abort"},
	{"REVERT_HEAD", "git is in the middle of a revert", "end it with git revert --continue or git revert --abort"},
}

// gitBusy returns what the git repository that the vault lies in is in the middle of; nil for nothing.
func (s *Store) gitBusy() *mdstore.BusyError {
	if s.gitPatience < 0 {
		return nil
	}
	began := s.now()
	top, git, info := s.git.find()
	if git == "" {
		return nil
	}
	var now mdstore.Stamp
	if info != nil {
		now = firm(disk.StampOf(info), began)
	}
	if s.git.rests(git, now) {
		return nil
	}
	found := false
	for _, state := range gitStates {
		if at := filepath.Join(git, state.name); exists(at) {
			if found = true; tracked(top, git, s.real) {
				return &mdstore.BusyError{What: state.doing, Where: at, End: state.end}
			}
		}
	}
	if !found && proof(now) {
		s.git.note(git, now)
	}
	return nil
}

// awaitGit waits until git is in the middle of nothing. The error is ctx's, or a *mdstore.BusyError when it takes too long. It is not called with the lock
// held: what is not of the working tree goes on meanwhile.
func (s *Store) awaitGit(ctx context.Context) error {
	busy := s.gitBusy()
	if busy == nil {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, s.gitPatience, busy)
	defer cancel()
	for {
		select {
		case <-time.After(10 * poll):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if busy = s.gitBusy(); busy == nil {
			return nil
		}
	}
}

// withGit calls do, and again where it was refused because git is in the middle of something, or because the lock was lost, for as long as git may take: again says
// that it was, and that nothing has been changed.
func (s *Store) withGit(ctx context.Context, do func() (again bool, err error)) error {
	for until := time.Now().Add(s.gitPatience); ; {
		again, err := do()
		if !again || !time.Now().Before(until) {
			return err
		}
		if err := s.awaitGit(ctx); err != nil {
			return err
		}
	}
}

// forGit reports whether err says that git is in the middle of something, or that the lock was lost; not that whoever has the lock does not get on, which has been waited for.
func forGit(err error) bool {
	_, busy := errors.AsType[*mdstore.BusyError](err)
	_, stuck := errors.AsType[*stuckError](err)
	return busy && !stuck
}

// awaitCheckout waits until git does not write to the working tree any more, but not for long: a git commit whose message somebody is writing looks the same.
func (s *Store) awaitCheckout(ctx context.Context) {
	if s.gitPatience < 0 {
		return
	}
	_, git, _ := s.git.find()
	if git == "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, checkoutPatience)
	defer cancel()
	for exists(filepath.Join(git, gitLock)) {
		select {
		case <-time.After(10 * poll):
		case <-ctx.Done():
			return
		}
	}
}

// gitIndex returns a number that is another one when git has written its index since, as it does with every checkout, merge or pull; 0 where there is none.
func (s *Store) gitIndex() uint64 {
	_, git, _ := s.git.find()
	if git == "" {
		return 0
	}
	info, err := os.Stat(filepath.Join(git, "index"))
	if err != nil {
		return 0
	}
	st := disk.StampOf(info)
	h := fnv.New64a()
	_, _ = fmt.Fprintln(h, st.Size, st.Mtime, st.Ctime, st.Inode) // never fails
	return h.Sum64() | 1
}

// era returns a number that is another one when git has written its index, or the system has begun to run anew, since: what was found before is looked at again then,
// whoever trusts. Of commits before a power failure nobody knows which the number of the last commit, which is not made durable, tells of.
func (s *Store) era() uint64 {
	h := fnv.New64a()
	_, _ = fmt.Fprintln(h, s.gitIndex(), s.boot) // never fails
	return h.Sum64()
}

// tracked reports whether git's index names anything in the vault's folder, or might: what it does not name, git neither overwrites nor
// throws away. The index is read as Git's documentation of its format has it: names stand in it as they are, up to version 3.
func tracked(top, git, vault string) bool {
	rel, err := filepath.Rel(top, vault)
	if err != nil {
		return true
	}
	index, err := os.ReadFile(filepath.Join(git, "index"))
	if errors.Is(err, fs.ErrNotExist) && !exists(filepath.Join(git, gitLock)) {
		return false
	}
	const head = 8                                                      // "DIRC" and the version
	shared, again := filepath.Glob(filepath.Join(git, "sharedindex.*")) // a split index names little itself
	if err != nil || again != nil || len(shared) > 0 || len(index) < head || index[head-1] > 3 {
		return true
	}
	return rel == "." || bytes.Contains(index, []byte(filepath.ToSlash(rel)+"/"))
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil || !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission)
}

// local reports whether changes concern only what lies in .local/, which git does not track.
func local(changes []mdstore.Change) bool {
	for _, c := range changes {
		if !c.Path.Under(mdstore.LocalDir) {
			return false
		}
	}
	return true
}
