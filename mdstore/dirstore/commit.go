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

// Commit makes every change or none, as mdstore.Store has it, and of this store besides:
//
//   - A file that is a link, has several names, is marked read-only or is no regular file is refused with an
//     *mdoc.UnreadableError, and so is a path through a linked folder.
//   - A replaced file keeps its mode and, if the system allows it, its owner. A new one has mode 0644, less the umask.
//   - A removed Node.md takes its folder along if that is empty then.
//   - While git is in the middle of a checkout, a merge or a rebase in the working tree of the vault, it waits; if that
//     takes more than some seconds, it refuses with an *mdstore.BusyError. Changes in .local/ alone do not wait.
//   - It refuses with an *mdstore.BusyError, too, if another process keeps the lock for half a minute.
//   - A save by another program before the first file is changed is a *mdstore.ConflictError like an earlier one.
//     After that the save stays, and the change is merged into it line by line, or lies beside it as
//     Node.conflict-1a2b3c4d.md: a collision says so, and that the commit's own change was not made.
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
		err = s.committer.Commit(changes, func() error {
			if !s.holds() {
				// .local/ was deleted, and another process may hold the new lock. It is taken again, as after git.
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
		return err // the number stays odd: the next writer finishes it
	}
	if s.gen.begun() && s.holds() {
		if err := s.gen.end(s.madeAt, s.touched, true); err != nil { // any later save is one by another program
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

// afterGit looks once more at what a commit has made where git has changed the working tree meanwhile, and makes it again
// where git took it out. before is the state of git before the commit.
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

// keptBeside reports whether a file holds what a commit made of it, or git has that; and merges it into what git has put there
// where neither is so, together with what else git took out.
func (s *Store) keptBeside(m journal.Made) bool {
	if s.kinds.Of(m.Path) == nil { // no save of it is judged
		_, ok := s.committer.Rejoin(m.Path, nil, func(now []byte) ([]byte, []string) {
			joined, missing := merge.Save(m.Path, m.Base, m.New, now)
			if missing != nil {
				joined = nil
			}
			return joined, nil
		})
		return ok
	}
	for range lateTries { // git may go on
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

// Update calls f while no other writer can commit to the vault. The store that f is given is this one, without waiting
// for the lock; it must not be used after f has returned. If git is in the middle of something at the first commit of
// f, f is called again when git is done; others commit meanwhile.
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
	mu        sync.Mutex // held during a commit: f may have several goroutines
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
