package engine_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"arbor/engine"
	"arbor/mdstore"
	"arbor/mdstore/dirstore"
)

// What another process commits costs its reader the change and not the vault, and a note of it that is lost costs no more than time.
func TestCommitsOfOthersCostTheChange(t *testing.T) {
	_, dir := followed(t, 20)
	engines := make([]*engine.Engine, 2)
	for i := range engines {
		st, err := dirstore.Open(dir, dirstore.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer st.Close()
		if engines[i], err = engine.Open(t.Context(), st, engine.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	mine, other := engines[0], engines[1]
	snapshot := func() *engine.Snapshot {
		t.Helper()
		s, err := mine.Snapshot(t.Context(), "ws-a")
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	log := func() {
		t.Helper()
		if _, _, err := other.AppendLog(t.Context(), "ws-a", "node-3", "x", engine.Act{}); err != nil {
			t.Fatal(err)
		}
	}
	shared := func(a, b *engine.Snapshot) int {
		n := 0
		for x := range a.All() {
			if y, ok := b.Node(x.ID); ok && x == y {
				n++
			}
		}
		return n
	}
	entries := func(s *engine.Snapshot) int {
		n, _ := s.Node("node-3")
		return len(n.Log())
	}
	log() // the first has nothing before it that could be known
	was := snapshot()
	for range 3 {
		log()
	}
	is := snapshot()
	if entries(is) != 4 || shared(was, is) != was.Len()-1 {
		t.Errorf("after three commits there are %d entries, and %d of %d nodes are shared", entries(is), shared(was, is), was.Len())
	}
	if err := os.Remove(filepath.Join(dir, mdstore.LocalDir, "recent")); err != nil {
		t.Fatal(err)
	}
	log()
	if is = snapshot(); entries(is) != 5 {
		t.Errorf("without the note there are %d entries", entries(is))
	}
	made, err := other.Create(t.Context(), "ws-a", engine.NewNode{Parent: mdstore.Root, Type: "execution", Title: "N", Requirement: "r"}, engine.Act{})
	if err != nil {
		t.Fatal(err)
	}
	was, is = is, snapshot()
	if _, ok := is.Node(made.Node); !ok || shared(was, is) < was.Len()-1 {
		t.Errorf("a node that another made: %v, and %d of %d nodes are shared", ok, shared(was, is), was.Len())
	}
	if _, err := other.Delete(t.Context(), "ws-a", made.Node, engine.Act{}); err != nil {
		t.Fatal(err)
	}
	was, is = is, snapshot()
	if _, ok := is.Node(made.Node); ok || shared(was, is) < was.Len()-2 {
		t.Errorf("a node that another deleted: %v, and %d of %d nodes are shared", ok, shared(was, is), was.Len())
	}
	if d := is.Diagnostics(); len(d) > 0 {
		t.Error(d)
	}
}

// BenchmarkCommitOfAnother is the time from the end of another process's commit to the snapshot that shows it, beside a reload of everything.
func BenchmarkCommitOfAnother(b *testing.B) {
	for _, n := range sizes {
		st := onDisk(b, sized(n))
		second, err := dirstore.Open(st.Dir(), dirstore.Options{})
		if err != nil {
			b.Fatal(err)
		}
		defer second.Close()
		mine, other := opened(b, st), opened(b, second)
		leaf := mdstore.ID(fmt.Sprintf("node-%08d-bench0", n-1))
		log := func() {
			if _, _, err := other.AppendLog(b.Context(), benchWorkspace, leaf, "x", engine.Act{}); err != nil {
				b.Fatal(err)
			}
		}
		read := func(get func(context.Context, mdstore.ID) (*engine.Snapshot, error)) {
			if _, err := get(b.Context(), benchWorkspace); err != nil {
				b.Fatal(err)
			}
		}
		log()
		read(mine.Snapshot)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				log()
				b.StartTimer()
				read(mine.Snapshot)
			}
		})
		b.Run(fmt.Sprint(n, "/everything"), func(b *testing.B) {
			for b.Loop() {
				read(mine.Reload)
			}
		})
	}
}

// A watched is a vault in a folder whose watcher tells what the test says.
type watched struct {
	*dirstore.Store
	to chan mdstore.Watching
}

func (w *watched) Watch(ctx context.Context, tell mdstore.Watching) error {
	tell.Ready()
	w.to <- tell
	<-ctx.Done()
	return ctx.Err()
}

// What a commit has deleted is gone at once, whoever made it and whenever its news arrive: it is not missing in the middle of a save.
func TestDeletedNodesAreGoneAtOnce(t *testing.T) {
	_, dir := followed(t, 6)
	open := func() *dirstore.Store {
		st, err := dirstore.Open(dir, dirstore.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { st.Close() })
		return st
	}
	st := &watched{open(), make(chan mdstore.Watching)}
	mine, err := engine.Open(t.Context(), st, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); _ = mine.Follow(ctx, nil, nil) }()
	defer func() { stop(); <-done }()
	tell := <-st.to
	another, err := engine.Open(t.Context(), open(), engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	gone := func(when string, id mdstore.ID) {
		t.Helper()
		s, err := mine.Snapshot(t.Context(), "ws-a")
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := s.Node(id); ok {
			t.Errorf("%s: %s is still there", when, id)
		}
	}
	gone("before", "nobody")
	for i, who := range []*engine.Engine{mine, another, mine, another} {
		id := mdstore.ID(fmt.Sprintf("node-%d", i))
		folder := mdstore.NodePath("ws-a", id).Dir()
		if i < 2 {
			tell.Early(folder) // before the commit
		}
		if _, err := who.Delete(t.Context(), "ws-a", id, engine.Act{}); err != nil {
			t.Fatal(err)
		}
		tell.Early(folder)
		tell.Early(folder.Join(mdstore.NodeFile))
		gone(fmt.Sprint(i), id)
		tell.Early(folder) // and once more after it was seen
		gone(fmt.Sprint(i, " again"), id)
	}
}
