package enginetest

import (
	"context"
	"testing"

	"arbor/engine"
	"arbor/mdstore"
	"arbor/mdstore/memstore"
)

// Quiet is a vault in memory without generations, so that the engine does not notice commits, as with saves of a
// person.
type Quiet struct {
	mdstore.Store
	mdstore.Scanner
	mdstore.Local
}

// NewQuiet returns a store without its generations.
func NewQuiet(st *memstore.Store) Quiet { return Quiet{st, st, st} }

// Watched is a Quiet vault whose watcher reports what the test tells it.
type Watched struct {
	Quiet
	told chan mdstore.Watching
}

var _ mdstore.Watcher = Watched{}

// InPlace reports that the vault was not replaced.
func (Watched) InPlace() error { return nil }

// Polls returns false: the system reports changes.
func (Watched) Polls() (bool, error) { return false, nil }

// Watch hands w to the test.
func (s Watched) Watch(ctx context.Context, w mdstore.Watching) error { return Tell(ctx, w, s.told) }

// Tell is a Watch that hands w to the test.
func Tell(ctx context.Context, w mdstore.Watching, to chan<- mdstore.Watching) error {
	w.Ready()
	to <- w
	<-ctx.Done()
	return ctx.Err()
}

// Followed returns a world that follows a vault in memory until the test ends, and the Watching that reports saves to
// it. Saves are made in w.Store.
func Followed(t testing.TB, files map[mdstore.Path][]byte) (*World, mdstore.Watching) {
	t.Helper()
	told := make(chan mdstore.Watching, 1)
	w := Over(t, memstore.New(files), func(_ *World, st *memstore.Store) mdstore.Store { return Watched{NewQuiet(st), told} })
	return w, Follow(t, w.Engine, told)
}

// Follow makes an engine follow its store until the test ends. The store's Watch must send its argument to told.
func Follow(t testing.TB, e *engine.Engine, told <-chan mdstore.Watching) mdstore.Watching {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = e.Follow(ctx, nil, nil)
	}()
	t.Cleanup(func() {
		stop()
		<-done
	})
	return <-told
}
