// Package gitsync commits a vault, merges what others did into it by the rules of its files, and pushes. It works
// beside the person's own git: what is staged elsewhere stays staged, and no hook, filter or driver of the repository
// runs.
package gitsync

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"arbor/engine"
	"arbor/engine/errs"
	"arbor/mdstore/gitrepo"
)

// Options say which steps a sync makes.
type Options struct {
	Message  string // the commit message; "" describes what happened in the plan
	PushAll  bool   // push also commits that change other files than the vault's
	Force    bool   // carry on files that became unreadable since the last sync
	NoPush   bool
	Continue bool // end a sync that stopped at a conflict
	Abort    bool // undo a sync that stopped at a conflict
	DryRun   bool // write and fetch nothing, and report what a sync would do
}

// A Report says what a sync pushed and what came in.
type Report struct {
	Message string   // the subject of the commit of the vault's changes; "" if there were none
	CameIn  string   // one line about the upstream's new commits; "" for none
	Notes   []string // decisions of the merge and its repairs
	Pushed  int      // commits
	Changed bool     // a branch, the vault or the upstream changed
	Hint    string
}

const (
	syncRounds   = 3  // attempts while others push or write at the same time
	syncNamed    = 10 // commits and files that an error names at most
	syncReflog   = "arbor sync"
	syncAsk      = "decide (arbor conflicts lists what is open), then arbor sync --continue; or arbor sync --abort"
	identityTips = `git does not know who you are: git config --global user.name "Your Name", and git config --global user.email you@example.org`
)

// errMoved says that the vault or the branch changed during a sync, which then begins again.
var errMoved = errors.New("the vault changed meanwhile")

// A syncing is one call of Sync.
type syncing struct {
	engine *engine.Engine
	r      *gitrepo.Repo
	in     Options
	out    *Report
}

// Sync commits the vault of e, which lies in r, merges the branch's upstream into it, and pushes. If a person must
// decide, or git fails, the error has the code errs.SyncStopped; commits made before stay.
func Sync(ctx context.Context, e *engine.Engine, r *gitrepo.Repo, o Options) (*Report, error) {
	s := &syncing{e, r, o, &Report{}}
	if err := s.run(ctx); err != nil {
		return nil, err
	}
	return s.out, nil
}

func stopped(format string, args ...any) error { return errs.New(errs.SyncStopped, format, args...) }

func (s *syncing) run(ctx context.Context) error {
	r := s.r
	if version, older, err := r.Older(ctx, 2, 38); err != nil {
		return err
	} else if older {
		return stopped("git is %s; sync needs 2.38 or newer, which merges without a working tree: install it, or use git pull and git push", version)
	}
	waiting, waits := r.Waiting()
	switch amid := r.Amid(); {
	case (s.in.Continue || s.in.Abort) && !waits:
		return stopped("no sync waits for a decision here; arbor sync begins one")
	case s.in.Continue && s.in.Abort:
		return errs.New(errs.InvalidParams, "continue and abort are given both; one of them says what becomes of the sync").
			With(errs.Details{Param: "abort"})
	case (waits || amid != "") && s.in.DryRun:
		return stopped("git is in the middle of a merge or rebase; nothing can be said before its end")
	case s.in.Abort:
		return s.exclusively(ctx, func() error { return s.abort(ctx, waiting) })
	case s.in.Continue:
		if err := s.exclusively(ctx, func() error { return s.resume(ctx, waiting) }); err != nil {
			return err
		}
	case waits:
		return stopped("a sync waits for a decision: %s", syncAsk)
	case amid != "":
		return stopped("git is in the middle of a %s: end it with git %[1]s --continue or git %[1]s --abort, then sync", amid)
	}
	if gitrepo.Ignored(ctx, r) {
		return stopped("git ignores the vault (%s): take it out of .gitignore, or of .git/info/exclude, and sync",
			s.engine.Vault())
	}
	attributes, _ := s.engine.RawFile(ctx, gitrepo.AttributesFile) // a file that cannot be read asks for nothing
	if r.Driver == "" && gitrepo.AsksDriver(attributes) {
		s.out.Notes = append(s.out.Notes, "this clone has no merge driver, so git itself merges the vault's "+
			"files as lines: arbor admin git install")
	}
	for round := range syncRounds {
		err := s.round(ctx)
		if !errors.Is(err, errMoved) && !errors.Is(err, gitrepo.ErrBehind) || round == syncRounds-1 {
			return s.words(err)
		}
	}
	return nil
}

// words returns err with advice on what to do after the last attempt.
func (s *syncing) words(err error) error {
	switch {
	case errors.Is(err, gitrepo.ErrBehind):
		return stopped("others push at the same time, and were faster %d times; what is here is committed: arbor sync again", syncRounds)
	case errors.Is(err, errMoved):
		return stopped("the vault or the branch changed while the sync was made, %d times; what is committed stays: arbor sync again", syncRounds)
	}
	return err
}

func (s *syncing) exclusively(ctx context.Context, f func() error) error {
	return s.engine.Exclusively(ctx, f)
}

func (s *syncing) round(ctx context.Context) error {
	if err := s.exclusively(ctx, func() error { return s.commit(ctx) }); err != nil {
		return err
	}
	h, err := s.r.Head(ctx)
	branch := strings.TrimPrefix(h.Branch, "refs/heads/")
	switch {
	case err != nil:
		return err
	case s.in.DryRun:
		return s.preview(ctx, h)
	case h.Branch == "":
		s.out.Hint = "no branch is checked out, so nothing was fetched or pushed: create one with git switch -c NAME"
		return nil
	case h.Remote == "":
		s.out.Hint = "the branch " + branch + " has no upstream, so nothing was fetched or pushed: git push -u origin " + branch + " makes one"
		return nil
	case h.Commit == "":
		return stopped("the branch %s has no commit yet, and the vault no file: git pull brings what the upstream has", branch)
	}
	theirs, err := s.r.Fetch(ctx, h)
	if err != nil {
		return offline(ctx, "fetch", err)
	}
	if h.Commit, err = s.integrate(ctx, h, theirs); err != nil || s.in.NoPush {
		return err
	}
	return s.push(ctx, h, theirs)
}

// offline returns the error of a command that needs the remote. It says that local commits stay.
func offline(ctx context.Context, what string, err error) error {
	if err == nil || ctx.Err() != nil || errors.Is(err, gitrepo.ErrBehind) {
		return err
	}
	return stopped("git could not %s (are you offline?): %v; what is here is committed: arbor sync again", what, err)
}

// commit makes a commit of the vault's changes. The caller holds the store's lock.
func (s *syncing) commit(ctx context.Context) error {
	h, err := s.r.Head(ctx)
	if err != nil {
		return err
	}
	tree, names, err := s.r.Snapshot(ctx, h.Commit)
	if err == nil && !s.in.Force {
		err = s.readable(ctx, h, tree)
	}
	if err != nil || len(names) == 0 {
		return err
	}
	if err := s.unfiltered(ctx, names, "git add and git commit"); err != nil {
		return err
	}
	message := strings.TrimSpace(s.in.Message) + "\n"
	if message == "\n" {
		did, err := tallyOf(ctx, s.r, h.Commit, tree)
		if err != nil {
			return err
		}
		message = did.message()
	}
	s.out.Message, _, _ = strings.Cut(message, "\n")
	if s.in.DryRun {
		return nil
	}
	id, err := s.record(ctx, tree, message, h.Commit)
	if err != nil {
		return err
	}
	if err := s.r.Advance(ctx, h.Commit, id, syncReflog+": "+s.out.Message); err != nil {
		return err
	}
	s.out.Changed = true
	return s.r.Stage(ctx, names)
}

// record makes a commit, which no branch has yet.
func (s *syncing) record(ctx context.Context, tree, message string, parents ...string) (string, error) {
	if s.r.Nobody(ctx) {
		return "", stopped("%s; then sync", identityTips)
	}
	return s.r.NewCommit(ctx, tree, message, parents...)
}

// unfiltered refuses files that a filter of git would have to pass.
func (s *syncing) unfiltered(ctx context.Context, names []string, instead string) error {
	filtered, err := s.r.Filtered(ctx, names)
	if err == nil && len(filtered) > 0 {
		err = stopped("git's attributes give a filter, such as that of LFS, to %s; sync runs none: use %s for this, then sync", named(filtered), instead)
	}
	return err
}

// preview reports what a sync would do. It uses the upstream as last fetched.
func (s *syncing) preview(ctx context.Context, h gitrepo.Head) error {
	s.out.Hint = "nothing was written or fetched; the upstream is as it was last fetched"
	theirs, err := "", error(nil)
	if h.Remote != "" && h.Commit != "" {
		theirs, err = s.r.Fetched(ctx, h)
	}
	if err != nil || theirs == "" {
		return err
	}
	base, err := s.r.MergeBase(ctx, h.Commit, theirs)
	if err != nil || base == "" || base == theirs {
		return err
	}
	return s.tell(ctx, base, h.Commit, theirs)
}

// tell notes what comes in with the commits of the upstream.
func (s *syncing) tell(ctx context.Context, base, ours, theirs string) error {
	commits, err := s.r.Logged(ctx, ours, theirs)
	if err != nil {
		return err
	}
	did, err := tallyOf(ctx, s.r, base, theirs)
	if err == nil {
		s.out.CameIn = did.came(commits)
	}
	return err
}

func (s *syncing) push(ctx context.Context, h gitrepo.Head, theirs string) error {
	outgoing, err := s.r.Logged(ctx, theirs, h.Commit)
	if err != nil || len(outgoing) == 0 {
		return err
	}
	if !s.in.PushAll {
		foreign, err := s.r.Foreign(ctx, outgoing)
		if err != nil {
			return err
		}
		if len(foreign) > 0 {
			var all []string
			for _, c := range foreign {
				all = append(all, c.Short+" "+c.Subject)
			}
			return stopped("%s would go out and change other files than the vault's: %s; arbor sync --push-all pushes them too; the vault is committed and merged",
				plural(len(foreign), "commit"), named(all))
		}
	}
	if err := s.r.Push(ctx, h, h.Commit); err != nil {
		return offline(ctx, "push", err)
	}
	s.out.Pushed, s.out.Changed = len(outgoing), true
	return nil
}

// named joins the first of the names.
func named(all []string) string {
	if more := len(all) - syncNamed; more > 0 {
		return strings.Join(all[:syncNamed], ", ") + fmt.Sprintf(" and %d more", more)
	}
	return strings.Join(all, ", ")
}
