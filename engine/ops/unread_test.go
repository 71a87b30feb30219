package ops_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"arbor/engine/errs"
	"arbor/mdstore"
)

// troubled makes a file one that cannot be read from now on.
func (x *trial) troubled(p mdstore.Path) {
	x.engine.Refresh()
	x.st.err, x.st.lasts, x.st.bad, x.st.at, x.st.reads = syscall.EIO, true, p, 1, 1
}

// What concerns a node below, beside or above another is not done while a file cannot be read that may be that node.
func TestNoNodeIsOverlookedThatCannotBeRead(t *testing.T) {
	for _, c := range []struct {
		op   string
		args map[string]any
		bad  mdstore.ID
	}{
		{"node_delete", map[string]any{"nodeId": "node-q"}, "node-c"},                                            // a child
		{"node_delete", map[string]any{"nodeId": "node-b"}, "node-a"},                                            // it refers to it
		{"node_move", map[string]any{"nodeId": "node-c", "newParentId": "node-p", "before": "node-b"}, "node-a"}, // a sibling
		{"node_transition", map[string]any{"nodeId": "node-p", "action": "complete", "conclusion": "c"}, "node-b"},
		{"workspace_check", map[string]any{"fix": true}, "node-p"},
	} {
		x := newTrial(t)
		for _, action := range []string{"start", "fail"} { // of the only child of node-p that can be read then
			args := map[string]any{"workspaceId": ws, "nodeId": "node-a", "action": action, "conclusion": "c"}
			if err := x.run("node_transition", args); err != nil {
				t.Fatal(err)
			}
		}
		x.started = x.vault(t)
		x.troubled(mdstore.NodePath(ws, c.bad))
		c.args["workspaceId"] = ws
		err := x.run(c.op, c.args)
		if e := errs.As(err); e == nil || e.Code != errs.FileUnreadable {
			t.Errorf("%s, while %s cannot be read: error %v", c.op, c.bad, err)
		}
		x.after(t, c.op, err, nil)
	}
}

// What check --fix has repaired when it fails, its error names, and what not.
func TestFailedFixNamesWhatItRepaired(t *testing.T) {
	x := newTrial(t)
	defer x.st.Close()
	leftover := "ws-old/.arbor-0123456789abcdef-0123456789abcdef-abc-Workspace.md"
	if err := os.WriteFile(filepath.Join(x.dir, leftover), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	x.troubled(mdstore.NodePath(ws, "node-b"))
	err := errs.As(x.run("workspace_check", map[string]any{"fix": true}))
	if err == nil || err.Code != errs.FileUnreadable || !committed(err) {
		t.Fatalf("check --fix over a file that cannot be read: error %v", err)
	}
	if !slices.Contains(err.Details.Paths, leftover) || !strings.Contains(err.Message, "node-b/Node.md") {
		t.Errorf("the error names %v as repaired: %v", err.Details.Paths, err)
	}
	if _, gone := os.Stat(filepath.Join(x.dir, leftover)); gone == nil {
		t.Error("the leftover in the other workspace is still there")
	}
}
