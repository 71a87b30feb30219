package engine_test

import (
	"context"
	"testing"

	"arbor/engine"
	"arbor/engine/enginetest"
	"arbor/mdstore"
	"arbor/mdstore/memstore"
)

// A flicker is a vault in memory of which somebody writes one file, and writes it back as it was.
type flicker struct {
	*memstore.Store
	path mdstore.Path
	half []byte // nil: the file is as it was
}

func (f *flicker) Read(ctx context.Context, p mdstore.Path) (mdstore.File, error) {
	if f.half != nil && p == f.path {
		return mdstore.File{Path: p, Data: f.half, Version: mdstore.VersionOf(f.half)}, nil
	}
	return f.Store.Read(ctx, p)
}

// What is found out of all nodes in the middle of a save is not told of a file that is as it was again.
func TestGatherInTheMiddleOfASave(t *testing.T) {
	const fields = "title: A\ntype: planning\nstatus: pending\nparentId: root\n"
	sound, troubled := enginetest.Node("node-a", fields, ""), enginetest.Node("node-a", fields, "## Problem\n\nIt burns.\n")
	for _, tt := range []struct {
		is, meanwhile []byte
		problem       bool
	}{
		{troubled, []byte{}, true},
		{troubled, sound, true},
		{sound, troubled, false},
	} {
		p := mdstore.NodePath("ws-a", "node-a")
		st := &flicker{path: p, Store: memstore.New(map[mdstore.Path][]byte{
			"ws-a/Workspace.md":              []byte("---\nid: ws-a\nname: A\ngoal: g\nstatus: active\n---\n"),
			mdstore.NodePath("ws-a", "root"): enginetest.Node("root", "title: R\ntype: planning\nstatus: planning\n", ""),
			p:                                tt.is,
		})}
		e, err := engine.Open(t.Context(), st, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		s, err := e.Snapshot(t.Context(), "ws-a")
		if err != nil {
			t.Fatal(err)
		}
		st.half = tt.meanwhile
		s.Gather()
		st.half = nil
		if s, err = e.Snapshot(t.Context(), "ws-a"); err != nil {
			t.Fatal(err)
		}
		n, _ := s.Node("node-a")
		if got := s.HasProblem(n); got != tt.problem || s.Problem(n).IsZero() == tt.problem {
			t.Errorf("%q, that was %q for a moment, has a problem: %v, %q; want %v", tt.is, tt.meanwhile, got, s.Problem(n).Text, tt.problem)
		}
	}
}
