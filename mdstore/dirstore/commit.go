package dirstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"

	"arbor/mdstore"
)

// Commit makes every change or none, as mdstore.Store has it, and of this store besides:
//
//   - A file that is a link, has several names, is marked read-only or is no
//     regular file is refused with an *mdoc.UnreadableError, and so is a path through a linked folder.
//   - A replaced file keeps its mode and, where the system allows it, its owner. A new one has mode 0644, less the umask.
//   - A removed Node.md takes its folder along if that is empty then.
//   - While git is in the middle of something, a checkout, a merge or a rebase, in the working tree that the vault lies in, it waits; where that takes
//     longer than some seconds, it refuses with an *mdstore.BusyError. Changes in .local/ alone do not wait.
//   - So it does where another process keeps the lock and does not get on.
//   - A save by somebody else before the first file is changed is a *mdstore.ConflictError like an earlier one. After that it stays, and what it lacks is merged into
//     it line by line, or lies beside it as Node.conflict-1a2b3c4d.md: Conflicts and Collisions say so, and that the commit's own change was not made.
func (s *Store) Commit(ctx context.Context, changes []mdstore.Change) (res mdstore.Result, err error) {
	if err := mdstore.CheckChanges(changes); err != nil {
		return res, err
	}
	earlier := s.unreported()
	err = s.withGit(ctx, func() (bool, error) {
		release, err := s.acquire(ctx, writePatience)
		if err != nil {
			return forGit(err), err
		}
		defer release()
		err = s.commit(ctx, changes)
		s.settle()
		return forGit(err), err
	})
	return s.result(changes, earlier), err
}

// result is what a commit of changes that is over did; earlier are the collisions that were not reported before it.
func (s *Store) result(changes []mdstore.Change, earlier []mdstore.Collision) mdstore.Result {
	n, _ := s.readSequence()
	return mdstore.Result{Versions: mdstore.VersionsOf(changes), Collisions: append(earlier, s.collisions()...), Generation: n}
}

// unreported returns the collisions of earlier commits, whose own callers have been answered already.
func (s *Store) unreported() []mdstore.Collision {
	met := s.collisions()
	for i := range met {
		met[i].Unmade = false
	}
	return met
}

// Displaced returns what commits have met and nobody reported yet.
func (s *Store) Displaced(ctx context.Context) ([]mdstore.Collision, error) {
	return s.unreported(), ctx.Err()
}

// commit is Commit for whoever holds the lock. What it leaves is to be settled before the lock is given back.
func (s *Store) commit(ctx context.Context, changes []mdstore.Change) error {
	s.settle()
	if err := ctx.Err(); err != nil {
		return err
	}
	if !local(changes) {
		if busy := s.gitBusy(); busy != nil {
			return busy
		}
	}
	plan, err := s.committer.Prepare(s.doubtful(ctx, changes))
	if err != nil || plan.Empty() {
		return err
	}
	if !s.holds() {
		// Somebody has deleted .local/ and may hold the new lock. It is taken again, as after git.
		return &mdstore.BusyError{What: "the vault's lock was deleted while it was held", Where: filepath.Join(s.dir, string(lockPath)), End: "leave " + mdstore.LocalDir + "/ alone while Arbor runs"}
	}
	before, err := s.beginSequence()
	if err != nil {
		return gone(fmt.Errorf("nothing was changed: %w", err))
	}
	err = gone(plan.Do())
	if _, unfinished := errors.AsType[*mdstore.UnfinishedError](err); unfinished {
		return err // the number stays odd: whoever is next finishes it
	}
	s.owe(before, changes)
	if err != nil {
		s.settle()
	}
	return err
}

// gone says of a commit that failed, without a change, because a folder vanished under it what would work: it is made again by the next one.
func gone(err error) error {
	if _, unfinished := errors.AsType[*mdstore.UnfinishedError](err); unfinished || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return fmt.Errorf("%w; somebody deleted it meanwhile: try again", err)
}

// Update calls f while nobody else can commit to the vault. The store
// that f is given is this one, without waiting for the lock; it must not be
// used after f has returned. What a commit of f has displaced may be cleared away after
// Update has returned, and only then does another process see that f is over. While git keeps f from its first commit, f is called
// again, when git is done; what is not of the working tree goes on meanwhile.
func (s *Store) Update(ctx context.Context, f func(mdstore.Tx) error) error {
	return s.withGit(ctx, func() (bool, error) {
		release, err := s.acquire(ctx, writePatience)
		if err != nil {
			return forGit(err), err
		}
		defer release()
		x := &exclusive{Store: s}
		defer x.end()
		err = f(x)
		return forGit(err) && !x.committed, err
	})
}

// exclusive is a Store whose lock is held.
type exclusive struct {
	*Store
	mu   sync.Mutex // held during a commit: f may have several goroutines
	over bool

	committed bool // something
}

func (x *exclusive) end() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.over = true
}

func (x *exclusive) Commit(ctx context.Context, changes []mdstore.Change) (mdstore.Result, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.over {
		return mdstore.Result{}, fmt.Errorf("vault %s: a commit after Update has returned; use the store itself", x.dir)
	}
	if err := mdstore.CheckChanges(changes); err != nil {
		return mdstore.Result{}, err
	}
	earlier := x.unreported()
	x.settle()
	// A commit of f may have been left unfinished by an error.
	if err := x.mend(ctx); err != nil {
		return mdstore.Result{}, err
	}
	err := x.commit(ctx, changes)
	x.committed = x.committed || err == nil
	return x.result(changes, earlier), err
}

func (x *exclusive) Update(ctx context.Context, f func(mdstore.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return f(x)
}

func (x *exclusive) Generation(ctx context.Context) (uint64, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if x.over {
		n, _ := x.readSequence()
		return n, nil
	}
	n, _ := x.heldSequence()
	return n, nil
}
