package engine_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"arbor/engine"
	"arbor/engine/enginetest"
	"arbor/mdstore"
	"arbor/mdstore/dirstore"
	"arbor/mdstore/memstore"
)

// followed returns an engine that follows a vault in a folder with so many nodes besides the root.
func followed(t *testing.T, nodes int) (e *engine.Engine, dir string) {
	t.Helper()
	dir = t.TempDir()
	put(t, dir, "ws-a/Workspace.md", "---\nid: ws-a\nname: A\ngoal: g\nstatus: active\n---\n")
	put(t, dir, "ws-a/nodes/root/Node.md", "---\nid: root\ntitle: A\ntype: planning\nstatus: monitoring\n---\n")
	for i := range nodes {
		put(t, dir, nodeFile(i), fmt.Sprintf("---\nid: node-%d\ntitle: T\ntype: execution\nstatus: pending\nparentId: root\n---\n\n## Note\n\n0\n", i))
	}
	st, err := dirstore.Open(dir, dirstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	if e, err = engine.Open(t.Context(), st, engine.Options{}); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ready, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		if err := e.Follow(ctx, func() { close(ready) }, nil); ctx.Err() == nil {
			t.Errorf("following ends with %v", err)
		}
	}()
	t.Cleanup(func() { stop(); <-done })
	<-ready
	return e, dir
}

func nodeFile(i int) string { return fmt.Sprintf("ws-a/nodes/node-%d/Node.md", i) }

func put(t testing.TB, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Error(err)
	}
}

// agrees waits until the engine's snapshot is what another engine reads from the disk.
func agrees(t *testing.T, e *engine.Engine, dir string) {
	t.Helper()
	st, err := dirstore.Open(dir, dirstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	other, err := engine.Open(t.Context(), st, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(30 * time.Second); ; runtime.Gosched() {
		mine, err := e.Snapshot(t.Context(), "ws-a")
		if err != nil {
			t.Fatal(err)
		}
		disk, err := other.Reload(t.Context(), "ws-a")
		if err != nil {
			t.Fatal(err)
		}
		differ := disk.Altered(mine)
		if len(differ) == 0 && fmt.Sprint(mine.Diagnostics()) == fmt.Sprint(disk.Diagnostics()) && fmt.Sprint(mine.Children(mdstore.Root)) == fmt.Sprint(disk.Children(mdstore.Root)) {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("the snapshot stays another one than the files: %v\n%v\n%v", differ, mine.Diagnostics(), disk.Diagnostics())
		}
	}
}

// However commits, saves of people and readers meet, the snapshot is at last what the files say.
func TestFollowedSnapshotAgreesWithTheFiles(t *testing.T) {
	const nodes, rounds = 12, 40
	e, dir := followed(t, nodes)
	var all sync.WaitGroup
	for w := range 3 {
		all.Go(func() { // a writer, on nodes of its own
			for i := range rounds {
				node := mdstore.ID(fmt.Sprintf("node-%d", 3*(i%3)+w))
				if _, _, err := e.AppendLog(t.Context(), "ws-a", node, "x", engine.Act{}); err != nil {
					t.Error(err)
				}
			}
		})
		all.Go(func() { // a reader
			for range rounds * 4 {
				if _, err := e.Snapshot(t.Context(), "ws-a"); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Go(func() { // a person, on the others
		for i := range rounds {
			n := 9 + i%3
			put(t, dir, nodeFile(n), fmt.Sprintf("---\nid: node-%d\ntitle: T\ntype: execution\nstatus: pending\nparentId: root\n---\n\n## Note\n\n%d\n", n, i))
		}
	})
	all.Wait()
	agrees(t, e, dir)
}

// What people do to files and folders shows, step by step.
func TestFollowedSteps(t *testing.T) {
	e, dir := followed(t, 3)
	at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"a save", func() error {
			put(t, dir, nodeFile(0), "---\nid: node-0\ntitle: New\ntype: execution\nstatus: pending\nparentId: root\n---\n")
			return nil
		}},
		{"a save of another id", func() error {
			put(t, dir, nodeFile(0), "---\nid: node-9\ntitle: New\ntype: execution\nstatus: pending\nparentId: root\n---\n")
			return nil
		}},
		{"a folder without a file", func() error { return os.Mkdir(at("ws-a/nodes/empty"), 0o777) }},
		{"its file", func() error {
			put(t, dir, "ws-a/nodes/empty/Node.md", "---\nid: node-e\ntitle: E\ntype: execution\nstatus: pending\nparentId: root\n---\n")
			return nil
		}},
		{"a copy of a folder", func() error { return os.CopyFS(at("ws-a/nodes/copy"), os.DirFS(at("ws-a/nodes/empty"))) }},
		{"a folder that is renamed", func() error { return os.Rename(at("ws-a/nodes/copy"), at("ws-a/nodes/kopie")) }},
		{"a folder in a folder", func() error {
			put(t, dir, "ws-a/nodes/a/b/c/Node.md", "---\nid: node-c\ntitle: C\ntype: execution\nstatus: pending\nparentId: root\n---\n")
			return nil
		}},
		{"a file that goes", func() error { return os.Remove(at("ws-a/nodes/a/b/c/Node.md")) }},
		{"a folder that goes", func() error { return os.RemoveAll(at("ws-a/nodes/kopie")) }},
		{"a folder in a folder without a file", func() error {
			return os.CopyFS(at("ws-a/nodes/a/d"), os.DirFS(at("ws-a/nodes/empty")))
		}},
		{"the last one in it goes", func() error { return os.RemoveAll(at("ws-a/nodes/a/d")) }},
		{"another file beside", func() error { put(t, dir, "ws-a/nodes/empty/notes.txt", "x"); return nil }},
		{"a folder in place of a file", func() error {
			if err := os.Remove(at(nodeFile(1))); err != nil {
				return err
			}
			return os.Mkdir(at(nodeFile(1)), 0o777)
		}},
		{"the workspace's own file", func() error {
			put(t, dir, "ws-a/Workspace.md", "---\nid: ws-a\nname: B\ngoal: h\nstatus: active\n---\n")
			return nil
		}},
		{"the workspace elsewhere", func() error { return os.Rename(at("ws-a"), at("ws-b")) }},
		{"a save there", func() error {
			data, err := os.ReadFile(at("ws-b/nodes/node-2/Node.md"))
			if err != nil {
				return err
			}
			put(t, dir, "ws-b/nodes/node-2/Node.md", strings.Replace(string(data), "title: T", "title: U", 1))
			return nil
		}},
	} {
		if err := step.do(); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		t.Log(step.name)
		agrees(t, e, dir)
	}
}

// meddler is a store in which something happens just before a commit is made.
type meddler struct {
	mdstore.Store
	before func()
}

func (m *meddler) Update(_ context.Context, f func(mdstore.Tx) error) error { return f(m) }

func (m *meddler) Commit(ctx context.Context, changes []mdstore.Change) (mdstore.Result, error) {
	if f := m.before; f != nil {
		m.before = nil
		f()
	}
	return m.Store.Commit(ctx, changes)
}

// A save that is read between the plan of a commit and the commit is not forgotten over it.
func TestCommitKeepsWhatWasReadMeanwhile(t *testing.T) {
	files := map[mdstore.Path][]byte{"ws-a/Workspace.md": []byte("---\nid: ws-a\nname: A\ngoal: g\nstatus: active\n---\n")}
	for _, id := range []string{"root", "node-a", "node-b"} {
		fields := "title: " + id + "\ntype: planning\nstatus: pending\n"
		if id != "root" {
			fields += "parentId: root\n"
		}
		files[mdstore.NodePath("ws-a", mdstore.ID(id))] = enginetest.Node(id, fields, "")
	}
	for name, reads := range map[string]bool{"read": true, "not read": false} {
		var m *meddler
		w := enginetest.Over(t, memstore.New(files), func(_ *enginetest.World, st *memstore.Store) mdstore.Store {
			m = &meddler{Store: st}
			return m
		})
		saved := mdstore.NodePath("ws-a", "node-b")
		m.before = func() {
			old := w.Store.Files()[saved]
			edited := []byte(strings.Replace(string(old), "title: node-b", "title: by hand", 1))
			if _, err := w.Store.Commit(t.Context(), []mdstore.Change{{Path: saved, Base: mdstore.VersionOf(old), New: edited}}); err != nil {
				t.Fatal(err)
			}
			w.Heed(saved)
			if reads {
				if _, err := w.Snapshot(t.Context(), "ws-a"); err != nil {
					t.Fatal(err)
				}
			}
		}
		if _, _, err := w.AppendLog(t.Context(), "ws-a", "node-a", "x", engine.Act{}); err != nil {
			t.Fatal(err)
		}
		s, err := w.Snapshot(t.Context(), "ws-a")
		if err != nil {
			t.Fatal(err)
		}
		a, _ := s.Node("node-a")
		if b, _ := s.Node("node-b"); b.Title != "by hand" || len(a.Log()) != 1 {
			t.Errorf("%s: the save shows as %q, the commit as %v", name, b.Title, a.Log())
		}
	}
}
