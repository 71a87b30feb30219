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
	lasts   bool                // what was written to .local/ must be on the disk
	made    []request           // the commits
	over    bool
}

var _ mdstore.Tx = (*update)(nil)

// Update calls f while no other process can commit. Others commit as soon as f has returned, while this one waits for
// the disk: it then asks the server for one more transaction, which is on the disk only after all that it followed.
// It calls f again if the server has lost the commit before.
func (s *Store) Update(ctx context.Context, f func(mdstore.Tx) error) error {
	for round := 1; ; round++ {
		err := s.update(ctx, f)
		if gone, ok := errors.AsType[goneError](err); !ok {
			return err
		} else if round == 3 || ctx.Err() != nil {
			return s.unreached(gone.error)
		}
	}
}

// A goneError says that the server has lost all that an Update had committed.
type goneError struct{ error }

func (s *Store) update(ctx context.Context, f func(mdstore.Tx) error) error {
	if err := s.acquire(ctx); err != nil {
		return err
	}
	release := sync.OnceFunc(s.release)
	defer release()
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
			_ = u.end(ctx, release)
		}
	}()
	err := f(u)
	ended = true
	over := u.end(ctx, release)
	if gone, ok := over.(goneError); ok && err != nil {
		over = s.unreached(gone.error) // f is not called again after an error of its own
	}
	return errors.Join(err, over)
}

// begin gets the lock of the vault. While its holders commit, it goes on waiting.
func (u *update) begin(ctx context.Context) error {
	var last uint64
	for waited := false; ; waited = true {
		err := u.s.again(ctx, func() error { return u.lock(ctx) })
		if codeOf(err) != "55P03" {
			return err
		}
		now, err := u.s.Generation(mdstore.Now(ctx))
		if err != nil {
			return err
		}
		if waited && now == last {
			return u.s.busy()
		}
		last = now
	}
}

// noticed lets the server notice within 15 seconds that a client is cut off, which then has the lock no longer.
const noticed = `, set_config('tcp_keepalives_idle', '5', true), set_config('tcp_keepalives_interval', '5', true),
	set_config('tcp_keepalives_count', '2', true), set_config('tcp_user_timeout', '15s', true)`

// lock waits for the lock, and takes in what other processes have done since the last Update.
func (u *update) lock(ctx context.Context) error {
	s := u.s
	s.mu.Lock()
	since, token, asked := s.memory.generation, s.memory.token, slices.Sorted(maps.Keys(s.memory.local))
	s.mu.Unlock()
	c, err := s.get(ctx)
	if err != nil {
		return err
	}
	first := append(beginning(maybeLost+noticed), sql("SELECT pg_advisory_xact_lock($1)", s.lockKey()))
	state := len(first)
	got, err := c.run(ctx, append(first,
		sql(s.in(heldSQL), s.n, s.id, since),
		sql(s.in(sinceSQL), s.n, since, asked, int64(followedMost), int64(keptFile)))...)
	if err == nil && len(got[state]) == 0 {
		err = fmt.Errorf("vault %s: %w", s.address, mdstore.ErrReplaced)
	}
	if err != nil {
		s.put(c)
		return err
	}
	now := got[state][0]
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settleDoubt(since, token, string(now[2]))
	u.local = s.catchUp(number(now[0]), got[state+1])
	s.memory.token = string(now[3])
	u.c, u.began, u.now, s.active = c, time.Now(), micros(now[1]), u
	return nil
}

// end gives the lock back, and then the turn of this process. It returns when what was committed and written is on the
// disk.
func (u *update) end(ctx context.Context, release func()) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.over = true
	u.s.mu.Lock()
	u.s.active = nil
	u.s.mu.Unlock()
	ctx = context.WithoutCancel(ctx) // in the middle, giving up would leave the outcome open
	_, err := u.c.runTwo(ctx, append(u.unsent(), sql("COMMIT")), release, u.flush())
	switch {
	case err == nil || !u.wrote && u.made == nil:
		return nil
	case u.made == nil:
		return u.s.said(fmt.Errorf("the notes of .local were not kept: %w", err))
	}
	// Files were committed. Whether they are on the disk, only the server knows. What it lost, it lost from the end.
	for i, r := range u.made {
		switch gone := u.s.madeOr(ctx, r, err); {
		case gone == nil:
		case errors.As(gone, new(*mdstore.UnfinishedError)):
			return gone
		case i > 0:
			return &mdstore.UnfinishedError{Err: gone, Unknown: true}
		default:
			return goneError{gone}
		}
	}
	if u.wrote { // the operation is made, and may not be made again
		u.s.log.Warn("notes of .local may be lost", "error", err)
	}
	return nil
}

// flush returns the statements that end when everything before them is on the disk, and that announce the last commit.
// The message in the server's log makes the transaction wait for the disk: one that writes nothing does not.
func (u *update) flush() []stmt {
	if !u.lasts && u.made == nil {
		return nil
	}
	all := []stmt{
		sql("BEGIN"),
		sql("SELECT " + onDisk + ", pg_logical_emit_message(true, 'arbor'::text, ''::text)"),
		sql("COMMIT"),
	}
	if u.made != nil {
		all = append(all, u.s.ring(u.made[len(u.made)-1].generation))
	}
	return all
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
	return u.s.commit(ctx, changes, u)
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
