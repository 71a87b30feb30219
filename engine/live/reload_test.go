package live_test

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"runtime"
	"slices"
	"testing"

	"arbor/engine"
	"arbor/engine/check"
	"arbor/engine/enginetest"
	"arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/memstore"
)

// A counter is a vault in memory that counts what is read. It tells of no generation.
type counter struct {
	enginetest.Quiet
	mem                 *memstore.Store
	reads, lists, scans int
	told                chan mdstore.Watching
}

func newCounter(files map[mdstore.Path][]byte) *counter {
	mem := memstore.New(files)
	return &counter{Quiet: enginetest.NewQuiet(mem), mem: mem, told: make(chan mdstore.Watching, 1)}
}

func (c *counter) InPlace() error       { return nil }
func (c *counter) Polls() (bool, error) { return false, nil }
func (c *counter) Watch(ctx context.Context, w mdstore.Watching) error {
	return enginetest.Tell(ctx, w, c.told)
}

func (c *counter) Read(ctx context.Context, p mdstore.Path) (mdstore.File, error) {
	c.reads++
	return c.Quiet.Read(ctx, p)
}

func (c *counter) List(ctx context.Context, under mdstore.Path) iter.Seq2[mdstore.Entry, error] {
	c.lists++
	return c.Quiet.List(ctx, under)
}

func (c *counter) Scan(ctx context.Context, dir mdstore.Path, kinds ...*mdstore.Kind) (*mdstore.Scan, error) {
	c.scans++
	return c.Quiet.Scan(ctx, dir, kinds...)
}

func (c *counter) open(t testing.TB) (*engine.Engine, mdstore.Watching) {
	t.Helper()
	e, err := engine.Open(t.Context(), c, engine.Options{After: enginetest.NoPause})
	if err != nil {
		t.Fatal(err)
	}
	return e, enginetest.Follow(t, e, c.told)
}

// After the save of one file of many, that file alone is read, and every other node is the very one that it was.
func TestASaveOfOneFileReadsOneFile(t *testing.T) {
	const n = 1000
	st := newCounter(enginetest.Sized(n))
	e, tell := st.open(t)
	before := viewOf(t, e, enginetest.Bench)
	p := enginetest.LeafPath(n)
	st.mem.Put(p, bytes.Replace(st.mem.Files()[p], []byte("title: Node"), []byte("title: Another node"), 1))
	tell.Early(p)
	st.reads, st.lists, st.scans = 0, 0, 0
	after := viewOf(t, e, enginetest.Bench)
	if st.reads != 1 || st.lists+st.scans > 0 {
		t.Errorf("%d files were read, %d listings and %d scans made; want one file", st.reads, st.lists, st.scans)
	}
	old := slices.Collect(before.All())
	for i, x := range slices.Collect(after.All()) {
		if (old[i] != x) != (x.Path == p) {
			t.Errorf("%s is another one than before: %v", x.Path, old[i] != x)
		}
	}
	if x, _ := after.Node(enginetest.Leaf(n)); after.Len() != n || x.Title != "Another node 999 of the plan" {
		t.Errorf("of %d nodes, the save shows as %q", after.Len(), x.Title)
	}
}

// Reloading again and again keeps nothing: the memory that is in use stays what it was.
func TestReloadsKeepNothing(t *testing.T) {
	const n = 200
	rounds := 5_000
	if enginetest.Heavy {
		rounds = 100_000
	}
	st := newCounter(enginetest.Sized(n))
	e, tell := st.open(t)
	p := enginetest.LeafPath(n)
	texts := [][]byte{st.mem.Files()[p], bytes.Replace(st.mem.Files()[p], []byte("title: Node"), []byte("title: Edon"), 1)}
	var used []int64
	for i := range rounds {
		st.mem.Put(p, texts[i%2])
		tell.Early(p)
		tell.Settled([]mdstore.Path{p}, false)
		viewOf(t, e, enginetest.Bench)
		if (i+1)%(rounds/5) == 0 {
			used = append(used, inUse())
		}
	}
	t.Logf("bytes in use after each fifth of %d reloads: %v", rounds, used)
	if grown := used[4] - used[1]; grown > 64<<10 {
		t.Errorf("%d reloads keep %d bytes", rounds*3/5, grown)
	}
	runtime.KeepAlive(e)
}

// inUse returns the bytes of the heap that are reachable.
func inUse() int64 {
	runtime.GC()
	runtime.GC() // what finalizers and pools held
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// checks returns what the checks find in a view.
func checks(t *testing.T, e *engine.Engine, v *view.View) (found string) {
	t.Helper()
	_, err := e.Live().Over(t.Context(), v, func(v *view.View) error {
		found = fmt.Sprint(check.Diagnostics(check.View(v)))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// A folder right below nodes/ misses its file while there is no node in it at any depth. A followed view says so as a
// fresh one does, whatever comes and goes in the folder.
func TestAFolderMissesItsFileWithoutNodesInIt(t *testing.T) {
	const inner, own = mdstore.Path("ws-a/nodes/node-a/inner/Node.md"), mdstore.Path("ws-a/nodes/node-a/Node.md")
	const other = mdstore.Path("ws-a/nodes/node-a/another/Node.md")
	files := enginetest.Plan(ws)
	files["ws-a/nodes/node-a/plan.txt"] = []byte("what keeps the folder")
	st := newCounter(files)
	e, tell := st.open(t)
	for _, step := range []struct {
		name string
		path mdstore.Path
		data []byte // nil: the file goes
		told mdstore.Path
		miss bool
	}{
		{"no node", "ws-a/nodes/node-a/plan.txt", []byte("the same"), "ws-a/nodes/node-a", true},
		{"one in a folder of it", inner, enginetest.Step("node-i", "pending", ""), inner, false},
		{"another", other, enginetest.Step("node-o", "pending", ""), other.Dir(), false},
		{"of two one goes", other, nil, other.Dir(), false},
		{"its own", own, enginetest.Step("node-a", "pending", ""), own, false},
		{"its own goes", own, nil, own, false},
		{"the last goes", inner, nil, inner.Dir(), true},
		{"one again", inner, enginetest.Step("node-i", "pending", ""), inner.Dir(), false},
		{"the last goes again", inner, nil, inner, true},
	} {
		st.mem.Put(step.path, step.data)
		tell.Settled([]mdstore.Path{step.told}, false)
		followed := checks(t, e, viewOf(t, e, ws))
		fresh, err := engine.Open(t.Context(), st.mem, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		v := viewOf(t, fresh, ws)
		missing := false
		for _, d := range v.Broken() {
			missing = missing || d.Code == view.CodeFileMissing
		}
		if want := checks(t, fresh, v); followed != want || missing != step.miss {
			t.Errorf("%s: the engine that was told says %s, one that reads anew %s", step.name, followed, want)
		}
	}
}

// A meddler is a store in which something happens just before a commit is made.
type meddler struct {
	mdstore.Store
	mdstore.Scanner
	mdstore.Local
	before func()
}

func (m *meddler) Update(ctx context.Context, f func(mdstore.Tx) error) error {
	return m.Store.Update(ctx, func(tx mdstore.Tx) error { return f(meddled{tx, m}) })
}

type meddled struct {
	mdstore.Tx
	m *meddler
}

func (x meddled) Commit(ctx context.Context, changes []mdstore.Change) (mdstore.Result, error) {
	if f := x.m.before; f != nil {
		x.m.before = nil
		f()
	}
	return x.Tx.Commit(ctx, changes)
}

// A save that is read between the plan of a commit and the commit is not forgotten over it, and a save of the file
// that the commit changes is kept.
func TestACommitKeepsWhatWasSavedMeanwhile(t *testing.T) {
	for _, saved := range []mdstore.ID{"node-a", "node-b"} {
		for _, reads := range []bool{true, false} {
			var m *meddler
			w := enginetest.Over(t, memstore.New(small()), func(_ *enginetest.World, st *memstore.Store) mdstore.Store {
				m = &meddler{Store: st, Scanner: st, Local: st}
				return m
			})
			m.before = func() {
				w.Store.Put(mdstore.NodePath("ws-a", saved), enginetest.Step(saved, "failed", "## Note\n\nby hand\n"))
				w.Live().Heed(true, mdstore.NodePath("ws-a", saved))
				if reads {
					viewOf(t, w.Engine, ws)
				}
			}
			if _, _, err := engine.Apply(t.Context(), w.Engine, ws, plan.Act{}, plan.AppendLog{Node: "node-a", Event: "x"}); err != nil {
				t.Fatal(err)
			}
			if b, _ := viewOf(t, w.Engine, ws).Node(saved); b.Status != "failed" {
				t.Errorf("%s, read %v: the view has the status %s", saved, reads, b.Status)
			}
			note, logged := "", 0
			err := w.Read(t.Context(), func(ctx context.Context) error {
				v, err := w.View(ctx, ws)
				if err != nil {
					return err
				}
				a, _ := v.Node("node-a")
				b, _ := v.Node(saved)
				note, logged = b.Note(), len(a.Log())
				return nil
			})
			if err != nil || note != "by hand" || logged != 1 {
				t.Errorf("%s, read %v: the save shows as %q, the commit as %d entries, error %v", saved, reads, note, logged, err)
			}
		}
	}
}
