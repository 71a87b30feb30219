package live_test

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
	"arbor/engine/live"
	"arbor/engine/plan"
	"arbor/mdstore"
	"arbor/mdstore/dirstore"
)

func nodeFile(i int) mdstore.Path { return mdstore.NodePath("ws-a", nodeID(i)) }

func nodeID(i int) mdstore.ID { return mdstore.ID(fmt.Sprintf("node-%d", i)) }

// plans is a plan of so many nodes besides the root.
func plans(nodes int) map[mdstore.Path][]byte {
	var ids []mdstore.ID
	for i := range nodes {
		ids = append(ids, nodeID(i))
	}
	return enginetest.Plan(ws, ids...)
}

// followed returns an engine that follows a vault in a folder, and its news.
func followed(t *testing.T, files map[mdstore.Path][]byte) (e *engine.Engine, dir string, news <-chan live.News) {
	t.Helper()
	dir = enginetest.Place(t, files)
	e = enginetest.Open(t, enginetest.OpenDir(t, dir))
	ctx, stop := context.WithCancel(context.Background())
	ready, done, all := make(chan struct{}), make(chan struct{}), make(chan live.News, 1000)
	go func() {
		defer close(done)
		if err := e.Follow(ctx, func() { close(ready) }, func(n live.News) { all <- n }); ctx.Err() == nil {
			t.Errorf("following ends with %v", err)
		}
	}()
	t.Cleanup(func() {
		stop()
		<-done
	})
	<-ready
	return e, dir, all
}

// agrees waits until the engine's view is what another engine reads from the disk.
func agrees(t *testing.T, e *engine.Engine, dir string) {
	t.Helper()
	st, err := dirstore.Open(dir, dirstore.Options{SaveQuiet: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	other := enginetest.Open(t, st)
	for end := time.Now().Add(30 * time.Second); ; runtime.Gosched() {
		mine := viewOf(t, e, ws)
		other.Live().Stale()
		disk, err := other.View(t.Context(), ws)
		if err != nil {
			t.Fatal(err)
		}
		differ := disk.Altered(mine)
		got, want := checks(t, e, mine), checks(t, other, disk)
		if len(differ) == 0 && got == want && fmt.Sprint(mine.Children(mdstore.Root)) == fmt.Sprint(disk.Children(mdstore.Root)) {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("the view stays another one than the files: %v\n%v\n%v", differ, got, want)
		}
	}
}

func logEvent(t testing.TB, e *engine.Engine, ws, id mdstore.ID, event string) {
	t.Helper()
	if _, _, err := engine.Apply(t.Context(), e, ws, plan.Act{}, plan.AppendLog{Node: id, Event: event}); err != nil {
		t.Error(err)
	}
}

// However commits, saves of people and readers meet, the view is at last what the files say.
func TestFollowedViewAgreesWithTheFiles(t *testing.T) {
	const nodes, rounds = 12, 40
	e, dir, _ := followed(t, plans(nodes))
	var all sync.WaitGroup
	for w := range 3 {
		all.Go(func() { // a writer, on nodes of its own
			for i := range rounds {
				logEvent(t, e, ws, nodeID(3*(i%3)+w), "x")
			}
		})
		all.Go(func() { // a reader
			for range rounds * 4 {
				if _, err := e.View(t.Context(), ws); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Go(func() { // a person, on the others
		for i := range rounds {
			n := 9 + i%3
			enginetest.Put(t, dir, nodeFile(n), enginetest.Step(nodeID(n), "pending", fmt.Sprintf("## Note\n\n%d\n", i)))
		}
	})
	all.Wait()
	agrees(t, e, dir)
}

// What people do to files and folders shows, step by step.
func TestFollowedStepsShow(t *testing.T) {
	e, dir, _ := followed(t, plans(3))
	at := func(name mdstore.Path) string { return filepath.Join(dir, filepath.FromSlash(string(name))) }
	put := func(name mdstore.Path, id mdstore.ID, status string) error {
		enginetest.Put(t, dir, name, enginetest.Step(id, status, ""))
		return nil
	}
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"a save", func() error { return put(nodeFile(0), "node-0", "failed") }},
		{"a save of another id", func() error { return put(nodeFile(0), "node-9", "failed") }},
		{"a folder without a file", func() error { return os.Mkdir(at("ws-a/nodes/empty"), 0o777) }},
		{"its file", func() error { return put("ws-a/nodes/empty/Node.md", "node-e", "pending") }},
		{"a copy of a folder", func() error { return os.CopyFS(at("ws-a/nodes/copy"), os.DirFS(at("ws-a/nodes/empty"))) }},
		{"a folder that is renamed", func() error { return os.Rename(at("ws-a/nodes/copy"), at("ws-a/nodes/kopie")) }},
		{"a folder in a folder", func() error { return put("ws-a/nodes/a/b/c/Node.md", "node-c", "pending") }},
		{"a file that goes", func() error { return os.Remove(at("ws-a/nodes/a/b/c/Node.md")) }},
		{"a folder that goes", func() error { return os.RemoveAll(at("ws-a/nodes/kopie")) }},
		{"a folder in a folder without a file", func() error {
			return os.CopyFS(at("ws-a/nodes/a/d"), os.DirFS(at("ws-a/nodes/empty")))
		}},
		{"the last one in it goes", func() error { return os.RemoveAll(at("ws-a/nodes/a/d")) }},
		{"another file beside", func() error {
			enginetest.Put(t, dir, "ws-a/nodes/empty/notes.txt", []byte("x"))
			return nil
		}},
		{"a folder in place of a file", func() error {
			if err := os.Remove(at(nodeFile(1))); err != nil {
				return err
			}
			return os.Mkdir(at(nodeFile(1)), 0o777)
		}},
		{"the workspace's own file", func() error {
			enginetest.Put(t, dir, "ws-a/Workspace.md", []byte("---\nid: ws-a\nname: B\ngoal: h\nstatus: active\n---\n"))
			return nil
		}},
		{"the workspace elsewhere", func() error { return os.Rename(at("ws-a"), at("ws-b")) }},
		{"a save there", func() error {
			data, err := os.ReadFile(at("ws-b/nodes/node-2/Node.md"))
			enginetest.Put(t, dir, "ws-b/nodes/node-2/Node.md", []byte(strings.Replace(string(data), "title: T", "title: U", 1)))
			return err
		}},
	} {
		if err := step.do(); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		t.Log(step.name)
		agrees(t, e, dir)
	}
}

// Many callers at once: what was acknowledged is there, once.
func TestManyCallersLoseNothing(t *testing.T) {
	const callers, each = 12, 8
	dir := enginetest.Place(t, enginetest.Sized(20))
	e := enginetest.Open(t, enginetest.OpenDir(t, dir))
	var all sync.WaitGroup
	for i := range callers {
		all.Go(func() {
			for j := range each {
				logEvent(t, e, enginetest.Bench, enginetest.Leaf(20-(i+j)%5), fmt.Sprintf("event %d of %d", j, i))
			}
		})
	}
	all.Wait()
	seen := map[string]int{}
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.Name() != mdstore.NodeFile || strings.Contains(name, mdstore.LocalDir) {
			return err
		}
		data, err := os.ReadFile(name)
		for line := range strings.Lines(string(data)) {
			if _, event, ok := strings.Cut(line, "[AI] event"); ok {
				seen["event"+strings.TrimSpace(event)]++
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range callers {
		for j := range each {
			if event := fmt.Sprintf("event%d of %d", j, i); seen[event] != 1 {
				t.Errorf("%s: there %d times", event, seen[event])
			}
		}
	}
}
