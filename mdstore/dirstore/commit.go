package dirstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"

	"arbor/mdstore"
	"arbor/mdstore/dirstore/internal/journal"
	"arbor/mdstore/merge"
)

// Commit makes all of the changes or none, as mdstore.Store requires. This store adds:
//
//   - Commit refuses, with an *mdoc.UnreadableError, a file that is a link, has several names, is marked read-only or
//     is not a regular file, and a path through a linked folder.
//   - A replaced file keeps its mode and, if the system allows it, its owner. A new file has mode 0644, less the umask.
//   - Removing a Node.md also removes its folder if the folder is then empty.
//   - While git is in the middle of a checkout, a merge or a rebase in the vault's working tree, Commit waits. If that
//     takes longer than some seconds, Commit refuses with an *mdstore.BusyError. It does not wait if all changes are in
//     .local/.
//   - Commit also refuses with an *mdstore.BusyError if another process keeps the lock for half a minute.
//   - If another program saves a file before Commit has changed the first file, Commit returns a
//     *mdstore.ConflictError, as for an earlier save. A later save stays: Commit merges its change into the save line
//     by line, or writes its version beside the file as Node.conflict-1a2b3c4d.md. A collision reports either outcome.
//     In the second case it also says that the commit's own change was not made.
func (s *Store) Commit(ctx context.Context, changes []mdstore.Change) (res mdstore.Result, err error) {
	err = s.update(ctx, func(x *exclusive) error {
		res, err = x.Commit(ctx, changes)
		return err
	})
	return res, err
}

// commit is Commit while the lock is held.
func (s *Store) commit(ctx context.Context, changes []mdstore.Change) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := mdstore.CheckChanges(changes); err != nil {
		return err
	}
	if s.gen.begun() { // an earlier commit under this lock was left unfinished
		if err := s.finish(); err != nil {
			return err
		}
	}
	before := ""
	inVault := func(ch mdstore.Change) bool { return !ch.Path.Under(mdstore.LocalDir) } // git does not track the rest
	if slices.ContainsFunc(changes, inVault) {
		if busy := s.git.busy(); busy != nil {
			return busy
		}
		if err := s.unmerged(changes); err != nil {
			return err
		}
		before = s.git.state()
	}
	s.touched, s.making, s.madeAt, s.operation = []versioned{}, nil, s.fsNow(), mdstore.OperationOf(ctx)
	defer func() { s.operation = nil }()
	var err error
	for _, ch := range changes {
		if err = s.settled(ch); err != nil {
			break
		}
	}
	if err == nil {
		loop := mdstore.LoopOf(ctx, "files written", len(changes))
		s.committer.OnStaged = func() { loop.Done(1) }
		defer loop.End()
		err = s.committer.Commit(changes, func() error {
			if !s.holds() {
				// Someone deleted .local/, so another process may hold the new lock. Because of this error, git.with
				// takes the lock again, as it does after waiting for git.
				return &mdstore.BusyError{What: "the vault's lock was deleted while it was held",
					Where: filepath.Join(s.dir, string(lockPath)), End: "leave " + mdstore.LocalDir + "/ alone while Arbor runs"}
			}
			return s.gen.begin()
		})
	}
	if err == nil {
		err = s.afterGit(ctx, before)
	}
	if _, unfinished := errors.AsType[*mdstore.UnfinishedError](err); unfinished {
		return err // the generation stays odd: the next writer finishes the commit
	}
	if s.gen.begun() && s.holds() {
		if err := s.gen.end(s.madeAt, s.touched, true); err != nil { // what changes after madeAt is another program's save
			s.log.Warn("the number of a commit cannot be written; the next writer does it", "error", err)
		}
		if s.latelyAt == s.gen.before {
			s.latelyAt = s.gen.number
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w; a folder was deleted meanwhile: try again", err)
	}
	return err
}

// afterGit checks the files of a commit again if git changed the working tree during the commit. If git took out what
// the commit wrote, afterGit writes it again. before is the result of git.state from before the commit.
func (s *Store) afterGit(ctx context.Context, before string) error {
	if before == "" || before == s.git.state() && s.git.working() == nil {
		return nil
	}
	s.git.awaitCheckout(ctx, s.git.patience)
	var beside []recordedStep
	for _, m := range s.making {
		beside = append(beside, recordedStep{Path: m.Path, Beside: true})
	}
	s.record(beside...)
	kept := 0
	var lost []mdstore.Path
	for _, m := range s.making {
		moved := func(by journal.Made) bool { return by.To != "" && m.Path.Under(by.Path) }
		if m.New == nil || m.Path.Under(mdstore.LocalDir) || slices.ContainsFunc(s.making, moved) {
			continue // a file that moved with its folder is no longer at that path
		}
		if s.keptBeside(m) {
			kept++
		} else {
			lost = append(lost, m.Path)
		}
	}
	const text = "git took out at that moment what was written"
	if len(lost) > 0 && kept == 0 {
		return &mdstore.BusyError{What: text, Where: filepath.Join(s.dir, string(lost[0])), End: "wait for git"}
	}
	for _, p := range lost {
		s.meet(mdstore.Collision{Path: p, Text: string(p) + ": " + text, Unmade: true})
	}
	return nil
}

// keptBeside reports whether the file of m holds what the commit wrote, or git has that version. If neither is so, it
// merges the commit's version into what git put there, together with anything else that git took out, and reports
// whether that worked.
func (s *Store) keptBeside(m journal.Made) bool {
	if s.kinds.Of(m.Path) == nil { // the store judges only saves of files of a kind
		_, ok := s.committer.Rejoin(m.Path, nil, func(now []byte) ([]byte, []string) {
			joined, missing := merge.Save(m.Path, m.Base, m.New, now)
			if missing != nil {
				joined = nil
			}
			return joined, nil
		})
		return ok
	}
	for range lateTries { // git may still be writing
		now, _, err := s.disk.ReadFile(m.Path, mdstore.MaxSize(m.Path))
		if err != nil {
			return false
		}
		if bytes.Equal(now, m.New) {
			return true
		}
		merged, err := s.judging(m.Path).mergeStale(m.Path)
		if err == nil {
			return merged || s.git.has(m.New)
		}
		if _, saving := errors.AsType[*savingError](err); !saving {
			return false
		}
		moment(context.Background())
	}
	return false
}

// Update calls f while no other writer can commit to the vault. The Tx that f gets is this store, but it does not wait
// for the lock; f must not use it after returning. If git is in the middle of an operation at the first commit of f,
// Update releases the lock, waits for git, and calls f again; other writers may commit in between.
func (s *Store) Update(ctx context.Context, f func(mdstore.Tx) error) error {
	return s.update(ctx, func(x *exclusive) error { return f(x) })
}

func (s *Store) update(ctx context.Context, f func(*exclusive) error) error {
	return s.git.with(ctx, func() (again bool, err error) {
		release, err := s.acquire(ctx, writeWait)
		if err != nil {
			return forGit(err), err
		}
		defer release()
		x := &exclusive{Store: s}
		defer func() {
			x.mu.Lock()
			x.over = true
			x.mu.Unlock()
		}()
		err = f(x)
		return forGit(err) && !x.committed, err
	})
}

// exclusive is a Store whose lock is held.
type exclusive struct {
	*Store
	mu        sync.Mutex // held during a commit: f may commit from several goroutines
	over      bool
	committed bool // a commit of f was made
}

func (x *exclusive) Commit(ctx context.Context, changes []mdstore.Change) (mdstore.Result, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.over {
		return mdstore.Result{}, fmt.Errorf("vault %s: a commit after Update has returned; use the store itself", x.dir)
	}
	earlier := x.collisions(true)
	err := x.commit(ctx, changes)
	x.committed = x.committed || err == nil
	all := append(earlier, x.collisions(false)...)
	return mdstore.Result{Versions: mdstore.VersionsOf(changes), Collisions: all, Generation: x.gen.number}, err
}
