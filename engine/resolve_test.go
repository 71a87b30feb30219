package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"arbor/engine"
	"arbor/engine/enginetest"
	"arbor/mdstore"
)

// Of many ids that are much alike, the one that begins with what was given is named first, then those that are most like it.
func TestWhatMayHaveBeenMeantBeginsWithTheLikeliest(t *testing.T) {
	files := map[mdstore.Path][]byte{
		"ws-bench/Workspace.md":       []byte("---\nid: ws-bench\nname: Bench\nstatus: active\n---\n"),
		"ws-bench/nodes/root/Node.md": enginetest.Node("root", "title: R\ntype: planning\nstatus: monitoring", ""),
	}
	for i := range 40 {
		id := fmt.Sprintf("node-mjup%02d-abcdef", i)
		files[mdstore.NodePath("ws-bench", mdstore.ID(id))] = enginetest.Node(id, fmt.Sprintf("title: Step %02d\ntype: execution\nstatus: pending\nparentId: root", i), "")
	}
	s, err := enginetest.New(t, files).Snapshot(t.Context(), "ws-bench")
	if err != nil {
		t.Fatal(err)
	}
	for ref, first := range map[string]string{"node-mjup37": "node-mjup37-abcdef", "node-mjup37-abcdeg": "node-mjup37-abcdef", "Step 3": "node-mjup30-abcdef"} {
		_, err := s.Known(mdstore.ID(ref))
		if e := engine.AsError(err); e == nil || e.Code != engine.NodeNotFound || len(e.Details.Candidates) == 0 || e.Details.Candidates[0].ID != first {
			t.Errorf("%s: %v; want %s to be named first", ref, err, first)
		}
	}
}

// Where an id is wanted, a name is answered with the id.
func TestNameOfAWorkspaceIsAnsweredWithItsID(t *testing.T) {
	all := []*mdstore.Workspace{{ID: "ws-1", Name: "Bench"}, {ID: "ws-2", Name: "Other"}}
	for _, ref := range []string{"Bench", "ws-1"} {
		id, err := engine.ResolveWorkspace(all, ref, true)
		if err != nil || id != "ws-1" {
			t.Errorf("%s: %s, error %v", ref, id, err)
		}
	}
	_, err := engine.ResolveWorkspace(all, "Bench", false)
	if e := engine.AsError(err); e == nil || e.Code != engine.WorkspaceNotFound || !strings.Contains(e.Message, "ws-1") || strings.Contains(e.Message, "ws-2") || len(e.Details.Candidates) != 1 {
		t.Errorf("error %v", err)
	}
}
