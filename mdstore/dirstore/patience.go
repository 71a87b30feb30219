package dirstore

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"arbor/mdstore"
)

// A process that is stopped in the middle of a commit keeps the lock, and nobody can tell that from one that is slow but by what it gets done. So who waits
// looks for that, and gives up when there has been nothing for some time.

// How long the lock is waited for without anybody getting on: by who wants to write, and by who wants to read what is written to.
const (
	writePatience = 30 * time.Second
	readPatience  = 10 * time.Second
)

// A sign is another one whenever somebody has taken the lock, begun a commit, got on with a long one or ended it.
type sign struct {
	at       time.Time // when the lock was last touched, by who took it
	sequence uint64
}

// await is acquireUnless for when another process has the lock, and the turn is ours, or somebody else in this process has that.
func (s *Store) await(ctx context.Context, patience time.Duration, ours bool, over func() bool) (release func(), err error) {
	give := func(err error) (func(), error) {
		if ours {
			s.turn <- struct{}{}
		}
		return nil, err
	}
	var turn <-chan struct{}
	if !ours {
		turn = s.turn
	}
	last, since, looked := s.sign(), time.Now(), time.Now()
	for {
		select {
		case <-turn:
			turn, ours = nil, true
		case <-time.After(poll):
		case <-ctx.Done():
			return give(fmt.Errorf("vault %s: %s is writing to it: %w", s.dir, s.holder(), ctx.Err()))
		}
		if ours {
			if release, err := s.tryLock(ctx); release != nil || err != nil {
				return release, err
			}
		}
		if over() {
			return give(nil)
		}
		now := time.Now()
		if now.Sub(looked) < patience/10 {
			continue
		}
		looked = now
		if seen := s.sign(); seen != last {
			last, since = seen, now
		} else if now.Sub(since) >= patience {
			return give(s.stuck(patience))
		}
	}
}

func (s *Store) sign() sign {
	var out sign
	if info, err := s.root.Lstat(string(lockPath)); err == nil {
		out.at = info.ModTime()
	}
	out.sequence, _ = s.readSequence()
	return out
}

// A stuckError says that whoever has the lock does not get on.
type stuckError struct{ busy *mdstore.BusyError }

func (e *stuckError) Error() string { return e.busy.Error() }

func (e *stuckError) Unwrap() error { return e.busy }

func (s *Store) stuck(d time.Duration) error {
	return &stuckError{&mdstore.BusyError{
		What:  fmt.Sprintf("%s is writing to the vault, and has not got on for %v", s.holder(), d),
		Where: filepath.Join(s.dir, filepath.FromSlash(string(lockPath))), End: "wait for it, or end it",
	}}
}
