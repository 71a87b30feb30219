// Package enginetest builds small worlds for tests of the engine: a vault in memory, a clock that stands still, ids
// that count, and calls by name as front ends make them.
package enginetest

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"arbor/engine"
	"arbor/mdstore"
	"arbor/mdstore/memstore"
)

// Start is the time of the clock of a new world.
var Start = time.Date(2026, 1, 1, 10, 0, 0, 0, time.UTC)

// Docs are documents of the project around every vault, by path.
var Docs = map[string]string{
	".import/notes.txt": "what was said\n", ".import/slots.json": `{"slot_name": "a b", "tags": ["X y"], "entries": [{"id": "entry_1", "content": "one"}]}`,
}

// A World is an engine over a vault, which is in memory unless Chosen names another store.
type World struct {
	*engine.Engine
	Store Vault
	now   time.Time
	ids   int
}

// New returns a world over the files, which may be nil for an empty vault.
func New(t testing.TB, files map[mdstore.Path][]byte) *World {
	t.Helper()
	return NewIn(t, "memory", files)
}

// NewIn is New in a store that is named, unless Chosen names another one.
func NewIn(t testing.TB, store string, files map[mdstore.Path][]byte) *World {
	t.Helper()
	st, opt := NewVault(t, store, files)
	return open(t, st, opt, func(*World) mdstore.Store { return st })
}

// InEach runs a test in each store, or only in the one that Chosen names.
func InEach(t *testing.T, f func(t *testing.T, store string)) {
	for _, s := range Stores {
		if Chosen == "" || Chosen == s.Name {
			t.Run(s.Name, func(t *testing.T) { f(t, s.Name) })
		}
	}
}

// Over returns a world in memory with the store wrapped, so that a test can watch or fail the engine's calls of it.
func Over(t testing.TB, st *memstore.Store, wrap func(*World, *memstore.Store) mdstore.Store) *World {
	t.Helper()
	return open(t, memoryVault{st}, engine.Options{}, func(w *World) mdstore.Store { return wrap(w, st) })
}

func open(t testing.TB, st Vault, opt engine.Options, wrap func(*World) mdstore.Store) *World {
	t.Helper()
	w := &World{Store: st, now: Start}
	for name, text := range Docs {
		st.SetDoc(name, []byte(text))
	}
	opt.Now, opt.After, opt.NewID = w.Now, NoPause, w.newID
	e, err := engine.Open(t.Context(), wrap(w), opt)
	if err != nil {
		t.Fatal(err)
	}
	w.Engine = e
	return w
}

// Now returns the world's time.
func (w *World) Now() time.Time { return w.now }

// Tick advances the world's time.
func (w *World) Tick(d time.Duration) { w.now = w.now.Add(d) }

func (w *World) newID(prefix string) (mdstore.ID, error) {
	w.ids++
	return mdstore.ID(fmt.Sprintf("%s-mjv3xk00-%06d", prefix, w.ids)), nil
}

// NoPause is an After for engines that ends each pause at once.
func NoPause(time.Duration) <-chan time.Time {
	over := make(chan time.Time, 1)
	over <- Start
	return over
}

// Args returns arguments of an operation as JSON. It panics on a value that JSON cannot represent.
func Args(kv map[string]any) json.RawMessage {
	b, err := json.Marshal(kv)
	if err != nil {
		panic(err)
	}
	return b
}

// Diff returns the sorted paths whose bytes differ between two states of a vault, except in .local/.
func Diff(a, b map[mdstore.Path][]byte) []mdstore.Path {
	all := maps.Clone(a)
	maps.Copy(all, b)
	var out []mdstore.Path
	for _, p := range slices.Sorted(maps.Keys(all)) {
		x, inA := a[p]
		y, inB := b[p]
		if !p.Under(mdstore.LocalDir) && (inA != inB || string(x) != string(y)) {
			out = append(out, p)
		}
	}
	return out
}

// Node returns the bytes of a small Node.md with these front matter lines besides its id, and with that body.
func Node(id, fields, body string) []byte {
	return []byte("---\nid: " + id + "\n" + strings.Trim(fields, "\n") + "\n---\n\n" + strings.TrimLeft(body, "\n"))
}
