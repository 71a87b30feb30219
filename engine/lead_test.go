package engine_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"arbor/engine"
	"arbor/mdstore"
	"arbor/statemachine"
)

// A plan that panics does so where its caller can recover, whoever made it, and ends nobody else's.
func TestPanicsReachWhomTheyBelongTo(t *testing.T) {
	for at := range 2 { // in a group, and alone after the group has failed
		w, g := gatedWorld(t)
		boom, calls := errors.New("boom"), 0
		panics := wish{"panic", func(ctx context.Context, e *engine.Engine) (out *engine.Outcome, err error) {
			defer func() { err, _ = recover().(error) }()
			return e.Plan(ctx, benchWorkspace, func() error {
				if calls++; calls > at {
					panic(boom)
				}
				return nil
			})
		}, ""}
		all := []wish{logs(leaf(20), "zero"), logs(leaf(19), "one"), panics, logs(leaf(18), "three"), logs(leaf(17), "four")}
		g.before = func(changes []mdstore.Change) error {
			if at > 0 && len(changes) > 1 {
				return syscall.ENOSPC
			}
			return nil
		}
		outs, errs := atOnce(t, w.Engine, g, all, nil, nil)
		for i, x := range all {
			if i != 2 {
				x.check(t, outs[i], errs[i])
			} else if errs[i] != boom {
				t.Errorf("at %d: %v, %v; want the panic", at, outs[i], errs[i])
			}
		}
		if n := w.Engine.Waiting(); n != 0 || calls != at+1 {
			t.Errorf("at %d: %d wait on, and what panics was planned %d times", at, n, calls)
		}
	}
}

// Who goes while they lead, and another program is in the middle of something, ends nobody else's change: somebody else leads then.
func TestWhoGoesWhileTheyLeadEndsNobodyElse(t *testing.T) {
	type number struct{}
	w, g := gatedWorld(t)
	all := []wish{logs(leaf(20), "zero"), logs(leaf(19), "one"), logs(leaf(18), "two"), logs(leaf(17), "three")}
	ctxs, cancels := map[int]context.Context{}, make([]context.CancelFunc, len(all))
	for i := range all {
		ctxs[i], cancels[i] = context.WithCancel(context.WithValue(t.Context(), number{}, i))
		defer cancels[i]()
	}
	gone := 0
	g.before = func(changes []mdstore.Change) error {
		if gone > 0 || len(changes) == 1 {
			return nil
		}
		gone, _ = g.lead.Value(number{}).(int)
		cancels[gone]()
		return &mdstore.BusyError{Where: "somewhere"}
	}
	outs, errs := atOnce(t, w.Engine, g, all, ctxs, nil)
	for i, x := range all {
		if i != gone {
			x.check(t, outs[i], errs[i])
		} else if errs[i] == nil || outs[i] != nil {
			t.Errorf("%s: %v, %v; who asked for it was gone", x.name, outs[i], errs[i])
		}
	}
	if n := w.Engine.Waiting(); n != 0 || gone == 0 {
		t.Errorf("%d wait on; %d led and was gone", n, gone)
	}
}

// Who waits no longer goes while another program is in the middle of something, whoever has taken along what they asked for, and it is not made after that.
func TestWhoWaitsNoLongerGoes(t *testing.T) {
	type number struct{}
	w, g := gatedWorld(t)
	all := []wish{logs(leaf(20), "zero"), logs(leaf(19), "one"), logs(leaf(18), "two"), logs(leaf(17), "three")}
	ctxs, cancels, left := map[int]context.Context{}, make([]context.CancelFunc, len(all)), make([]chan struct{}, len(all))
	for i := range all {
		ctxs[i], cancels[i] = context.WithCancel(context.WithValue(t.Context(), number{}, i))
		defer cancels[i]()
		left[i] = make(chan struct{})
		do := all[i].do
		all[i].do = func(ctx context.Context, e *engine.Engine) (*engine.Outcome, error) {
			defer close(left[i])
			return do(ctx, e)
		}
	}
	busy, leads := false, 0
	g.before = func(changes []mdstore.Change) error {
		if busy || len(changes) == 1 {
			return nil
		}
		busy = true
		leads, _ = g.lead.Value(number{}).(int)
		if leads != 3 {
			cancels[3]() // while what they ask for is being made
		}
		return &mdstore.BusyError{Where: "somewhere"}
	}
	g.again = func(err error) bool {
		if err == nil {
			return false
		}
		for i := 1; i < len(all); i++ {
			if i == leads {
				continue
			}
			cancels[i]()
			select {
			case <-left[i]:
			case <-time.After(10 * time.Second):
				t.Errorf("%s waits on", all[i].name)
			}
		}
		return true
	}
	outs, errs := atOnce(t, w.Engine, g, all, ctxs, nil)
	for i, x := range all {
		if i == 0 || i == leads {
			x.check(t, outs[i], errs[i])
		} else if !errors.Is(errs[i], context.Canceled) {
			t.Errorf("%s: %v, %v; it was to be gone", x.name, outs[i], errs[i])
		}
	}
	if n := len(g.commits); leads == 0 || n != 2 || len(g.commits[1]) != 1 {
		t.Errorf("%d led; the commits are %v; want one of the first and one of who led", leads, g.commits)
	}
}

// The saves that a commit has met are told to whoever has changed the files, and those of other files to one.
func TestCollisionsReachWhomTheyBelongTo(t *testing.T) {
	w, g := gatedWorld(t)
	path := func(i int) mdstore.Path { return mdstore.NodePath(benchWorkspace, leaf(i)) }
	g.before = func(changes []mdstore.Change) error {
		if len(changes) > 1 {
			g.met = []mdstore.Collision{{Path: path(18)}, {Path: path(5)}, {Path: path(17)}}
		}
		return nil
	}
	all := []wish{logs(leaf(20), "zero"), logs(leaf(19), "one"), logs(leaf(18), "two"), logs(leaf(17), "three")}
	outs, errs := atOnce(t, w.Engine, g, all, nil, nil)
	for i, want := range [][]mdstore.Path{nil, nil, {path(18)}, {path(5), path(17)}} {
		all[i].check(t, outs[i], errs[i])
		var got []mdstore.Path
		for _, c := range outs[i].Collisions {
			got = append(got, c.Path)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s is told of %v; want %v", all[i].name, got, want)
		}
	}
}

// A file that somebody saves while a group is planned is planned for as it is then.
func TestSaveWhileAGroupIsPlanned(t *testing.T) {
	w, g := gatedWorld(t)
	file := mdstore.NodePath(benchWorkspace, leaf(18))
	saves := wish{"save by hand", func(ctx context.Context, e *engine.Engine) (*engine.Outcome, error) {
		return e.Plan(ctx, benchWorkspace, func() error {
			old := g.Files()[file]
			is := strings.Replace(string(old), "status: pending", "status: completed", 1)
			return only(g.inside.Commit(ctx, []mdstore.Change{{Path: file, Base: mdstore.VersionOf(old), New: []byte(is)}}))
		})
	}, ""}
	all := []wish{logs(leaf(20), "zero"), logs(leaf(19), "one"), saves, turned("start", leaf(18), statemachine.Start, engine.InvalidTransition), logs(leaf(17), "four")}
	outs, errs := atOnce(t, w.Engine, g, all, nil, nil)
	for i, x := range all {
		if i != 2 {
			x.check(t, outs[i], errs[i])
		} else if errs[i] != nil {
			t.Error(errs[i])
		}
	}
	if is := string(g.Files()[file]); !strings.Contains(is, "status: completed") {
		t.Errorf("the save was lost:\n%s", is)
	}
}
