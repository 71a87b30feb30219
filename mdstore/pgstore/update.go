package pgstore

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"arbor/mdstore"
)

// An update is an Update while it runs. Its transaction holds the lock of the vault. What f writes to .local/ is
// written in it, so that a lock which was lost takes these writes with it: two processes never write the same claims.
type update struct {
	s *Store

	mu      sync.Mutex // held during a commit or a statement: the function may have several goroutines
	c       conn
	wrote   bool // to .local/
	commits int
	over    bool
}

var _ mdstore.Tx = (*update)(nil)

// Update calls f while no other process can commit.
func (s *Store) Update(ctx context.Context, f func(mdstore.Tx) error) error {
	if err := s.acquire(ctx); err != nil {
		return err
	}
	defer s.release()
	if err := s.settle(ctx); err != nil {
		return err
	}
	u := &update{s: s}
	if err := u.begin(ctx); err != nil {
		return s.said(err)
	}
	defer s.put(u.c)
	s.mu.Lock()
	s.active = u
	s.mu.Unlock()
	ended := false
	defer func() {
		if !ended { // f has panicked
			_ = u.end(ctx)
		}
	}()
	err := f(u)
	ended = true
	return errors.Join(err, u.end(ctx))
}

// begin gets the lock of the vault. While its holders commit, it goes on waiting.
func (u *update) begin(ctx context.Context) error {
	last, err := u.s.Generation(ctx)
	if err != nil {
		return err
	}
	for {
		err := u.s.again(ctx, func() error {
			c, err := u.s.get(ctx)
			if err != nil {
				return err
			}
			if _, err = c.run(ctx, append(beginning(), sql("SELECT pg_advisory_xact_lock($1)", u.s.lockKey()))...); err != nil {
				u.s.put(c)
				return err
			}
			u.c = c
			return nil
		})
		if codeOf(err) != "55P03" {
			return err
		}
		now, err := u.s.Generation(ctx)
		if err != nil {
			return err
		}
		if now == last {
			return u.s.busy()
		}
		last = now
	}
}

// end gives the lock back.
func (u *update) end(ctx context.Context) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.over = true
	u.s.mu.Lock()
	u.s.active = nil
	u.s.mu.Unlock()
	_, err := u.c.run(context.WithoutCancel(ctx), sql("COMMIT"))
	switch {
	case err == nil, !u.wrote:
		return nil
	case u.commits > 0: // files were committed: the operation is made, and may not be made again
		u.s.log.Warn("notes of .local cannot be kept", "error", err)
		return nil
	}
	return u.s.said(fmt.Errorf("the notes of .local were not kept: %w", err))
}

func (u *update) Read(ctx context.Context, p mdstore.Path) (mdstore.File, error) {
	return u.s.Read(ctx, p)
}

func (u *update) Commit(ctx context.Context, changes []mdstore.Change) (mdstore.Result, error) {
	if err := check(changes); err != nil {
		return mdstore.Result{}, err
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.over {
		return mdstore.Result{}, errors.New("a commit after Update has returned; use the store itself")
	}
	if err := ctx.Err(); err != nil {
		return mdstore.Result{}, err
	}
	res, err := u.s.commit(ctx, changes, true)
	if err == nil {
		u.commits++
	}
	return res, err
}

// run runs statements of .local/ within the transaction of the lock.
func (u *update) run(ctx context.Context, writes bool, all ...stmt) (results [][][][]byte, over bool, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.over {
		return nil, true, nil
	}
	u.wrote = u.wrote || writes
	results, err = u.c.run(ctx, all...)
	return results, false, err
}
