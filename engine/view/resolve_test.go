package view_test

import (
	"fmt"
	"strings"
	"testing"

	"arbor/engine/errs"
	"arbor/engine/view"
	"arbor/mdstore"
)

// Of many ids that are much alike, the one that begins with what was given is named first, then those that are most
// like it.
func TestWhatMayHaveBeenMeantBeginsWithTheLikeliest(t *testing.T) {
	var ids []mdstore.ID
	for i := range 40 {
		ids = append(ids, mdstore.ID(fmt.Sprintf("node-mjup%02d-abcdef", i)))
	}
	v := viewOf(plan("ws-a", ids...))
	for ref, first := range map[string]string{"node-mjup37": "node-mjup37-abcdef", "node-mjup37-abcdeg": "node-mjup37-abcdef",
		"T node-mjup3": "node-mjup30-abcdef"} {
		_, err := v.Known(mdstore.ID(ref))
		e := errs.As(err)
		if e == nil || e.Code != errs.NodeNotFound || len(e.Details.Candidates) == 0 || e.Details.Candidates[0].ID != first {
			t.Errorf("%s: %v; want %s to be named first", ref, err, first)
		}
	}
}

// Where an id is wanted, a name is answered with the id.
func TestTheNameOfAWorkspaceIsAnsweredWithItsID(t *testing.T) {
	all := []*mdstore.Workspace{{ID: "ws-1", Name: "Bench"}, {ID: "ws-2", Name: "Other"}}
	for _, ref := range []string{"Bench", "ws-1"} {
		id, err := view.ResolveWorkspace(all, ref, true, false)
		if err != nil || id != "ws-1" {
			t.Errorf("%s: %s, error %v", ref, id, err)
		}
	}
	_, err := view.ResolveWorkspace(all, "Bench", false, false)
	e := errs.As(err)
	if e == nil || e.Code != errs.WorkspaceNotFound || !strings.Contains(e.Message, "ws-1") ||
		strings.Contains(e.Message, "ws-2") || len(e.Details.Candidates) != 1 {
		t.Errorf("error %v", err)
	}
}

// For a mistyped short id the error lists the nodes with the nearest short ids; no node is chosen.
func TestAShortIDWithASlipIsAnsweredWithTheNearest(t *testing.T) {
	v := viewOf(plan("ws-a", "node-mjup01-ab12cd", "node-mjup02-xy98zw", "node-mjup03-ab12ce"))
	for ref, want := range map[string]string{
		"xy98zz": "node-mjup02-xy98zw", "yx98zw": "node-mjup02-xy98zw", "ab12cf": "node-mjup01-ab12cd node-mjup03-ab12ce",
		"ab12dc": "node-mjup01-ab12cd node-mjup03-ab12ce", "qqqqqq": "", "zy89ww": "", "xy98z": "node-mjup02-xy98zw",
	} {
		_, err := v.Resolve(ref)
		e, near := errs.As(err), []string{}
		for _, c := range e.Details.Candidates {
			near = append(near, c.ID)
		}
		if e.Code != errs.NodeNotFound || strings.Join(near, " ") != want {
			t.Errorf("%s: %s names %q, want %q", ref, e.Code, near, want)
		}
	}
}
