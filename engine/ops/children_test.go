package ops_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"arbor/engine/enginetest"
	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/mdstore"
)

// shape draws a tree of new nodes; made returns its titles with their depth, in order.
func shape(rnd *rand.Rand, depth int, n *int) []any {
	var out []any
	for range rnd.IntN(4) {
		*n++
		c := map[string]any{"title": fmt.Sprintf("T%d", *n), "requirement": []string{"", "do it"}[rnd.IntN(2)]}
		if rnd.IntN(4) == 0 {
			c["isolated"] = true
		}
		kids := []any(nil)
		if depth > 0 {
			kids = shape(rnd, depth-1, n)
		}
		if len(kids) > 0 {
			c["children"] = kids
		} else if rnd.IntN(3) == 0 {
			c["type"] = "planning"
		}
		out = append(out, c)
	}
	return out
}

// drawn returns the nodes of a tree as node_list has them, one a line.
func drawn(t *testing.T, env *ops.Env) string {
	var b strings.Builder
	var walk func(all []any, depth int)
	walk = func(all []any, depth int) {
		for _, x := range all {
			n := x.(map[string]any)
			fmt.Fprintln(&b, strings.Repeat("  ", depth), n["title"], n["type"], n["status"], n["isolated"])
			walk(n["children"].([]any), depth+1)
		}
	}
	walk(must(t, env, "node_list", nil)["tree"].([]any), 0)
	return b.String()
}

func emptyPlan(t *testing.T) (*enginetest.World, *ops.Env) {
	w := enginetest.New(t, vault("", map[string][2]string{"root": {"title: R\ntype: planning\nstatus: pending\nparentId: null", ""}}))
	return w, &ops.Env{Engine: w.Engine}
}

// A tree that is made by one call is the one that is made node by node: same order, types and statuses, nothing for
// check to find; the ids in the result stand where the nodes do.
func TestOneCallMakesTheTreeThatManyMake(t *testing.T) {
	for seed := range uint64(40) {
		n := 0
		kids := shape(rand.New(rand.NewPCG(seed, 4)), 3, &n)
		top := map[string]any{"parentId": "root", "type": "planning", "title": "Top", "children": kids}
		_, one := emptyPlan(t)
		out := must(t, one, "node_create", top)
		_, many := emptyPlan(t)
		var make func(parent string, c map[string]any, made map[string]any)
		make = func(parent string, c, made map[string]any) {
			title := must(t, one, "node_get", map[string]any{"nodeId": made["nodeId"]})["node"].(map[string]any)["title"]
			if title != c["title"] {
				t.Fatalf("seed %d: the id of %v is given as that of %v", seed, title, c["title"])
			}
			args := map[string]any{"parentId": parent, "type": "execution"}
			below, _ := c["children"].([]any)
			for k, v := range c {
				if k != "children" {
					args[k] = v
				}
			}
			if _, ok := c["type"]; !ok && len(below) > 0 {
				args["type"] = "planning"
			}
			id := must(t, many, "node_create", args)["nodeId"].(string)
			ids, _ := made["children"].([]any)
			if len(ids) != len(below) {
				t.Fatalf("seed %d: %d children are made, and %d ids given", seed, len(below), len(ids))
			}
			for i, k := range below {
				make(id, k.(map[string]any), ids[i].(map[string]any))
			}
		}
		make("root", top, out)
		if a, b := drawn(t, one), drawn(t, many); a != b {
			t.Fatalf("seed %d: by one call\n%s\none by one\n%s", seed, a, b)
		}
		if found := must(t, one, "workspace_check", nil)["diagnostics"].([]any); len(found) > 0 {
			t.Fatalf("seed %d: check finds %v", seed, found)
		}
	}
}

// What cannot be made in a tree keeps all of it from being made, and says where it stands.
func TestOneBadNodeKeepsTheTreeFromBeingMade(t *testing.T) {
	w, env := emptyPlan(t)
	child := func(more map[string]any) map[string]any {
		c := map[string]any{"title": "C"}
		for k, v := range more {
			c[k] = v
		}
		return map[string]any{"parentId": "root", "type": "planning", "title": "Top", "children": []any{
			map[string]any{"title": "First"}, map[string]any{"title": "P", "children": []any{c}}}}
	}
	for _, tt := range []struct {
		more map[string]any
		code errs.Code
		says string
	}{
		{map[string]any{"title": ""}, errs.InvalidTitle, "children[1].children[0]: title is empty"},
		{map[string]any{"type": "task"}, errs.InvalidNodeType, "children[1].children[0]: type "},
		{map[string]any{"role": "boss"}, errs.InvalidParams, "children[1].children[0]: role "},
		{map[string]any{"type": "execution", "children": []any{map[string]any{"title": "x"}}}, errs.ExecutionChildren, "children[1].children[0]: "},
		{map[string]any{"docs": []any{map[string]any{"path": "a"}, map[string]any{"path": "a"}}}, errs.InvalidParams, "children[1].children[0]: "},
		{map[string]any{"references": []any{map[string]any{"targetId": "node-nosuch"}}}, errs.ReferenceNotFound, "children[1].children[0]: "},
		{map[string]any{"references": []any{map[string]any{"targetId": "C"}}}, errs.InvalidParams, "cannot refer to itself"},
		{map[string]any{"titel": "x"}, errs.UnknownParams, "the nearest known one is title"},
		{map[string]any{"title": []any{"x"}}, errs.InvalidParams, "children[1].children[0].title is a list; a string is expected"},
	} {
		e := refused(t, w, env, tt.code, "node_create", child(tt.more))
		if !strings.Contains(e.Message, tt.says) {
			t.Errorf("%v: %q, want %q", tt.more, e.Message, tt.says)
		}
	}
}

// A reference may name a node that is made along with it by its title; before and after say the place among siblings;
// a title that a sibling has is a warning.
func TestNewNodesReferAndStandWhereToldTo(t *testing.T) {
	w, env := emptyPlan(t)
	out := must(t, env, "node_create", map[string]any{"parentId": "root", "type": "planning", "title": "Top", "children": []any{
		map[string]any{"title": "A"},
		map[string]any{"title": "B", "references": []any{map[string]any{"targetId": "A", "description": "first"}, map[string]any{"targetId": "docs/x.md"}}},
	}})
	ids := out["children"].([]any)
	a, b := ids[0].(map[string]any)["nodeId"].(string), ids[1].(map[string]any)["nodeId"].(string)
	if file := string(w.Store.Files()[mdstore.NodePath(ws, mdstore.ID(b))]); !strings.Contains(file, "- "+a+": first\n- docs/x.md") || strings.Contains(file, "## Requirement") {
		t.Errorf("B is\n%s", file)
	}
	top := out["nodeId"]
	must(t, env, "node_create", map[string]any{"parentId": top, "type": "execution", "title": "C", "before": b})
	same := must(t, env, "node_create", map[string]any{"parentId": top, "type": "execution", "title": "A", "after": b, "children": []any{}})
	if got := fmt.Sprint(same["warnings"]); !strings.Contains(got, "has a child of this title already, "+a) {
		t.Errorf("a second A: %s", got)
	}
	var titles []string
	for line := range strings.Lines(drawn(t, env)) {
		titles = append(titles, strings.Fields(line)[0])
	}
	if got := strings.Join(titles, " "); got != "R Top A C B A" {
		t.Errorf("the order is %s", got)
	}
	refused(t, w, env, errs.NodeNotFound, "node_create", map[string]any{"parentId": top, "type": "execution", "title": "D", "before": "root"})
	refused(t, w, env, errs.InvalidParams, "node_create", map[string]any{"parentId": top, "type": "execution", "title": "D", "before": a, "after": b})
}
