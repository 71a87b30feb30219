package ops_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/statemachine"
)

// Whatever is created, updated, moved, deleted and undone in any order: no cycle among dependencies comes of it, what
// is refused for one says so, and every node that is offered or claimed waits for nothing, as the files say it.
func TestNoSequenceOfCallsClosesACycle(t *testing.T) {
	rnd := rand.New(rand.NewPCG(11, 12))
	refusals, offered := 0, 0
	undone := 0
	for range 12 {
		_, env := undoing(t, vault("", map[string][2]string{
			"root": {"title: R\ntype: planning\nstatus: pending\nparentId: null", ""},
		}))
		env.Caller = ops.ByDecider
		ids := []string{"root"}
		one := func() string { return ids[rnd.IntN(len(ids))] }
		some := func() (all []string) {
			for range rnd.IntN(3) {
				all = append(all, one())
			}
			return all
		}
		for range 40 {
			v, err := env.Engine.View(t.Context(), ws)
			if err != nil {
				t.Fatal(err)
			}
			ids = ids[:0]
			for n := range v.All() {
				ids = append(ids, string(n.ID))
			}
			name, args := "node_create", map[string]any{"parentId": one(), "type": string(statemachine.Types()[rnd.IntN(2)]),
				"title": "N", "dependencies": some()}
			switch rnd.IntN(9) {
			case 0, 1:
				name, args = "node_update", map[string]any{"nodeId": one(), "dependencies": some()}
			case 2:
				name, args = "node_move", map[string]any{"nodeId": one(), "newParentId": one()}
			case 3:
				name, args = "node_transition", map[string]any{"nodeId": one(), "action": "start"}
			case 4:
				name, args = "node_transition", map[string]any{"nodeId": one(), "action": "complete", "conclusion": "c"}
			case 5:
				name, args = "node_delete", map[string]any{"nodeId": one()}
			case 6:
				name, args = "undo", nil
			}
			_, e := call(t, env, name, args)
			if e == nil && name == "undo" {
				undone++
			}
			if e != nil && e.Code == errs.DependencyCycle {
				refusals++
			}
			if v, err = env.Engine.View(t.Context(), ws); err != nil {
				t.Fatal(err)
			}
			if cycles := v.DependencyCycles(); len(cycles) > 0 {
				t.Fatalf("%s %v closes a cycle: %s", name, args, v.CycleText(cycles[0]))
			}
			next := must(t, env, "node_next", map[string]any{"count": 50, "claim": rnd.IntN(4) == 0, "sessionId": "s1"})
			for _, x := range next["nodes"].([]any) {
				n, _ := v.Node(mdstore.ID(x.(map[string]any)["id"].(string)))
				if open := waitsFor(v, n); len(open) > 0 && n.Status == statemachine.Initial(n.Type) {
					t.Fatalf("%s is offered and waits for %v", n.ID, open)
				}
				offered++
			}
		}
	}
	if refusals < 20 || offered < 200 || undone < 10 {
		t.Errorf("%d refusals, %d nodes offered, %d undone", refusals, offered, undone)
	}
}

// waitsFor returns the dependencies of a node, and of the nodes above it, that are not completed.
func waitsFor(v *view.View, n *mdstore.Node) (open []string) {
	for ; n != nil; n, _ = v.Node(n.Parent) {
		for _, id := range n.Dependencies {
			if to, ok := v.Node(mdstore.ID(id)); !ok || to.Status != statemachine.Completed {
				open = append(open, id)
			}
		}
	}
	return open
}

// Thirty nodes in four waves are made by one call, and three assistants work on them with claims. No node is given to
// two of them, or before all that it depends on is completed. No assistant gets nothing while a node is ready. The
// context of a node has the conclusions of all that it depends on.
func TestThreeAssistantsWorkInWaves(t *testing.T) {
	_, env := emptyPlan(t)
	sizes, wave := []int{6, 9, 9, 6}, map[string]int{}
	var kids []any
	needs := map[string][]string{}
	for w, size := range sizes {
		for i := range size {
			title := fmt.Sprintf("W%d-%d", w, i)
			wave[title] = w
			if w > 0 {
				for k := range 2 {
					needs[title] = append(needs[title], fmt.Sprintf("W%d-%d", w-1, (i+k)%sizes[w-1]))
				}
			}
			kids = append(kids, map[string]any{"title": title, "requirement": "do " + title, "dependencies": needs[title]})
		}
	}
	must(t, env, "node_create", map[string]any{"parentId": "root", "type": "planning", "title": "Plan", "children": kids})
	if waves := must(t, env, "node_list", map[string]any{"waves": true})["waves"].([]any); len(waves) != len(sizes) {
		t.Fatalf("%d waves", len(waves))
	}
	type work struct{ id, title string }
	at, done := map[string]work{}, map[string]bool{}
	rnd := rand.New(rand.NewPCG(13, 14))
	for len(done) < 30 {
		who := []string{"s1", "s2", "s3"}[rnd.IntN(3)]
		if now, busy := at[who]; busy {
			out := must(t, env.As(who), "node_transition", map[string]any{"nodeId": now.id, "action": "complete",
				"conclusion": "found by " + now.title})
			done[now.title] = true
			delete(at, who)
			for _, x := range listOf(out["unblocked"]) {
				for _, need := range needs[x["title"].(string)] {
					if !done[need] {
						t.Fatalf("%v is unblocked before %s", x, need)
					}
				}
			}
			continue
		}
		next := listOf(must(t, env, "node_next", map[string]any{"claim": true, "sessionId": who})["nodes"])
		if len(next) == 0 {
			free := slices.ContainsFunc(kids, func(k any) bool {
				title := k.(map[string]any)["title"].(string)
				taken := done[title]
				for _, w := range at {
					taken = taken || w.title == title
				}
				return !taken && !slices.ContainsFunc(needs[title], func(n string) bool { return !done[n] })
			})
			if free {
				t.Fatal("an assistant waits, and something is ready")
			}
			continue
		}
		w := work{next[0]["id"].(string), next[0]["title"].(string)}
		for _, other := range at {
			if other == w {
				t.Fatalf("%s is given to two", w.title)
			}
		}
		for _, need := range needs[w.title] {
			if !done[need] {
				t.Fatalf("%s is given before %s is done", w.title, need)
			}
		}
		must(t, env.As(who), "node_transition", map[string]any{"nodeId": w.id, "action": "start"})
		text := fmt.Sprint(must(t, env, "context_get", map[string]any{"nodeId": w.id}))
		for _, need := range needs[w.title] {
			if !strings.Contains(text, "found by "+need) {
				t.Fatalf("the context of %s has no conclusion of %s", w.title, need)
			}
		}
		at[who] = w
	}
}

func listOf(v any) (all []map[string]any) {
	list, _ := v.([]any)
	for _, x := range list {
		all = append(all, x.(map[string]any))
	}
	return all
}

// A new node that waits is not said to be one that can be started.
func TestTheHintOfANewNodeSaysWhatItWaitsFor(t *testing.T) {
	_, env := emptyPlan(t)
	create := func(title string, needs ...string) (id, hint string) {
		out := must(t, env, "node_create", map[string]any{"parentId": "root", "type": "execution", "title": title,
			"dependencies": needs})
		return out["nodeId"].(string), fmt.Sprint(out["hint"])
	}
	first, hint := create("A")
	if !strings.Contains(hint, "start") {
		t.Errorf("of what is ready: %s", hint)
	}
	if _, hint := create("B", first); strings.Contains(hint, "start") || !strings.Contains(hint, "waits for "+first) {
		t.Errorf("of what waits: %s", hint)
	}
}

// Over MCP verify grows and never shrinks: not by an update, by deleting the node, by undoing, nor by making it again.
func TestVerifyIsNotTakenOut(t *testing.T) {
	w, env := emptyPlan(t)
	id := must(t, env, "node_create", map[string]any{"parentId": "root", "type": "execution", "title": "T",
		"verify": []string{"test"}})["nodeId"].(string)
	refused(t, w, env, errs.ToolRefused, "node_update", map[string]any{"nodeId": id, "verify": []string{}})
	refused(t, w, env, errs.ToolRefused, "node_update", map[string]any{"nodeId": id, "verify": []string{"lint"}})
	refused(t, w, env, errs.ToolRefused, "node_delete", map[string]any{"nodeId": id})
	refused(t, w, env, errs.InvalidContent, "log_append", map[string]any{"nodeId": id,
		"event": "verify test: passed, exit 0, 1.0 s, abc1234"})
	must(t, env, "node_update", map[string]any{"nodeId": id, "verify": []string{"test", "lint"}})
	again := must(t, env, "node_create", map[string]any{"parentId": "root", "type": "execution",
		"title": "T"})["nodeId"].(string)
	node := must(t, env, "node_get", map[string]any{"nodeId": again})["node"].(map[string]any)
	if got := fmt.Sprint(node["verify"]); got != "[test lint]" {
		t.Errorf("the same node again has verify %s", got)
	}
	must(t, env, "node_transition", map[string]any{"nodeId": id, "action": "start"})
	refused(t, w, env, errs.VerificationUnavailable, "node_transition", map[string]any{"nodeId": id, "action": "complete",
		"conclusion": "c"})
	if _, e := call(t, env, "node_transition", map[string]any{"nodeId": id, "action": "complete", "conclusion": "c",
		"force": true}); e == nil {
		t.Error("an assistant completes past verify")
	}
	env.Caller = ops.ByDecider
	env.Operator = mdstore.OperatorHuman
	must(t, env, "node_update", map[string]any{"nodeId": id, "verify": []string{}})
}

// A workspace is not deleted over MCP where it or a node of it has a verify, and no undo takes that away: neither that
// of making the node, nor that of giving the workspace its verify.
func TestVerifyOutlivesItsWorkspaceAndUndo(t *testing.T) {
	here := map[string]any{"workspaceId": ws, "force": true}
	v, env := undoing(t, vault("", map[string][2]string{
		"root": {"title: R\ntype: planning\nstatus: pending\nparentId: null", ""},
	}))
	refused := func(name string, args map[string]any) {
		t.Helper()
		before := shared(v)
		if out, e := call(t, env, name, args); e == nil || e.Code != errs.ToolRefused {
			t.Errorf("%s: %v, %v; want %s", name, out, e, errs.ToolRefused)
		}
		same(t, name, shared(v), before)
	}
	must(t, env, "workspace_update", map[string]any{"workspaceId": ws, "verify": []string{"test"}})
	refused("undo", nil)
	refused("workspace_delete", here)
	person := &ops.Env{Engine: env.Engine, Caller: ops.ByDecider, Operator: mdstore.OperatorHuman}
	must(t, person, "undo", nil)

	made := map[string]any{"workspaceId": ws, "parentId": "root", "type": "execution", "title": "T",
		"verify": []string{"test"}}
	id := must(t, env, "node_create", made)["nodeId"]
	refused("undo", nil)
	refused("workspace_delete", here)
	must(t, env, "workspace_archive", map[string]any{"workspaceId": ws})
	refused("workspace_delete", here)
	must(t, env, "undo", nil) // of the archiving: all is there as it was
	must(t, person, "workspace_delete", here)
	must(t, env, "undo", nil)
	must(t, env, "node_get", map[string]any{"workspaceId": ws, "nodeId": id})
}

// A name of another program beside Arbor's own: the error says which one counts, and nothing is done.
func TestTwoNamesOfOneKeyAreRefused(t *testing.T) {
	w, env := emptyPlan(t)
	id := must(t, env, "node_create", map[string]any{"parentId": "root", "type": "execution", "title": "T"})["nodeId"]
	for name, args := range map[string]map[string]any{
		"node_create": {"parentId": "root", "title": "B", "dependencies": []any{id}, "blocked_by": []any{id}},
		"node_update": {"nodeId": id, "dependsOn": []any{}, "blocked_by": []any{id}},
	} {
		e := refused(t, w, env, errs.InvalidParams, name, args)
		for _, part := range []string{"blocked_by is another name of dependencies", "only dependencies counts"} {
			if !strings.Contains(e.Message, part) {
				t.Errorf("%s: %s; want %q", name, e.Message, part)
			}
		}
	}
	refused(t, w, env, errs.InvalidParams, "node_update", map[string]any{"nodeId": id,
		"set": []string{"tags=a", "labels=b"}})
}
