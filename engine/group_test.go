package engine_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"testing"

	"arbor/engine"
	"arbor/engine/enginetest"
	"arbor/mdstore"
	"arbor/mdstore/dirstore/crashtest"
	"arbor/mdstore/mdoc"
	"arbor/mdstore/memstore"
	"arbor/statemachine"
)

// A gate is a store that notes the commits that are made in it, and asks before each.
type gate struct {
	*memstore.Store
	before func(changes []mdstore.Change) error // its error is that of the commit
	again  func(err error) bool                 // whether what was done exclusively is to be done again
	met    []mdstore.Collision                  // by the commit that is made next

	lead    context.Context // of who has the turn
	inside  mdstore.Store   // what they commit to
	commits [][]mdstore.Change
	files   []map[mdstore.Path][]byte // before each
}

func (g *gate) Update(ctx context.Context, f func(mdstore.Store) error) error {
	for {
		err := g.Store.Update(ctx, func(st mdstore.Store) error {
			g.lead, g.inside = ctx, st
			return f(gated{st, st.(mdstore.History), g})
		})
		if g.again == nil || !g.again(err) {
			return err
		}
	}
}

func (g *gate) Collisions() []mdstore.Collision {
	met := g.met
	g.met = nil
	return met
}

type gated struct {
	mdstore.Store
	mdstore.History
	g *gate
}

func (s gated) Commit(ctx context.Context, changes []mdstore.Change) (mdstore.Result, error) {
	if s.g.before != nil {
		if err := s.g.before(changes); err != nil {
			return mdstore.Result{Collisions: s.g.Collisions()}, err
		}
	}
	s.g.commits, s.g.files = append(s.g.commits, changes), append(s.g.files, s.g.Files())
	r, err := s.Store.Commit(ctx, changes)
	r.Collisions = s.g.Collisions()
	return r, err
}

// A wish is what one caller wants to be done.
type wish struct {
	name string
	do   func(ctx context.Context, e *engine.Engine) (*engine.Outcome, error)
	code engine.Code // of the refusal; "": it is done
}

func turned(name string, id mdstore.ID, do statemachine.Action, code engine.Code) wish {
	return wish{name, func(ctx context.Context, e *engine.Engine) (*engine.Outcome, error) {
		out, err := e.Transition(ctx, benchWorkspace, engine.Transition{Node: id, Action: do, Conclusion: "c"}, engine.Act{})
		if err != nil {
			return nil, err
		}
		return out.Outcome, nil
	}, code}
}

func logs(id mdstore.ID, event string) wish {
	return wish{"log " + event, func(ctx context.Context, e *engine.Engine) (*engine.Outcome, error) {
		_, out, err := e.AppendLog(ctx, benchWorkspace, id, event, engine.Act{})
		return out, err
	}, ""}
}

func creates(parent mdstore.ID, title string, code engine.Code) wish {
	return wish{"create " + title, func(ctx context.Context, e *engine.Engine) (*engine.Outcome, error) {
		out, err := e.Create(ctx, benchWorkspace, engine.NewNode{Parent: parent, Type: statemachine.Execution, Title: title, Requirement: "r"}, engine.Act{})
		if err != nil {
			return nil, err
		}
		return out.Outcome, nil
	}, code}
}

// wishes depend on each other: several change one file, one needs what another one does, and some are refused.
func wishes() []wish {
	const a, b, p = "node-00000019-bench0", "node-00000018-bench0", "node-00000002-bench0"
	return []wish{
		logs(b, "zero"),
		turned("start", a, statemachine.Start, ""),
		turned("start twice", a, statemachine.Start, engine.InvalidTransition),
		logs(a, "one"),
		logs(a, "two"),
		creates("node-00000001-bench0", "new", ""),
		creates(a, "below an execution node", engine.ExecutionChildren),
		turned("complete what was started", a, statemachine.Complete, ""),
		turned("complete a parent of open nodes", p, statemachine.Complete, engine.IncompleteChildren),
		logs("", "of the workspace"),
		turned("start another", b, statemachine.Start, ""),
		logs("node-none", "of nothing"),
	}
}

// gatedWorld returns an engine over a gate in which the first commit waits until all that was asked for waits.
func gatedWorld(t *testing.T) (*enginetest.World, *gate) {
	g := &gate{}
	w := enginetest.Over(t, memstore.New(sized(20)), func(_ *enginetest.World, st *memstore.Store) mdstore.Store {
		g.Store = st
		return g
	})
	if _, err := w.Engine.Snapshot(t.Context(), benchWorkspace); err != nil {
		t.Fatal(err)
	}
	return w, g
}

// atOnce makes the first wish and, while that is being committed, all others, which wait in their order.
func atOnce(t *testing.T, e *engine.Engine, g *gate, all []wish, ctxs map[int]context.Context, whenWaiting func()) (outs []*engine.Outcome, errs []error) {
	t.Helper()
	outs, errs = make([]*engine.Outcome, len(all)), make([]error, len(all))
	var running sync.WaitGroup
	ask := func(i int) {
		ctx := t.Context()
		if c, ok := ctxs[i]; ok {
			ctx = c
		}
		running.Go(func() { outs[i], errs[i] = all[i].do(ctx, e) })
	}
	then := g.before
	g.before = func([]mdstore.Change) error {
		g.before = then
		for i := 1; i < len(all); i++ {
			ask(i)
			for e.Waiting() < i {
				runtime.Gosched()
			}
		}
		if whenWaiting != nil {
			whenWaiting()
		}
		return nil
	}
	ask(0)
	running.Wait()
	return outs, errs
}

func (w wish) check(t *testing.T, out *engine.Outcome, err error) {
	t.Helper()
	switch {
	case w.code == "" && w.name != "log of nothing" && (err != nil || !out.Changed()):
		t.Errorf("%s: %v, %v", w.name, out, err)
	case w.code != "" && (err == nil || engine.AsError(err).Code != w.code):
		t.Errorf("%s: error %v; want %s", w.name, err, w.code)
	}
}

// What is made together is, byte for byte, what it would be one after the other.
func TestTogetherIsOneAfterTheOther(t *testing.T) {
	w, g := gatedWorld(t)
	outs, errs := atOnce(t, w.Engine, g, wishes(), nil, nil)
	one, h := gatedWorld(t)
	for i, x := range wishes() {
		out, err := x.do(t.Context(), one.Engine)
		x.check(t, outs[i], errs[i])
		if fmt.Sprint(err) != fmt.Sprint(errs[i]) {
			t.Errorf("%s: error %v; alone it is %v", x.name, errs[i], err)
		}
		if out != nil && outs[i] != nil && out.Diff() != outs[i].Diff() {
			t.Errorf("%s: changes\n%s\nalone\n%s", x.name, outs[i].Diff(), out.Diff())
		}
	}
	for _, p := range enginetest.Diff(g.Files(), h.Files()) {
		t.Errorf("%s: together\n%s\none after the other\n%s", p, g.Files()[p], h.Files()[p])
	}
	if len(g.commits) != 2 || len(h.commits) != 8 {
		t.Errorf("%d commits together and %d one after the other; want 2 and 8", len(g.commits), len(h.commits))
	}
	// The snapshot that was published is that of the files.
	now, err := w.Engine.Snapshot(t.Context(), benchWorkspace)
	if err != nil {
		t.Fatal(err)
	}
	again, err := w.Engine.Reload(t.Context(), benchWorkspace)
	if err != nil {
		t.Fatal(err)
	}
	versions := func(s *engine.Snapshot) map[mdstore.Path]mdstore.Version {
		out := map[mdstore.Path]mdstore.Version{s.Workspace().Path: s.Workspace().Version}
		for n := range s.All() {
			out[n.Path] = n.Version()
		}
		return out
	}
	if !maps.Equal(versions(now), versions(again)) {
		t.Error("the snapshot after the commit is not what the files hold")
	}
}

// Who goes while they wait changes nothing and keeps nobody; neither does who leads.
func TestWhoGoesEndsNobodyElse(t *testing.T) {
	for gone := range 3 {
		w, g := gatedWorld(t)
		all := []wish{logs(leaf(20), "zero"), logs(leaf(19), "one"), logs(leaf(18), "two"), logs(leaf(17), "three")}
		ctx, cancel := context.WithCancel(t.Context())
		outs, errs := atOnce(t, w.Engine, g, all, map[int]context.Context{gone + 1: ctx}, cancel)
		for i, x := range all {
			switch {
			case i != gone+1:
				x.check(t, outs[i], errs[i])
			case errs[i] == nil && outs[i].Changed(): // it was taken in the same moment
			case !errors.Is(errs[i], context.Canceled) || outs[i] != nil:
				t.Errorf("%s: %v, %v; it was given up", x.name, outs[i], errs[i])
			}
		}
		if n := w.Engine.Waiting(); n != 0 {
			t.Errorf("%d wait on", n)
		}
	}
}

// What is wrong with one change is told to who asked for it, and to nobody else.
func TestErrorsReachWhomTheyBelongTo(t *testing.T) {
	bad := mdstore.NodePath(benchWorkspace, leaf(18))
	unreadable := &mdoc.UnreadableError{Problem: mdoc.Diagnostic{File: string(bad), Code: "PERMISSION"}}
	for name, fail := range map[string]error{"unreadable": unreadable, "disk": syscall.ENOSPC, "conflict": &mdstore.ConflictError{Paths: []mdstore.Path{bad}}} {
		t.Run(name, func(t *testing.T) {
			w, g := gatedWorld(t)
			g.before = func(changes []mdstore.Change) error {
				if slices.ContainsFunc(changes, func(c mdstore.Change) bool { return c.Path == bad }) {
					return fail
				}
				return nil
			}
			all := []wish{logs(leaf(20), "zero"), logs(leaf(19), "one"), logs(leaf(18), "two"), logs(leaf(17), "three")}
			outs, errs := atOnce(t, w.Engine, g, all, nil, nil)
			for i, x := range all {
				if i == 2 {
					if !errors.Is(errs[i], fail) {
						t.Errorf("%s: error %v; want %v", x.name, errs[i], fail)
					}
					continue
				}
				x.check(t, outs[i], errs[i])
			}
		})
	}
}

// A commit that is decided is so for all whom it concerns, whatever comes after.
func TestUnfinishedForAll(t *testing.T) {
	w, g := gatedWorld(t)
	all := []wish{logs(leaf(20), "zero"), logs(leaf(19), "one"), logs(leaf(18), "two")}
	commits := 0
	g.before = func([]mdstore.Change) error {
		commits++
		return &mdstore.UnfinishedError{Err: syscall.EIO}
	}
	_, errs := atOnce(t, w.Engine, g, all, nil, nil)
	if errs[0] != nil || commits != 1 {
		t.Errorf("the first: %v; %d commits failed, want 1", errs[0], commits)
	}
	for i, err := range errs[1:] {
		if !errors.As(err, new(*mdstore.UnfinishedError)) {
			t.Errorf("%s: error %v", all[i+1].name, err)
		}
	}
}

// What moves folders, or changes who has claimed what, goes alone, and all the same in its turn.
func TestSomeGoAlone(t *testing.T) {
	w, g := gatedWorld(t)
	deleted := wish{"delete", func(ctx context.Context, e *engine.Engine) (*engine.Outcome, error) {
		out, err := e.Delete(ctx, benchWorkspace, leaf(19), engine.Act{})
		if err != nil {
			return nil, err
		}
		return out.Outcome, nil
	}, ""}
	all := []wish{logs(leaf(20), "zero"), logs(leaf(18), "one"), deleted, logs(leaf(17), "three"), logs(leaf(16), "four")}
	outs, errs := atOnce(t, w.Engine, g, all, nil, nil)
	for i, x := range all {
		x.check(t, outs[i], errs[i])
	}
	for _, c := range g.commits {
		if len(c) > 1 && slices.ContainsFunc(c, func(c mdstore.Change) bool { return c.Path == mdstore.NodePath(benchWorkspace, leaf(18)) }) &&
			slices.ContainsFunc(c, func(c mdstore.Change) bool { return c.To != "" }) {
			t.Errorf("a folder is moved together with others' changes: %v", c)
		}
	}
}

// A crash leaves all of what was made together or none of it.
func TestTogetherSurvivesCrashes(t *testing.T) {
	w, g := gatedWorld(t)
	atOnce(t, w.Engine, g, wishes(), nil, nil)
	if len(g.commits) != 2 || len(g.commits[1]) < 4 {
		t.Fatalf("commits %v; want a second one of several files", g.commits)
	}
	limit := 30
	if heavy {
		limit = 120
	}
	for name, r := range map[string]crashtest.Result{
		"crashes": crashtest.Explore(t, g.files[1], g.commits[1], crashtest.Options{Limit: limit}),
		"faults":  crashtest.Faults(t, g.files[1], g.commits[1], crashtest.Options{}),
	} {
		t.Logf("%s: states %d bad %d", name, r.States, r.Bad)
		if r.Bad > 0 || r.States < 100 {
			t.Errorf("%s: %d of %d states are bad: %s", name, r.Bad, r.States, r.First)
		}
	}
}

// Many callers on a real folder: what was acknowledged is there, once.
func TestManyCallersOnDisk(t *testing.T) {
	const callers, each = 12, 8
	st := onDisk(t, sized(20))
	e := opened(t, st)
	var all sync.WaitGroup
	for i := range callers {
		all.Go(func() {
			for j := range each {
				if _, _, err := e.AppendLog(context.Background(), benchWorkspace, leaf(20-(i+j)%5), fmt.Sprintf("event %d of %d", j, i), engine.Act{}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	s, err := opened(t, st).Reload(t.Context(), benchWorkspace)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for n := range s.All() {
		for _, l := range n.Log() {
			seen[l.Event]++
		}
	}
	for i := range callers {
		for j := range each {
			if event := fmt.Sprintf("event %d of %d", j, i); seen[event] != 1 {
				t.Errorf("%s: there %d times", event, seen[event])
			}
		}
	}
}

// An answer that rests on what another one has changed is not given before that is durable, and not at all where it never is.
func TestAnswersRestOnWhatIsDurable(t *testing.T) {
	a := leaf(20)
	w, g := gatedWorld(t)
	g.before = func(changes []mdstore.Change) error {
		if slices.ContainsFunc(changes, func(c mdstore.Change) bool { return c.Path == mdstore.NodePath(benchWorkspace, a) }) {
			return syscall.ENOSPC
		}
		return nil
	}
	all := []wish{logs(leaf(18), "zero"), turned("start", a, statemachine.Start, ""), turned("start twice", a, statemachine.Start, "")}
	_, errs := atOnce(t, w.Engine, g, all, nil, nil)
	for i, err := range errs[1:] {
		if !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("%s: error %v; nothing was started", all[i+1].name, err)
		}
	}
}
