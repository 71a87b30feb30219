package pgstore

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"arbor/mdstore"
)

// An update is an Update while it runs. Its transaction holds the lock of the vault. What f writes to .local/ is
// written in it, at its end, so that a lock which was lost takes these writes with it: two processes never write the
// same claims.
type update struct {
	s     *Store
	began time.Time // guarded by s.mu
	now   int64     // then, by the server's clock, Unix nanoseconds

	mu      sync.Mutex // held during a commit or a statement: the function may have several goroutines
	c       conn
	local   map[string][][]byte // rows of .local/ as the lock was taken, by key; nil for a missing file
	written map[string][]byte   // to .local/, by key, and not sent yet; nil for a removed file
	wrote   bool                // to .local/
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
	u := &update{s: s, written: map[string][]byte{}}
	if err := u.begin(ctx); err != nil {
		return s.said(err)
	}
	defer s.put(u.c)
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
	var last uint64
	for waited := false; ; waited = true {
		err := u.s.again(ctx, func() error { return u.lock(ctx) })
		if codeOf(err) != "55P03" {
			return err
		}
		now, err := u.s.Generation(ctx)
		if err != nil {
			return err
		}
		if waited && now == last {
			return u.s.busy()
		}
		last = now
	}
}

// lock waits for the lock, and takes in what other processes have done since the last Update.
func (u *update) lock(ctx context.Context) error {
	s := u.s
	s.mu.Lock()
	since, asked := s.memory.generation, slices.Sorted(maps.Keys(s.memory.local))
	s.mu.Unlock()
	c, err := s.get(ctx)
	if err != nil {
		return err
	}
	first := append(beginning(), sql("SELECT pg_advisory_xact_lock($1)", s.lockKey()))
	state := len(first)
	got, err := c.run(ctx, append(first,
		sql(s.in(stateSQL), s.n, s.id),
		sql(s.in(sinceSQL), s.n, since, asked, int64(followedMost), int64(keptFile)))...)
	if err == nil && len(got[state]) == 0 {
		err = fmt.Errorf("vault %s: %w", s.address, mdstore.ErrReplaced)
	}
	if err != nil {
		s.put(c)
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settleDoubt()
	u.local = s.catchUp(number(got[state][0][0]), got[state+1])
	u.c, u.began, u.now, s.active = c, time.Now(), micros(got[state][0][1]), u
	return nil
}

// end gives the lock back.
func (u *update) end(ctx context.Context) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.over = true
	u.s.mu.Lock()
	u.s.active = nil
	u.s.mu.Unlock()
	_, err := u.c.run(context.WithoutCancel(ctx), append(u.unsent(), sql("COMMIT"))...)
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

// unsent returns the statements that write what was not sent yet. u.mu must be held.
func (u *update) unsent() (all []stmt) {
	var removed []string
	w := &batch{}
	for _, key := range slices.Sorted(maps.Keys(u.written)) {
		if data := u.written[key]; data != nil {
			w.add(key, data)
		} else {
			removed = append(removed, key)
		}
	}
	if w.keys != nil {
		all = append(all, w.stmt(u.s))
	}
	if removed != nil {
		all = append(all, sql(u.s.in("DELETE FROM SCHEMA.files WHERE vault = $1 AND path = ANY($2)"), u.s.n, removed))
	}
	clear(u.written)
	return all
}
