package engine_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"arbor/engine"
	"arbor/engine/enginetest"
	"arbor/mdstore"
	"arbor/mdstore/memstore"
	"arbor/statemachine"
)

// A crowded gate has commits meet saves by others.
type crowded struct {
	*gate
}

func crowdedWorld(t *testing.T) (*enginetest.World, *crowded) {
	c := &crowded{gate: &gate{}}
	w := enginetest.Over(t, memstore.New(sized(20)), func(_ *enginetest.World, st *memstore.Store) mdstore.Store {
		c.Store = st
		return c
	})
	if _, err := w.Engine.Snapshot(t.Context(), benchWorkspace); err != nil {
		t.Fatal(err)
	}
	return w, c
}

// Nobody is told that a change is done whose file somebody else has saved in the middle of it, so that it lies beside that.
func TestWhatIsNotMadeIsNoSuccess(t *testing.T) {
	file := mdstore.NodePath(benchWorkspace, leaf(20))
	for _, unmade := range []bool{false, true} {
		w, c := crowdedWorld(t)
		c.before = func([]mdstore.Change) error {
			c.gate.met = []mdstore.Collision{{Path: file, Copy: file.Dir().Join("Node.conflict-1a2b3c4d.md"), Text: "somebody was faster", Unmade: unmade}}
			return nil
		}
		out, err := w.Engine.Transition(t.Context(), benchWorkspace, engine.Transition{Node: leaf(20), Action: statemachine.Start}, engine.Act{})
		if !unmade {
			if err != nil || len(out.Collisions) != 1 {
				t.Errorf("a save that was merged: %v, error %v", out, err)
			}
			continue
		}
		var e *engine.Error
		if !errors.As(err, &e) || e.Code != engine.Conflicting || e.Details == nil || !e.Details.Committed || !slices.Equal(e.Details.Paths, []string{string(file), string(file.Dir().Join("Node.conflict-1a2b3c4d.md"))}) {
			t.Errorf("error %v, details %+v", err, e.Details)
		}
	}
}

// Of several changes that are made together, those fail whose file it is.
func TestWhatIsNotMadeIsToldToWhomItConcerns(t *testing.T) {
	w, c := crowdedWorld(t)
	all := []wish{logs(leaf(20), "zero"), logs(leaf(19), "one"), logs(leaf(18), "two"), logs(leaf(18), "three"), logs(leaf(17), "four")}
	file := mdstore.NodePath(benchWorkspace, leaf(18))
	c.before = func(changes []mdstore.Change) error {
		if slices.ContainsFunc(changes, func(ch mdstore.Change) bool { return ch.Path == file }) {
			c.gate.met = []mdstore.Collision{{Path: file, Text: "somebody was faster", Unmade: true}}
		}
		return nil
	}
	outs, errs := atOnce(t, w.Engine, c.gate, all, nil, nil)
	for i, x := range all {
		if mine := i == 2 || i == 3; !mine {
			x.check(t, outs[i], errs[i])
		} else if e := engine.AsError(errs[i]); e == nil || e.Code != engine.Conflicting {
			t.Errorf("%s: error %v", x.name, errs[i])
		}
	}
}

// What a commit that fails has met is told to those who asked for it. Whoever is next, with other files, hears that it happened, and not that their own change was not made.
func TestWhatAFailedCommitMetIsNobodyElses(t *testing.T) {
	file, copied := mdstore.NodePath(benchWorkspace, leaf(20)), mdstore.NodePath(benchWorkspace, leaf(20)).Dir().Join("Node.conflict-1a2b3c4d.md")
	w, c := crowdedWorld(t)
	c.before = func([]mdstore.Change) error {
		c.before = nil
		c.gate.met = []mdstore.Collision{{Path: file, Copy: copied, Text: "somebody was faster", Unmade: true}}
		return &mdstore.UnfinishedError{Err: errors.New("the disk is full")}
	}
	start := func(id mdstore.ID) (*engine.Transitioned, error) {
		return w.Engine.Transition(t.Context(), benchWorkspace, engine.Transition{Node: id, Action: statemachine.Start}, engine.Act{})
	}
	_, err := start(leaf(20))
	if e := engine.AsError(err); e == nil || e.Details == nil || !e.Details.Committed || !strings.Contains(e.Message, "the disk is full") || !strings.Contains(e.Message, string(copied)) {
		t.Errorf("of a commit that is not finished, and has met a save: %v", err)
	}
	out, err := start(leaf(19))
	if err != nil || len(out.Collisions) != 1 || out.Collisions[0].Path != file || out.Collisions[0].Unmade {
		t.Errorf("the next one, of another file: %+v, error %v", out, err)
	}
	if out, err := start(leaf(18)); err != nil || len(out.Collisions) > 0 {
		t.Errorf("the one after that: %+v, error %v", out, err)
	}
}
