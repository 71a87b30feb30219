package live_test

import (
	"context"
	"fmt"
	"testing"

	"arbor/engine"
	"arbor/engine/enginetest"
	"arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/dirstore"
)

// same returns how many nodes of two views are the very same.
func same(a, b *view.View) int {
	n := 0
	for x := range a.All() {
		if y, ok := b.Node(x.ID); ok && x == y {
			n++
		}
	}
	return n
}

// A reader sees what another process committed, and keeps every node that the commits did not change.
func TestCommitsOfOthersAreRead(t *testing.T) {
	dir := enginetest.Place(t, plans(20))
	mine, other := enginetest.Open(t, enginetest.OpenDir(t, dir)), enginetest.Open(t, enginetest.OpenDir(t, dir))
	logEvent(t, other, ws, nodeID(3), "the first commit has none before it that could be remembered")
	was := viewOf(t, mine, ws)
	for range 3 {
		logEvent(t, other, ws, nodeID(3), "x")
	}
	is, want := viewOf(t, mine, ws), viewOf(t, other, ws)
	if len(is.Altered(want)) > 0 || same(was, is) != was.Len()-1 {
		t.Errorf("after three commits %v differs, and %d of %d nodes are the same", is.Altered(want), same(was, is), was.Len())
	}
	op := plan.NewNode{Parent: mdstore.Root, Head: mdstore.Head{Type: "execution", Title: "N"}, Requirement: "r"}
	made, _, err := engine.Apply(t.Context(), other, ws, plan.Act{}, op)
	if err != nil {
		t.Fatal(err)
	}
	was, is = is, viewOf(t, mine, ws)
	if _, ok := is.Node(made.Node); !ok || same(was, is) < was.Len()-2 {
		t.Errorf("a node that another process made: %v, and %d of %d nodes are the same", ok, same(was, is), was.Len())
	}
	if _, _, err := engine.Apply(t.Context(), other, ws, plan.Act{}, plan.Delete{Node: made.Node}); err != nil {
		t.Fatal(err)
	}
	if is = viewOf(t, mine, ws); len(is.Altered(viewOf(t, other, ws))) > 0 {
		t.Error("after the deletion the views differ")
	}
	if ds := checks(t, mine, is); ds != "[]" {
		t.Error(ds)
	}
}

// A busy store has another process commit after each scan and, for a while, after each look at what was committed last.
type busy struct {
	*dirstore.Store
	commit      func()
	scans, more int
}

func (b *busy) Scan(ctx context.Context, dir mdstore.Path, kinds ...*mdstore.Kind) (*mdstore.Scan, error) {
	b.scans++
	found, err := b.Store.Scan(ctx, dir, kinds...)
	b.commit()
	return found, err
}

func (b *busy) ChangedSince(ctx context.Context, before, now uint64) ([]mdstore.Path, bool) {
	paths, ok := b.Store.ChangedSince(ctx, before, now)
	if b.more > 0 {
		b.more--
		b.commit()
	}
	return paths, ok
}

// A reader is done after one scan while another process commits all the time, and has what there is.
func TestReadersKeepUpWithOtherProcesses(t *testing.T) {
	dir := enginetest.Place(t, enginetest.Sized(20))
	other := enginetest.Open(t, enginetest.OpenDir(t, dir))
	commits := 0
	b := &busy{Store: enginetest.OpenDir(t, dir), more: 30}
	b.commit = func() {
		if commits++; commits > 500 {
			return // a reader that does not keep up is done at some time
		}
		logEvent(t, other, enginetest.Bench, enginetest.Leaf(20-commits%5), "busy")
	}
	logEvent(t, other, enginetest.Bench, enginetest.Leaf(20), "the first commit has none before it that could be remembered")
	e := enginetest.Open(t, b)
	for round := range 2 { // and again, when most of it is known
		v := viewOf(t, e, enginetest.Bench)
		if b.scans != 1 || b.more > 0 {
			t.Errorf("round %d: %d scans; want one. %d commits were to come yet", round, b.scans, b.more)
		}
		if differ := v.Altered(viewOf(t, other, enginetest.Bench)); len(differ) > 0 {
			t.Errorf("round %d: %v differs", round, differ)
		}
		b.more = 20
		b.commit()
	}
}

// A diskTold is a vault in a folder whose watcher tells what the test says.
type diskTold struct {
	*dirstore.Store
	told chan mdstore.Watching
}

func (s *diskTold) Watch(ctx context.Context, w mdstore.Watching) error {
	return enginetest.Tell(ctx, w, s.told)
}

// What a commit has deleted is gone at once, whichever process made it and whenever its news arrive: it is not missing
// in the middle of a save.
func TestDeletedNodesAreGoneAtOnce(t *testing.T) {
	dir := enginetest.Place(t, plans(6))
	st := &diskTold{enginetest.OpenDir(t, dir), make(chan mdstore.Watching, 1)}
	mine, another := enginetest.Open(t, st), enginetest.Open(t, enginetest.OpenDir(t, dir))
	tell := enginetest.Follow(t, mine, st.told)
	gone := func(when string, id mdstore.ID) {
		t.Helper()
		if _, ok := viewOf(t, mine, ws).Node(id); ok {
			t.Errorf("%s: %s is still there", when, id)
		}
	}
	gone("before", "none")
	for i, e := range []*engine.Engine{mine, another, mine, another} {
		folder := nodeFile(i).Dir()
		if i < 2 {
			tell.Early(folder) // before the commit
		}
		if _, _, err := engine.Apply(t.Context(), e, ws, plan.Act{}, plan.Delete{Node: nodeID(i)}); err != nil {
			t.Fatal(err)
		}
		tell.Early(folder)
		tell.Early(nodeFile(i))
		gone(fmt.Sprint(i), nodeID(i))
		tell.Early(folder) // and once more after it was seen
		gone(fmt.Sprint(i, " again"), nodeID(i))
	}
}
