package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"

	"arbor/engine"
	"arbor/engine/enginetest"
	"arbor/engine/errs"
	"arbor/engine/plan"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
	"arbor/mdstore/memstore"
	"arbor/statemachine"
)

// A gate is a store that asks before each commit.
type gate struct {
	*memstore.Store
	before  func([]mdstore.Change) error // its error is that of the commit
	met     []mdstore.Collision          // by the commit that is made next
	commits int
}

func (g *gate) Update(ctx context.Context, f func(mdstore.Tx) error) error {
	return g.Store.Update(ctx, func(tx mdstore.Tx) error { return f(gated{tx, g}) })
}

type gated struct {
	mdstore.Tx
	g *gate
}

func (x gated) Commit(ctx context.Context, changes []mdstore.Change) (r mdstore.Result, err error) {
	x.g.commits++
	if f := x.g.before; f != nil {
		err = f(changes)
	}
	if err == nil {
		r, err = x.Tx.Commit(ctx, changes)
	}
	r.Collisions, x.g.met = x.g.met, nil
	return r, err
}

func gatedWorld(t *testing.T) (*enginetest.World, *gate) {
	g := &gate{}
	w := enginetest.Over(t, memstore.New(enginetest.Sized(20)), func(_ *enginetest.World, st *memstore.Store) mdstore.Store {
		g.Store = st
		return g
	})
	return w, g
}

func apply[R any](t testing.TB, e *engine.Engine, op plan.Operation[R]) (R, *plan.Outcome, error) {
	t.Helper()
	return engine.Apply(t.Context(), e, enginetest.Bench, plan.Act{}, op)
}

func start(id mdstore.ID) plan.Transition {
	return plan.Transition{Node: id, Action: statemachine.Start}
}

// A change is no success whose file another program saved in that very moment, so that it lies beside the file. A save
// that was merged is reported, and the change is made.
func TestAChangeThatIsNotMadeIsNoSuccess(t *testing.T) {
	file := enginetest.LeafPath(20)
	copied := file.Dir().Join("Node.conflict-1a2b3c4d.md")
	for _, unmade := range []bool{false, true} {
		w, g := gatedWorld(t)
		g.met = []mdstore.Collision{{Path: file, Copy: copied, Text: "another program saved it", Unmade: unmade}}
		_, out, err := apply(t, w.Engine, start(enginetest.Leaf(20)))
		if !unmade {
			if err != nil || len(out.Collisions) != 1 {
				t.Errorf("a save that was merged: %v, error %v", out, err)
			}
			continue
		}
		e, ok := errors.AsType[*errs.Error](err)
		if !ok || e.Code != errs.Conflicting || e.Details == nil || !e.Details.Committed ||
			!slices.Equal(e.Details.Paths, []string{string(file), string(copied)}) {
			t.Errorf("error %v, details %+v", err, e.Details)
		}
	}
}

// What a commit that fails has met is reported with its error, or with the success of the next attempt.
func TestWhatAFailedCommitMetIsReported(t *testing.T) {
	file := enginetest.LeafPath(20)
	met := mdstore.Collision{Path: file, Copy: file.Dir().Join("Node.conflict-1a2b3c4d.md"), Text: "another program saved it", Unmade: true}
	w, g := gatedWorld(t)
	g.met = []mdstore.Collision{met}
	g.before = func([]mdstore.Change) error { return &mdstore.UnfinishedError{Err: errors.New("the disk is full")} }
	_, _, err := apply(t, w.Engine, start(enginetest.Leaf(20)))
	e := errs.As(err)
	if e == nil || e.Details == nil || !e.Details.Committed || !strings.Contains(e.Message, "the disk is full") ||
		!strings.Contains(e.Message, string(met.Copy)) {
		t.Errorf("of a commit that is not finished, and met a save: %v", err)
	}
	w, g = gatedWorld(t)
	g.met = []mdstore.Collision{met}
	g.before = func([]mdstore.Change) error {
		g.before = nil
		return &mdstore.ConflictError{Paths: []mdstore.Path{file}}
	}
	_, out, err := apply(t, w.Engine, start(enginetest.Leaf(20)))
	if err != nil || len(out.Collisions) != 1 || out.Collisions[0].Path != file || out.Collisions[0].Unmade {
		t.Errorf("of a second attempt: %+v, error %v", out, err)
	}
}

// What keeps a commit from being made is what its caller gets, and the next change is made. A file that moves on each
// time is a conflict after three attempts.
func TestErrorsOfACommitReachItsCaller(t *testing.T) {
	bad := enginetest.LeafPath(18)
	unreadable := &mdoc.UnreadableError{Problem: mdoc.Diagnostic{File: string(bad), Code: "PERMISSION"}}
	for _, fail := range []error{unreadable, syscall.ENOSPC, &mdstore.ConflictError{Paths: []mdstore.Path{bad}}, &mdstore.UnfinishedError{Err: syscall.EIO}} {
		w, g := gatedWorld(t)
		g.before = func([]mdstore.Change) error { return fail }
		_, out, err := apply(t, w.Engine, plan.AppendLog{Node: enginetest.Leaf(18), Event: "x"})
		if !errors.Is(err, fail) || out != nil {
			t.Errorf("%v, error %v; want %v", out, err, fail)
		}
		if _, moves := errors.AsType[*mdstore.ConflictError](fail); moves != (g.commits == 3) {
			t.Errorf("%v: %d attempts", fail, g.commits)
		}
		g.before = nil
		if _, out, err := apply(t, w.Engine, plan.AppendLog{Node: enginetest.Leaf(18), Event: "y"}); err != nil || !out.Changed() {
			t.Errorf("after %v: %v, error %v", fail, out, err)
		}
	}
}

// A save that lies between the plan and the commit is planned for: what the plan relied on is looked at again.
func TestAPlanIsMadeAgainOverASave(t *testing.T) {
	w, g := gatedWorld(t)
	p := enginetest.LeafPath(18)
	g.before = func([]mdstore.Change) error {
		g.before = nil
		g.Put(p, []byte(strings.Replace(string(g.Files()[p]), "status: pending", "status: completed", 1)))
		return nil
	}
	_, _, err := apply(t, w.Engine, start(enginetest.Leaf(18)))
	if e := errs.As(err); e == nil || e.Code != errs.InvalidTransition {
		t.Errorf("a node that was completed meanwhile is started: %v", err)
	}
	if is := string(g.Files()[p]); !strings.Contains(is, "status: completed") {
		t.Errorf("the save was lost:\n%s", is)
	}
}

// panicking is an operation that panics.
type panicking struct{ with error }

func (x panicking) Plan(*plan.Draft) (plan.None, error) { panic(x.with) }

// A plan that panics does so where its caller can recover, and the next change is made.
func TestAPanicReachesItsCaller(t *testing.T) {
	w, _ := gatedWorld(t)
	boom := errors.New("boom")
	func() {
		defer func() {
			if got := recover(); got != boom {
				t.Errorf("recovered %v", got)
			}
		}()
		_, _, _ = apply(t, w.Engine, panicking{boom})
	}()
	if _, _, err := apply(t, w.Engine, start(enginetest.Leaf(20))); err != nil {
		t.Error(err)
	}
}

// After any operation, the view that the engine has is what a fresh engine reads from the files.
func TestTheViewAfterACommitIsWhatTheFilesHold(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	done := 0
	for range 10 {
		w := enginetest.New(t, enginetest.Sized(20))
		for step := range 40 {
			ids := []mdstore.ID{}
			v, err := w.View(t.Context(), enginetest.Bench)
			if err != nil {
				t.Fatal(err)
			}
			for n := range v.All() {
				ids = append(ids, n.ID)
			}
			id, other := ids[rnd.IntN(len(ids))], ids[rnd.IntN(len(ids))]
			actions := []statemachine.Action{statemachine.Start, statemachine.Complete, statemachine.Fail, statemachine.Cancel, statemachine.Reopen}
			text := fmt.Sprint("text ", step)
			switch rnd.IntN(8) {
			case 0:
				_, _, err = apply(t, w.Engine, plan.NewNode{Parent: id, Head: mdstore.Head{Type: statemachine.Planning, Title: text}, Requirement: "r", Cascade: true})
			case 1:
				_, _, err = apply(t, w.Engine, plan.Delete{Node: id})
			case 2:
				_, _, err = apply(t, w.Engine, plan.Move{Node: id, Parent: other, Cascade: true})
			case 3:
				_, _, err = apply(t, w.Engine, plan.NodeTexts{Node: id, Title: &text, Note: &text})
			case 4:
				_, _, err = apply(t, w.Engine, plan.Focus{Node: id})
			case 5:
				_, _, err = apply(t, w.Engine, plan.NodeTexts{Node: id, Fields: mdstore.Fields{Isolated: new(rnd.IntN(2) == 0)}})
			default:
				_, _, err = apply(t, w.Engine, plan.Transition{Node: id, Action: actions[rnd.IntN(len(actions))], Conclusion: text, Cascade: true})
			}
			if err == nil {
				done++
			}
			got, err := w.View(t.Context(), enginetest.Bench)
			if err != nil {
				t.Fatal(err)
			}
			want, err := enginetest.Open(t, w.Store).View(t.Context(), enginetest.Bench)
			if err != nil {
				t.Fatal(err)
			}
			if differ := want.Altered(got); len(differ) > 0 || got.Len() != want.Len() {
				t.Fatalf("step %d: the view differs from the files in %v", step, differ)
			}
			for n := range want.All() {
				same, ok := got.File(n.Path)
				if !ok || same.Facts() != n.Facts() || !slices.Equal(got.Children(n.ID), want.Children(n.ID)) {
					t.Fatalf("step %d: %s is not what its file says", step, n.ID)
				}
			}
		}
	}
	if done < 100 {
		t.Errorf("only %d operations were made", done)
	}
}
