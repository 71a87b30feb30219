package lsp

import (
	"context"
	"testing"

	"arbor/engine/enginetest"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/memstore"
)

// A counted is a store that counts the files that are read.
type counted struct {
	*memstore.Store
	reads int
}

func (c *counted) Read(ctx context.Context, p mdstore.Path) (mdstore.File, error) {
	c.reads++
	return c.Store.Read(ctx, p)
}

// Once the references of a vault were read beside the loop, a question about references reads no file, and finds the
// same places as one that reads all of them.
func TestReferencesReadNoFile(t *testing.T) {
	st := &counted{}
	w := enginetest.Over(t, memstore.New(enginetest.Sized(60)), func(_ *enginetest.World, m *memstore.Store) mdstore.Store {
		st.Store = m
		return st
	})
	newVault := func() *vault { return &vault{engine: w.Engine, linked: map[mdstore.Path]linked{}} }
	warm, cold := newVault(), newVault()
	s := &server{ctx: t.Context(), events: make(chan func())}
	over := make(chan bool)
	go func() { s.readLinks(warm); close(over) }()
	for more := true; more; {
		select {
		case f := <-s.events:
			f()
		case <-over:
			more = false
		}
	}
	err := w.Read(t.Context(), func(ctx context.Context) error {
		v, err := w.View(ctx, enginetest.Bench)
		if err != nil {
			return err
		}
		goal, _ := v.Node(mdstore.Root)
		begun := st.reads
		got := places(s, warm, v, goal)
		if st.reads != begun {
			t.Errorf("%d files were read", st.reads-begun)
		}
		if want := places(s, cold, v, goal); got != want || got == 0 {
			t.Errorf("%d references; those that read each file find %d", got, want)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// places returns how many references lead to a node.
func places(s *server, in *vault, w *view.View, goal *mdstore.Node) (n int) {
	for m := range w.Heads() {
		n += len(s.naming(in, w, m, target{node: goal}))
	}
	return n
}
