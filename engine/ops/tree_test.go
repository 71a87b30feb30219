package ops_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"arbor/engine/enginetest"
	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/mdstore"
)

// children returns the ids of a node's children as the tree has them now.
func children(t *testing.T, w *enginetest.World, id mdstore.ID) string {
	t.Helper()
	s, err := w.View(t.Context(), ws)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Trim(fmt.Sprint(s.Children(id)), "[]")
}

func family(orders ...string) map[mdstore.Path][]byte {
	nodes := map[string][2]string{
		"root": {"title: Login\ntype: planning\nstatus: monitoring\nparentId: null", ""},
		"q":    {"title: Q\ntype: planning\nstatus: planning\nparentId: root\ncreatedAt: 1", ""},
		"x":    {"title: X\ntype: execution\nstatus: pending\nparentId: root\ncreatedAt: 2", ""},
	}
	for i, order := range orders {
		id := string(rune('a' + i))
		nodes[id] = [2]string{"title: " + id + "\ntype: execution\nstatus: pending\nparentId: q\n" + order, ""}
	}
	return vault("", nodes)
}

// This holds on either side of every sibling, for siblings that are placed by time, by order, by neither, and at the
// same place.
func TestAMovedNodeStandsBesideItsSibling(t *testing.T) {
	for name, orders := range map[string][]string{
		"by time":      {"createdAt: 1000", "createdAt: 2000", "createdAt: 3000"},
		"by order":     {"order: 1", "order: 2", "order: 3"},
		"close orders": {"order: 1", "order: 1.0000000000000002", "order: 2"},
		"mixed":        {"order: -5", "createdAt: 2000", "createdAt: 2001"},
		"same moment":  {"createdAt: 1000", "createdAt: 1000", "createdAt: 1000"},
		"no place":     {"", "", ""},
		"one no place": {"createdAt: 1000", "", ""},
	} {
		for i, sibling := range []string{"a", "b", "c"} {
			for _, side := range []string{"before", "after"} {
				w := enginetest.New(t, family(orders...))
				env := &ops.Env{Engine: w.Engine}
				if got := children(t, w, "q"); got != "a b c" {
					t.Fatalf("%s: starts as %s", name, got)
				}
				must(t, env, "node_move", map[string]any{"nodeId": "x", "newParentId": "q", side: sibling})
				at := i
				if side == "after" {
					at++
				}
				want := strings.Join(slices.Insert([]string{"a", "b", "c"}, at, "x"), " ")
				if got := children(t, w, "q"); got != want {
					t.Errorf("%s: x %s %s gives %s, want %s", name, side, sibling, got, want)
				}
				must(t, env, "node_move", map[string]any{"nodeId": "c", "newParentId": "q", "before": "a"})
				rest := strings.Fields(strings.Replace(want, "c", "", 1))
				again := strings.Join(slices.Insert(rest, slices.Index(rest, "a"), "c"), " ")
				if got := children(t, w, "q"); got != again {
					t.Errorf("%s: %s, then c before a gives %s, want %s", name, want, got, again)
				}
			}
		}
	}
}

// Moves halve the space between two siblings until there is none.
func TestThereIsAlwaysRoomBetweenTwoSiblings(t *testing.T) {
	w := enginetest.New(t, family("createdAt: 1000", "createdAt: 1001", "createdAt: 1002"))
	env := &ops.Env{Engine: w.Engine}
	for i := range 120 {
		moved, before := "b", "a"
		if i%2 == 1 {
			moved, before = "a", "b"
		}
		must(t, env, "node_move", map[string]any{"nodeId": moved, "newParentId": "q", "before": before})
		must(t, env, "node_move", map[string]any{"nodeId": "c", "newParentId": "q", "after": moved})
		if got, want := children(t, w, "q"), moved+" c "+before; got != want {
			t.Fatalf("round %d: %s, want %s", i, got, want)
		}
	}
}

func TestMoveChangesOneFile(t *testing.T) {
	w := enginetest.New(t, family("createdAt: 1000", "createdAt: 2000", "createdAt: 3000"))
	before := w.Store.Files()
	must(t, &ops.Env{Engine: w.Engine}, "node_move", map[string]any{"nodeId": "c", "newParentId": "q", "before": "b"})
	if d := enginetest.Diff(before, w.Store.Files()); len(d) != 1 || d[0] != ws+"/nodes/c/Node.md" {
		t.Errorf("moving c changes %v", d)
	}
}

func TestNoNodeMovesBelowItself(t *testing.T) {
	w := enginetest.New(t, vault("", map[string][2]string{
		"root": {"title: R\ntype: planning\nstatus: monitoring\nparentId: null", ""},
		"a":    {"title: A\ntype: planning\nstatus: monitoring\nparentId: root", ""},
		"b":    {"title: B\ntype: planning\nstatus: monitoring\nparentId: a", ""},
		"c":    {"title: C\ntype: planning\nstatus: planning\nparentId: b", ""},
	}))
	env := &ops.Env{Engine: w.Engine}
	for _, m := range [][2]string{{"a", "a"}, {"a", "b"}, {"a", "c"}, {"b", "c"}} {
		refused(t, w, env, errs.MoveCycle, "node_move", map[string]any{"nodeId": m[0], "newParentId": m[1]})
	}
}

// This holds also for files that a person put into the folder of a deleted node.
func TestDeleteTakesTheSubtreeAndNothingElse(t *testing.T) {
	files := plan()
	node := func(id, parent string) []byte {
		return enginetest.Node(id, "title: "+id+"\ntype: execution\nstatus: pending\nparentId: "+parent, "")
	}
	files[ws+"/nodes/node-p/picture.png"] = []byte("not ours")
	files[ws+"/nodes/node-p/inside/Node.md"] = node("node-in", "root") // lies in the folder, hangs elsewhere
	files[ws+"/nodes/far/Node.md"] = node("node-far", "node-p")
	files[ws+"/nodes/node-c/Node.md"] = append(files[ws+"/nodes/node-c/Node.md"], []byte("\n## References\n\n- node-a: see\n- [[node-b|that]]\n- node-x: gone\n")...)
	files[ws+"/Workspace.md"] = []byte(strings.Replace(string(files[ws+"/Workspace.md"]), "focusedNodeId: null", "focusedNodeId: node-a", 1))
	w := enginetest.New(t, files)
	env := &ops.Env{Engine: w.Engine}
	before := w.Store.Files()
	out := must(t, env, "node_delete", map[string]any{"workspaceId": ws, "nodeId": "node-p"})
	if out["deletedCount"] != 4.0 {
		t.Errorf("deletedCount %v", out["deletedCount"])
	}
	after := w.Store.Files()
	trash := mdstore.Path(out["trash"].(string))
	for p, b := range before {
		in, moved := after[p], after[trash.Join(string(p))]
		switch {
		case in == nil && moved == nil:
			t.Errorf("%s is nowhere any more", p)
		case in == nil && string(moved) != string(b):
			t.Errorf("%s is changed in the trash", p)
		}
	}
	if after[ws+"/nodes/node-p/inside/Node.md"] == nil || after[ws+"/nodes/node-p/picture.png"] == nil {
		t.Error("what does not belong to the deleted nodes is gone")
	}
	if got := string(after[ws+"/nodes/node-c/Node.md"]); !strings.Contains(got, "- node-a: see (expired)\n- [[node-b|that]] (expired)\n- node-x: gone\n") {
		t.Errorf("references after the deletion:\n%s", got)
	}
	s, _ := w.View(t.Context(), ws)
	if s.Workspace().Focus != "root" {
		t.Errorf("focus %s", s.Workspace().Focus)
	}
}

func TestPagesOfAListHoldEachNodeOnce(t *testing.T) {
	nodes := map[string][2]string{"root": {"title: R\ntype: planning\nstatus: monitoring\nparentId: null", ""}}
	for i := range 30 {
		nodes[fmt.Sprintf("p%02d", i)] = [2]string{fmt.Sprintf("title: P\ntype: planning\nstatus: monitoring\nparentId: root\ncreatedAt: %d", i+1), ""}
		nodes[fmt.Sprintf("x%02d", i)] = [2]string{fmt.Sprintf("title: X\ntype: execution\nstatus: pending\nparentId: p%02d\ncreatedAt: 1", i), ""}
	}
	w := enginetest.New(t, vault("", nodes))
	env := &ops.Env{Engine: w.Engine}
	for _, filter := range []map[string]any{{}, {"type": "execution"}, {"status": []string{"pending"}}, {"depth": 1}} {
		for _, limit := range []int{1, 7, 61, 100} {
			met := map[string]int{}
			cursor, total := "", 0
			for range 100 {
				args := map[string]any{"limit": limit, "cursor": cursor}
				for k, v := range filter {
					args[k] = v
				}
				out, err := ops.NodeList(t.Context(), env, listIn(args))
				if err != nil {
					t.Fatal(err)
				}
				total += out.Shown
				var add func([]*ops.TreeNode)
				add = func(ns []*ops.TreeNode) {
					for _, n := range ns {
						if filter["type"] == nil && filter["status"] == nil || n.Type == "execution" {
							met[n.ID]++
						}
						add(n.Children)
					}
				}
				add(out.Tree)
				if cursor = out.Cursor; cursor == "" {
					if total != out.Total {
						t.Errorf("%v limit %d: %d shown on all pages, %d in all", filter, limit, total, out.Total)
					}
					break
				}
			}
			if cursor != "" {
				t.Errorf("%v limit %d: no end", filter, limit)
			}
			if len(met) != total {
				t.Errorf("%v limit %d: %d different nodes, %d shown", filter, limit, len(met), total)
			}
		}
	}
}

// A cursor whose node was moved between two pages is refused; its bare id is a cursor that is not.
func TestACursorOfAMovedNodeIsRefused(t *testing.T) {
	nodes := map[string][2]string{"root": {"title: R\ntype: planning\nstatus: monitoring\nparentId: null", ""}}
	for i := range 5 {
		nodes[fmt.Sprintf("p%d", i)] = [2]string{fmt.Sprintf("title: P\ntype: planning\nstatus: monitoring\nparentId: root\ncreatedAt: %d", i+1), ""}
		for j := range 3 {
			nodes[fmt.Sprintf("x%d%d", i, j)] = [2]string{fmt.Sprintf("title: X\ntype: execution\nstatus: pending\nparentId: p%d\ncreatedAt: %d", i, j+1), ""}
		}
	}
	page := map[string]any{"status": []string{"pending"}, "limit": 5} // the last one is x11
	for name, c := range map[string]struct {
		call    string
		args    map[string]any
		refused bool
	}{
		"its node is moved":             {"node_move", map[string]any{"nodeId": "x11", "newParentId": "root"}, true},
		"its node gets another place":   {"node_move", map[string]any{"nodeId": "x11", "newParentId": "p1", "after": "x12"}, true},
		"its parent is moved":           {"node_move", map[string]any{"nodeId": "p1", "newParentId": "p3"}, true},
		"its node is deleted":           {"node_delete", map[string]any{"nodeId": "x11"}, true},
		"another node is moved":         {"node_move", map[string]any{"nodeId": "x12", "newParentId": "root"}, false},
		"its node does not match now":   {"node_transition", map[string]any{"nodeId": "x11", "action": "start"}, false},
		"its node is called otherwise":  {"node_update", map[string]any{"nodeId": "x11", "title": "Y"}, false},
		"another node is put before it": {"node_create", map[string]any{"parentId": "p0", "type": "execution", "title": "N", "requirement": "r"}, false},
	} {
		w := enginetest.New(t, vault("", nodes))
		env := &ops.Env{Engine: w.Engine}
		cursor := must(t, env, "node_list", page)["cursor"].(string)
		if !strings.HasPrefix(cursor, "x11@") {
			t.Fatalf("the cursor is %s", cursor)
		}
		must(t, env, c.call, c.args)
		next := map[string]any{"status": []string{"pending"}, "limit": 5, "cursor": cursor}
		if _, err := call(t, env, "node_list", next); (err != nil) != c.refused || err != nil && (err.Code != errs.InvalidParams || err.Details.Param != "cursor") {
			t.Errorf("%s: paging on with %s: %v", name, cursor, err)
		}
		if c.call != "node_delete" {
			next["cursor"] = "x11"
			must(t, env, "node_list", next)
		}
	}
}

func listIn(args map[string]any) ops.NodeListIn {
	in := ops.NodeListIn{Limit: args["limit"].(int), Cursor: args["cursor"].(string)}
	if s, ok := args["type"].(string); ok {
		in.Type = s
	}
	if s, ok := args["status"].([]string); ok {
		in.Status = s
	}
	if d, ok := args["depth"].(int); ok {
		in.Depth = d
	}
	return in
}
