package ops_test

import (
	"fmt"
	"slices"
	"testing"

	"arbor/engine/enginetest"
	"arbor/engine/ops"
	"arbor/mdstore"
	"arbor/mdstore/dirstore/crashtest"
	"arbor/mdstore/memstore"
)

// plan is a small vault in which every operation has something to do.
func plan() map[mdstore.Path][]byte {
	files := vault("- rule 1\n- rule 2\n", map[string][2]string{
		"root":   {"title: Login\ntype: planning\nstatus: planning\nparentId: null\ncreatedAt: 1", "## Requirement\n\nall of it\n"},
		"node-p": {"title: P\ntype: planning\nstatus: pending\nparentId: root\ncreatedAt: 2", "## Requirement\n\npart\n"},
		"node-a": {"title: A\ntype: execution\nstatus: pending\nparentId: node-p\ncreatedAt: 3", "## Requirement\n\na\n\n## References\n\n- node-b: builds on\n- docs/x.md: x\n"},
		"node-b": {"title: B\ntype: execution\nstatus: implementing\nrole: info_collection\nparentId: node-p\ncreatedAt: 4", "## Problem\n\nstuck\n"},
		"node-q": {"title: Q\ntype: planning\nstatus: completed\nparentId: root\ncreatedAt: 5", "## Conclusion\n\ndone\n"},
		"node-c": {"title: C\ntype: execution\nstatus: completed\nparentId: node-q\ncreatedAt: 6", "## Conclusion\n\ndone\n"},
	})
	files["ws-old/Workspace.md"] = []byte("---\nid: ws-old\nname: Old\ngoal: g\nstatus: active\n---\n")
	files["archive/ws-arch/Workspace.md"] = []byte("---\nid: ws-arch\nname: Arch\ngoal: g\nstatus: archived\n---\n")
	files["archive/ws-arch/nodes/root/Node.md"] = enginetest.Node("root", "title: Arch\ntype: planning\nstatus: pending", "")
	files["sessions.json"] = []byte(`{"bindings":{"s1":{"sessionId":"s1","workspaceId":"` + ws + `","boundAt":1}}}`)
	return files
}

var hash = mdstore.RulesHash([]string{"rule 1", "rule 2"})

// samples are calls that write, by operation; TestCrashes fails for an operation without any.
var samples = map[string][]map[string]any{
	"workspace_init":         {{"name": "New", "goal": "g", "rules": []string{"r"}, "docs": []map[string]any{{"path": "docs/a.md", "description": "a"}}}},
	"workspace_update":       {{"workspaceId": ws, "name": "Renamed", "goal": "another"}},
	"workspace_update_rules": {{"workspaceId": ws, "action": "replace", "rules": []string{"rule 2", "rule 3"}}},
	"workspace_update_docs":  {{"workspaceId": ws, "action": "add", "path": "docs/a.md", "description": "a"}},
	"workspace_archive":      {{"workspaceId": ws}},
	"workspace_restore":      {{"workspaceId": "ws-arch"}},
	"workspace_delete":       {{"workspaceId": ws, "force": true}, {"workspaceId": "ws-arch"}},
	"node_create":            {{"workspaceId": ws, "parentId": "node-p", "type": "execution", "title": "N", "requirement": "r", "rulesHash": hash}, {"workspaceId": ws, "parentId": "node-q", "type": "planning", "title": "N", "requirement": "r", "rulesHash": hash, "cascade": true}},
	"node_update":            {{"workspaceId": ws, "nodeId": "node-a", "title": "T", "requirement": "r", "note": "n", "conclusion": "c"}},
	"node_move":              {{"workspaceId": ws, "nodeId": "node-c", "newParentId": "node-p", "before": "node-b"}},
	"node_delete":            {{"workspaceId": ws, "nodeId": "node-b"}, {"workspaceId": ws, "nodeId": "node-q"}},
	"node_transition":        {{"workspaceId": ws, "nodeId": "node-a", "action": "start"}, {"workspaceId": ws, "nodeId": "node-b", "action": "complete", "conclusion": "## Rules\n- rule 3\n\n## Docs\n- docs/b.md: b\n"}, {"workspaceId": ws, "nodeId": "node-c", "action": "reopen", "cascade": true}},
	"node_isolate":           {{"workspaceId": ws, "nodeId": "node-a", "isolate": true}},
	"node_reference":         {{"workspaceId": ws, "nodeId": "node-a", "targetIdOrPath": "node-b", "action": "expire"}},
	"context_focus":          {{"workspaceId": ws, "nodeId": "node-a"}},
	"log_append":             {{"workspaceId": ws, "nodeId": "node-a", "operator": "AI", "event": "an event\nof two lines"}, {"workspaceId": ws, "operator": "Human", "event": "x"}},
	"problem_update":         {{"workspaceId": ws, "nodeId": "node-a", "problem": "p", "nextStep": "n"}},
	"problem_clear":          {{"workspaceId": ws, "nodeId": "node-b"}},
	"session_bind":           {{"workspaceId": ws, "sessionId": "s2", "nodeId": "node-a"}},
	"session_unbind":         {{"sessionId": "s1"}},
	"changes_get":            {{"workspaceId": ws, "sessionId": "s1"}},
	"workspace_check":        {{"workspaceId": ws, "fix": true}},
	"node_next":              {{"workspaceId": ws, "claim": true, "sessionId": "s1", "count": 2}},
}

// TestCrashes lets the power fail at every step of the commit of every operation that writes, and each call to the disk fail once; with
// nobody else at the files, and with all of them open in an editor.
func TestCrashes(t *testing.T) {
	states, bad, asked, ran := 0, 0, 0, 0
	opt, open := crashtest.Options{Limit: 30}, crashtest.Options{Limit: 10}
	least := 5000
	if heavy {
		least = 20_000
		opt.Limit, open.Limit = 2000, 500
	}
	for _, o := range ops.All() {
		calls := samples[o.Name]
		if o.Writes && len(calls) == 0 {
			t.Errorf("%s writes, and has no sample here", o.Name)
		}
		for i, args := range calls {
			asked++
			t.Run(fmt.Sprintf("%s/%d", o.Name, i), func(t *testing.T) {
				ran++
				var r *recorder
				w := enginetest.Over(t, memstore.New(plan()), func(_ *enginetest.World, st *memstore.Store) mdstore.Store {
					r = &recorder{Store: st}
					return r
				})
				must(t, &ops.Env{Engine: w.Engine}, o.Name, args)
				if len(r.commits) == 0 {
					t.Fatalf("%s(%v) commits nothing", o.Name, args)
				}
				if len(r.commits) > 1 {
					t.Errorf("%s(%v) makes %d commits; a crash between them leaves half of it", o.Name, args, len(r.commits))
				}
				for _, c := range r.commits {
					// Once more with every file open that is written or removed: what a commit displaces waits for those who have it open.
					open.Open = nil
					for _, ch := range c.changes {
						if _, there := c.before[ch.Path]; there && !ch.Keep {
							open.Open = append(open.Open, ch.Path)
						}
					}
					results := []crashtest.Result{
						crashtest.Explore(t, c.before, c.changes, opt),
						crashtest.Explore(t, c.before, c.changes, open),
						crashtest.Faults(t, c.before, c.changes, crashtest.Options{}),
					}
					if heavy {
						results = append(results, crashtest.Explore(t, c.before, c.changes, crashtest.Options{Limit: 60, Deep: true}))
					}
					for _, res := range results {
						states, bad = states+res.States, bad+res.Bad
						if res.Bad > 0 {
							t.Errorf("%d of %d states are bad; the first: %s", res.Bad, res.States, res.First)
						}
					}
				}
			})
		}
	}
	t.Logf("states %d bad %d", states, bad)
	if ran == asked && states < least {
		t.Errorf("%d states are too few to trust in", states)
	}
}

// TestDryRunWritesNothing plans every sample and compares the plan with what is done then.
func TestDryRunWritesNothing(t *testing.T) {
	for _, o := range ops.All() {
		if !slices.ContainsFunc(o.Params, func(p ops.Param) bool { return p.Name == "dryRun" }) {
			if o.Writes && o.Name != "changes_get" && o.Name != "node_next" { // which write notes of this machine
				t.Errorf("%s changes the plan, and cannot be planned", o.Name)
			}
			continue
		}
		for _, args := range samples[o.Name] {
			w := enginetest.New(t, plan())
			env := &ops.Env{Engine: w.Engine}
			before := w.Store.Files()
			dry := map[string]any{"dryRun": true}
			for k, v := range args {
				dry[k] = v
			}
			planned := must(t, env, o.Name, dry)
			if d := enginetest.Diff(before, w.Store.Files()); len(d) > 0 || planned["diff"] == "" {
				t.Errorf("%s(%v): a dry run changes %v; its diff is %q", o.Name, dry, d, planned["diff"])
			}
			w2 := enginetest.New(t, plan())
			done := must(t, &ops.Env{Engine: w2.Engine}, o.Name, args)
			if fmt.Sprint(planned["files"]) != fmt.Sprint(done["files"]) {
				t.Errorf("%s(%v): planned\n%v\ndone\n%v", o.Name, args, planned["files"], done["files"])
			}
		}
	}
}

// TestTwiceIsOnce repeats what the catalogue calls idempotent.
func TestTwiceIsOnce(t *testing.T) {
	for _, o := range ops.All() {
		if !o.Idempotent || !o.Writes || o.Name == "workspace_check" {
			continue
		}
		for _, args := range samples[o.Name] {
			w := enginetest.New(t, plan())
			env := &ops.Env{Engine: w.Engine}
			must(t, env, o.Name, args)
			once := w.Store.Files()
			w.Tick(1e9)
			if out := must(t, env, o.Name, args); out["changed"] != false {
				t.Errorf("%s(%v) a second time: changed is %v", o.Name, args, out["changed"])
			}
			if d := enginetest.Diff(once, w.Store.Files()); len(d) > 0 {
				t.Errorf("%s(%v) a second time changes %v", o.Name, args, d)
			}
		}
	}
}
