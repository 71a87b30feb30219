package stores_test

import (
	"testing"
	"time"

	"arbor/engine"
	"arbor/engine/enginetest"
	"arbor/engine/stores"
	"arbor/engine/stores/storestest"
	"arbor/mdstore"
	"arbor/mdstore/memstore"
)

func open(t *testing.T, st mdstore.Store) (stores.Stores, func(time.Duration)) {
	now := time.Now()
	e, err := engine.Open(t.Context(), st, engine.Options{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	return stores.New(e), func(d time.Duration) { now = now.Add(d) }
}

func TestStores(t *testing.T) {
	t.Run("files", func(t *testing.T) {
		storestest.Run(t, func(t *testing.T) (stores.Stores, func(time.Duration)) {
			return open(t, enginetest.OpenDir(t, t.TempDir()))
		})
	})
	t.Run("memory", func(t *testing.T) {
		storestest.Run(t, func(t *testing.T) (stores.Stores, func(time.Duration)) { return open(t, memstore.New(nil)) })
	})
}

// Each store can be chosen by itself, and one value may be both.
func TestEachStoreCanBeChosen(t *testing.T) {
	files, memory := enginetest.New(t, nil), enginetest.New(t, nil)
	other := stores.New(memory.Engine)
	storestest.Run(t, func(t *testing.T) (stores.Stores, func(time.Duration)) {
		w := enginetest.New(t, nil)
		own := stores.New(w.Engine)
		return stores.New(enginetest.New(t, nil).Engine, stores.WithWorkspaces(own.Workspaces),
			stores.WithSessions(own.Sessions), stores.WithBindings(own.Bindings)), w.Tick
	})
	mixed := stores.New(files.Engine, stores.WithBindings(other.Bindings))
	id, err := mixed.Bindings.Resolve(t.Context(), "laptop")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Workspaces.Load(t.Context(), id); err != nil {
		t.Error(err)
	}
	if all, err := mixed.Workspaces.List(t.Context()); err != nil || len(all) > 0 {
		t.Errorf("the store of bindings that was chosen is not used: %v, %v", all, err)
	}
}
