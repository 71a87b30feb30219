package ops_test

import (
	"fmt"
	"strings"
	"testing"

	"arbor/engine"
	"arbor/engine/ops"
	"arbor/mdstore"
	"arbor/mdstore/memstore"
)

// bigFiles returns the files of a workspace of n nodes besides its root, ten below each.
func bigFiles(n int) map[mdstore.Path][]byte {
	files := map[mdstore.Path][]byte{"ws/Workspace.md": []byte("---\nid: ws\nname: W\ngoal: g\nstatus: active\n---\n"),
		"ws/nodes/root/Node.md": []byte("---\nid: root\ntitle: W\ntype: planning\nstatus: monitoring\n---\n")}
	for i := range n {
		id, parent, rest := fmt.Sprintf("node-mjv3xk00-%06d", i), "root", "type: planning\nstatus: monitoring"
		if i >= 10 {
			parent = fmt.Sprintf("node-mjv3xk00-%06d", i/10-1)
		}
		if i >= n/10 {
			rest = "type: execution\nstatus: pending"
		}
		text := fmt.Sprintf("---\nid: %s\ntitle: Node %d\n%s\nparentId: %s\n---\n\n## Requirement\n\n%s\n\n## References\n\n- node-mjv3xk00-%06d: before it\n", id, i, rest, parent, strings.Repeat("what to do ", 100), i/2)
		files[mdstore.Path("ws/nodes/"+id+"/Node.md")] = []byte(text)
	}
	return files
}

// bigPlan returns an environment of bigFiles.
func bigPlan(t testing.TB, n int) *ops.Env {
	t.Helper()
	e, err := engine.Open(tctx, memstore.New(bigFiles(n)), engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return &ops.Env{Engine: e, Loose: true}
}

// TestWhatReadsAllocate holds reads of a thousand nodes to budgets of allocations for each node, so that what they cost is what they return. The store in memory takes one
// of them to list its files.
func TestWhatReadsAllocate(t *testing.T) {
	const n = 1000
	env := bigPlan(t, n)
	s, err := env.Engine.View(tctx, "ws")
	if err != nil {
		t.Fatal(err)
	}
	if found := s.Diagnostics(); len(found) > 0 {
		t.Fatal(found)
	}
	root, _ := s.Node(mdstore.Root)
	doc, version := root.File()
	again := mdstore.File{Path: root.Path, Version: version, Data: doc.Bytes()}
	for _, c := range []struct {
		what   string
		budget float64 // of allocations for each node
		run    func() error
	}{
		{"node_list", 3, func() error {
			out, err := ops.NodeList(tctx, env, ops.NodeListIn{Limit: -1})
			if err == nil && out.Shown != n+1 {
				t.Errorf("%d nodes are listed", out.Shown)
			}
			return err
		}},
		{"workspace_status", 4, func() error {
			_, err := ops.WorkspaceStatus(tctx, env, ops.WorkspaceStatusIn{All: true})
			return err
		}},
		{"the diagnostics after a change, of a plan in which nothing is wrong", 0.1, func() error {
			if found := s.With(again).Diagnostics(); len(found) > 0 {
				t.Error(found)
			}
			return nil
		}},
	} {
		per := testing.AllocsPerRun(5, func() {
			if err := c.run(); err != nil {
				t.Fatal(err)
			}
		}) / n
		t.Logf("%s: %.3f allocations a node", c.what, per)
		if per > c.budget {
			t.Errorf("%s: %.3f allocations for each of %d nodes; %.1f are the budget", c.what, per, n, c.budget)
		}
	}
}

// The context of a node as Markdown takes about as many allocations in a plan of a thousand nodes as in one of a hundred.
func TestContextsAllocateLittle(t *testing.T) {
	const budget = 250
	for _, n := range []int{100, 1000} {
		env := bigPlan(t, n)
		in := ops.ContextGetIn{NodeID: fmt.Sprintf("node-mjv3xk00-%06d", n-1), Format: "markdown"}
		if _, err := env.Engine.View(tctx, "ws"); err != nil {
			t.Fatal(err)
		}
		listed := testing.AllocsPerRun(20, func() {
			if _, err := env.Engine.Workspaces(tctx); err != nil { // the store in memory looks at all its files
				t.Fatal(err)
			}
		})
		got := testing.AllocsPerRun(20, func() {
			if out, err := ops.ContextGet(tctx, env, in); err != nil || out.Markdown == "" {
				t.Fatal(out, err)
			}
		}) - listed
		t.Logf("%d nodes: %.0f", n, got)
		if got > budget {
			t.Errorf("a context out of %d nodes takes %.0f allocations; %d are the budget", n, got, budget)
		}
	}
}
