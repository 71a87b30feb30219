package pgstore

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"arbor/mdstore"
)

const look = time.Second // how often Watch asks without a notification

// channel is the name under which commits of the vault are announced.
func (s *Store) channel() string { return fmt.Sprintf("arbor_%016x", uint64(s.lockKey())) }

// Watch tells w what commits of any process have changed, within a moment of each. It listens on a connection of its
// own, and asks every second anyway: a writer may have died before it announced its commit, and a pooler announces
// nothing.
func (s *Store) Watch(ctx context.Context, w mdstore.Watching) error {
	last, err := s.Generation(ctx)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	rang := make(chan struct{}, 1)
	over := make(chan struct{})
	go func() { defer close(over); s.listen(ctx, rang) }()
	defer func() { cancel(); <-over }()
	w.Ready()
	tick := time.NewTicker(look)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-rang:
		case <-tick.C:
		}
		now, err := s.Generation(ctx)
		if err != nil || now == last {
			continue // it is asked again
		}
		paths, ok := s.ChangedSince(ctx, last, now)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		last = now
		if !ok {
			w.Early("")
			w.Settled(nil, true)
			continue
		}
		for _, p := range paths {
			w.Early(p)
		}
		w.Settled(paths, false)
	}
}

// listen rings at each notification, and after each new connection.
func (s *Store) listen(ctx context.Context, rang chan<- struct{}) {
	ring := func() {
		select {
		case rang <- struct{}{}:
		default:
		}
	}
	config := s.address.config.Copy()
	config.OnNotification = func(*pgconn.PgConn, *pgconn.Notification) { ring() }
	for ctx.Err() == nil {
		p, err := pgconn.ConnectConfig(ctx, config)
		if err == nil {
			if _, err = p.Exec(ctx, "LISTEN "+s.channel()).ReadAll(); err == nil {
				s.heard(nil)
				ring()
			}
			for err == nil {
				err = p.WaitForNotification(ctx)
			}
			drop(p)
		}
		if ctx.Err() == nil {
			s.heard(err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(look):
		}
	}
}

func (s *Store) heard(why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deaf = why
}

// InPlace returns nil: a vault on a server does not move.
func (s *Store) InPlace() error { return nil }

// Polls reports whether commits are found only by asking every second, and why.
func (s *Store) Polls() (polls bool, why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.deaf != nil, s.deaf
}
