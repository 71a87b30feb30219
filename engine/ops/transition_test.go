package ops_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"arbor/engine"
	"arbor/engine/enginetest"
	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/mdstore"
	"arbor/statemachine"
)

// granted is both tables written down a second time: type, status and action, with the status after it.
var granted = map[string]string{
	"planning pending start":          "planning",
	"planning planning cancel":        "cancelled",
	"planning monitoring complete":    "completed",
	"planning monitoring cancel":      "cancelled",
	"planning completed reopen":       "planning",
	"planning cancelled reopen":       "planning",
	"execution pending start":         "implementing",
	"execution implementing submit":   "validating",
	"execution implementing complete": "completed",
	"execution validating complete":   "completed",
	"execution implementing fail":     "failed",
	"execution validating fail":       "failed",
	"execution failed retry":          "implementing",
	"execution completed reopen":      "implementing",
}

var concluding = map[string]bool{"complete": true, "fail": true, "cancel": true}

// Every action in every status of both types, with and without a conclusion, with no child, an open one and a
// finished one; a refused one leaves every byte as it is.
func TestTransitionTable(t *testing.T) {
	statuses := []string{"pending", "planning", "monitoring", "implementing", "validating", "completed", "failed", "cancelled", "nonsense"}
	actions := []string{"start", "submit", "complete", "fail", "retry", "reopen", "cancel"}
	asked, done := 0, 0
	for _, typ := range []string{"planning", "execution"} {
		for _, status := range statuses {
			for _, action := range actions {
				for _, conclusion := range []string{"", "what came of it"} {
					for _, child := range []string{"", "pending", "completed"} {
						if typ == "execution" && child != "" {
							continue
						}
						name := fmt.Sprintf("%s %s %s, conclusion %q, child %q", typ, status, action, conclusion, child)
						nodes := map[string][2]string{
							"root":   {"title: Login\ntype: planning\nstatus: monitoring\nparentId: null", ""},
							"node-a": {"title: A\ntype: " + typ + "\nstatus: " + status + "\nparentId: root", "## Requirement\n\ndo it\n\n## Log\n\n- [2026-01-01 10:00:00] [AI] created\n"},
						}
						if child != "" {
							nodes["node-b"] = [2]string{"title: B\ntype: execution\nstatus: " + child + "\nparentId: node-a", "## Conclusion\n\nx\n"}
						}
						w := enginetest.New(t, vault("", nodes))
						env := &ops.Env{Engine: w.Engine}
						args := map[string]any{"nodeId": "node-a", "action": action, "conclusion": conclusion}
						to, ok := granted[typ+" "+status+" "+action]
						var want errs.Code
						switch {
						case !ok:
							want = errs.InvalidTransition
						case action == "complete" && child == "pending":
							want = errs.IncompleteChildren
						}
						if ok && concluding[action] && conclusion == "" {
							want = errs.ConclusionRequired
						}
						asked++
						if want != "" {
							e := refusedAs(t, w, env, name, args, want, action == "complete" && child == "pending" && conclusion == "")
							if e.Details == nil || e.Details.Allowed == nil {
								t.Errorf("%s: the refusal names no allowed actions: %s", name, e.Message)
							}
							continue
						}
						done++
						out := must(t, env, "node_transition", args)
						if out["previousStatus"] != status || out["currentStatus"] != to {
							t.Errorf("%s: %v → %v, want %s → %s", name, out["previousStatus"], out["currentStatus"], status, to)
						}
						n, log := nodeWithLog(t, w.Engine, "node-a")
						if string(n.Status) != to {
							t.Errorf("%s: the file says %s", name, n.Status)
						}
						if last := log[len(log)-1].Event; !strings.HasPrefix(last, action+": "+status+" → "+to) {
							t.Errorf("%s: the log says %q", name, last)
						}
					}
				}
			}
		}
	}
	t.Logf("%d questions, %d granted", asked, done)
}

// nodeWithLog returns a node as the view has it, and the log in its file.
func nodeWithLog(t testing.TB, e *engine.Engine, id mdstore.ID) (n *mdstore.Node, log []mdstore.LogEntry) {
	t.Helper()
	err := e.Read(t.Context(), func(ctx context.Context) error {
		v, err := e.View(ctx, ws)
		if err != nil {
			return err
		}
		if n, err = v.Known(id); err != nil {
			return err
		}
		log = n.Log()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n, log
}

// refusedAs is refused, where either of two unmet needs may be named first.
func refusedAs(t *testing.T, w *enginetest.World, env *ops.Env, name string, args map[string]any, code errs.Code, both bool) *errs.Error {
	t.Helper()
	before := w.Store.Files()
	_, err := call(t, env, "node_transition", args)
	if err == nil {
		t.Fatalf("%s is granted, want %s", name, code)
	}
	if err.Code != code && !(both && err.Code == errs.IncompleteChildren) {
		t.Errorf("%s: %s: %s\nwant %s", name, err.Code, err.Message, code)
	}
	if d := enginetest.Diff(before, w.Store.Files()); len(d) > 0 {
		t.Errorf("%s is refused, but changes %v", name, d)
	}
	return err
}

func status(t *testing.T, w *enginetest.World, id mdstore.ID) statemachine.Status {
	t.Helper()
	s, err := w.View(t.Context(), ws)
	if err != nil {
		t.Fatal(err)
	}
	n, err := s.Known(id)
	if err != nil {
		t.Fatal(err)
	}
	return n.Status
}

func TestTransitionsRaiseAncestorsAndFrozenOnesRefuse(t *testing.T) {
	tree := func(root, mid, leaf string) map[mdstore.Path][]byte {
		return vault("", map[string][2]string{
			"root":     {"title: Login\ntype: planning\nstatus: " + root + "\nparentId: null", "## Conclusion\n\nc\n"},
			"node-mid": {"title: Mid\ntype: planning\nstatus: " + mid + "\nparentId: root", "## Conclusion\n\nc\n"},
			"node-x":   {"title: X\ntype: execution\nstatus: " + leaf + "\nparentId: node-mid", "## Conclusion\n\nc\n"},
		})
	}
	t.Run("running raises pending and planning ancestors", func(t *testing.T) {
		w := enginetest.New(t, tree("planning", "pending", "pending"))
		out := must(t, &ops.Env{Engine: w.Engine}, "node_transition", map[string]any{"nodeId": "node-x", "action": "start"})
		if got := fmt.Sprint(out["cascadeUpdates"]); got != "[map[from:pending nodeId:node-mid to:monitoring] map[from:planning nodeId:root to:monitoring]]" {
			t.Errorf("cascadeUpdates: %s", got)
		}
		s, _ := w.View(t.Context(), ws)
		if _, log := nodeWithLog(t, w.Engine, "node-mid"); len(log) != 2 || !strings.Contains(log[0].Event, "pending → planning") || !strings.Contains(log[1].Event, "planning → monitoring") {
			t.Errorf("the log of a pending ancestor names not both steps: %v", log)
		}
		if s.Workspace().Focus != "" {
			t.Errorf("a start writes the focus %q that everybody shares", s.Workspace().Focus)
		}
	})
	for _, frozen := range []string{"completed", "cancelled"} {
		t.Run("below "+frozen+" all is frozen", func(t *testing.T) {
			for leaf, action := range map[string]string{"pending": "start", "implementing": "submit", "failed": "retry", "completed": "reopen"} {
				w := enginetest.New(t, tree("monitoring", frozen, leaf))
				env := &ops.Env{Engine: w.Engine}
				refused(t, w, env, errs.InvalidParentStatus, "node_transition", map[string]any{"nodeId": "node-x", "action": action})
				must(t, env, "node_transition", map[string]any{"nodeId": "node-x", "action": action, "cascade": true})
				if got := status(t, w, "node-mid"); got != statemachine.Monitoring {
					t.Errorf("%s with cascade leaves the ancestor %s", action, got)
				}
			}
			w := enginetest.New(t, tree("monitoring", frozen, "completed"))
			env := &ops.Env{Engine: w.Engine}
			args := map[string]any{"parentId": "node-mid", "type": "execution", "title": "Y", "requirement": "r"}
			refused(t, w, env, errs.InvalidParentStatus, "node_create", args)
			args["cascade"] = true
			must(t, env, "node_create", args)
		})
	}
	t.Run("first child", func(t *testing.T) {
		w := enginetest.New(t, vault("", map[string][2]string{"root": {"title: Login\ntype: planning\nstatus: pending\nparentId: null", ""}}))
		env := &ops.Env{Engine: w.Engine}
		out := must(t, env, "node_create", map[string]any{"parentId": "root", "type": "execution", "title": "Y", "requirement": "r"})
		if got := fmt.Sprint(out["cascadeUpdates"]); got != "[map[from:pending nodeId:root to:monitoring]]" {
			t.Errorf("cascadeUpdates: %s", got)
		}
		if out = must(t, env, "node_create", map[string]any{"parentId": "root", "type": "execution", "title": "Z", "requirement": "r"}); len(out["files"].([]any)) != 1 {
			t.Errorf("the second child touches more than its own file: %v", out["files"])
		}
		s, _ := w.View(t.Context(), ws)
		if got := fmt.Sprint(s.Children("root")); got != "[node-mjv3xk00-000001 node-mjv3xk00-000002]" {
			t.Errorf("children made in the same moment are in the order %s", got)
		}
	})
}

func TestACompletedInfoCollectionBringsItsRulesAndDocs(t *testing.T) {
	w := enginetest.New(t, vault("- old rule\n", map[string][2]string{
		"root":   {"title: Login\ntype: planning\nstatus: monitoring\nparentId: null", ""},
		"node-i": {"title: Info\ntype: execution\nstatus: implementing\nrole: info_collection\nparentId: root", ""},
	}))
	env := &ops.Env{Engine: w.Engine}
	out := must(t, env, "node_transition", map[string]any{"nodeId": "node-i", "action": "complete", "conclusion": "Found.\n\n# 规则\n\n- new rule\n- old rule\n\n## Docs\n\n- docs/a.md: A\n- [B](docs/b.md)\n"})
	if got := fmt.Sprint(out["archived"]); got != "map[docs:[map[description:A path:docs/a.md] map[description:B path:docs/b.md]] rules:[new rule]]" {
		t.Errorf("archived: %s", got)
	}
	got := must(t, env, "workspace_get", nil)["workspace"].(map[string]any)
	if fmt.Sprint(got["rules"]) != "[old rule new rule]" || got["rulesHash"] != mdstore.RulesHash([]string{"old rule", "new rule"}) || got["rulesHashStale"] != nil {
		t.Errorf("rules %v, hash %v, stale %v", got["rules"], got["rulesHash"], got["rulesHashStale"])
	}
	if len(got["docs"].([]any)) != 2 {
		t.Errorf("docs %v", got["docs"])
	}
}

// A completed collection that adds nothing warns and says why. The context of the node shows the expected form until
// the node ends.
func TestACollectionThatBringsNothingSaysWhy(t *testing.T) {
	for conclusion, want := range map[string]string{
		"Found.\n\n**Rules**\n\n- new rule":   "no rules or documents were collected: the conclusion has no list below a heading Rules",
		"# Documents\n\n- docs/a.md":          "no rules or documents were collected",
		"## Rules:\n- old rule":               "the workspace has all rules and documents of the conclusion already",
		"## Rules:\n- new rule":               "",
		"## 规则：\n- new rule":                  "",
		"nothing that concerns the workspace": "no rules or documents were collected",
	} {
		w := enginetest.New(t, vault("- old rule\n", map[string][2]string{
			"root":   {"title: Login\ntype: planning\nstatus: monitoring\nparentId: null", ""},
			"node-i": {"title: Info\ntype: execution\nstatus: implementing\nrole: info_collection\nparentId: root", ""},
		}))
		env := &ops.Env{Engine: w.Engine}
		if shown := fmt.Sprint(must(t, env, "context_get", map[string]any{"nodeId": "node-i"})); !strings.Contains(shown, mdstore.CollectedForm) {
			t.Errorf("the context does not tell the form: %s", shown)
		}
		out := must(t, env, "node_transition", map[string]any{"nodeId": "node-i", "action": "complete", "conclusion": conclusion})
		warned, _ := out["warnings"].([]any)
		if said := fmt.Sprint(warned...); (want == "") != (len(warned) == 0) || !strings.Contains(said, want) {
			t.Errorf("%q: %q, want %q", conclusion, said, want)
		}
		if rules := len(out["archived"].(map[string]any)["rules"].([]any)); (want == "") != (rules == 1) {
			t.Errorf("%q: %d rules", conclusion, rules)
		}
		shown := fmt.Sprint(must(t, env, "context_get", map[string]any{"nodeId": "node-i"}))
		if strings.Contains(shown, mdstore.CollectedForm) {
			t.Errorf("the context tells the form of what is over: %s", shown)
		}
	}
}
