package ops_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"arbor/engine/errs"
	"arbor/engine/ops"
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

// What killed and failed commits have left is named by check, and cleared away by check --fix.
func TestCheckClearsWhatKilledCommitsLeft(t *testing.T) {
	x := newTrial(t)
	defer x.st.Close()
	left := []string{
		".local/.arbor-ABCDEFGHIJKLMNOPQRSTUVWXYZ",
		"ws-old/.arbor-0123456789abcdef-0123456789abcdef-abc-Workspace.md",
		"ws-old/.arbor-1123456789abcdef-0123456789abcdef-abc-Workspace.md",
	}
	for _, name := range left {
		name = filepath.Join(x.dir, name)
		old := time.Now().Add(-time.Hour)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte("half"), 0o644), os.Chtimes(name, old, old)); err != nil {
			t.Fatal(err)
		}
	}
	for fix, want := range []int{len(left), 0} {
		x.engine.Refresh()
		env := &ops.Env{Engine: x.engine}
		out, err := ops.WorkspaceCheck(tctx, env, ops.WorkspaceCheckIn{Fix: fix == 1})
		if err != nil {
			t.Fatal(err)
		}
		named := 0
		for _, d := range out.Diagnostics {
			if slices.Contains(left, d.File) && d.Fix != "" {
				named++
			}
		}
		if named != want || fix == 1 && len(out.Fixed) < len(left) {
			t.Errorf("with fix %d check names %d of %d, and says it repaired %v", fix, named, len(left), out.Fixed)
		}
	}
}
