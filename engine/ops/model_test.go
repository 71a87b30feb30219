package ops_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"arbor/engine"
	"arbor/engine/enginetest"
	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/mdstore"
	"arbor/mdstore/memstore"
)

// outline is a workspace in a few lines, to compare the view of an engine with what a fresh one reads.
func outline(t interface{ Fatal(...any) }, e *engine.Engine) string {
	s, err := e.View(tctx, ws)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	fmt.Fprintln(&b, s.Workspace().Name, s.Workspace().Focus, s.Workspace().RulesHash(), s.Workspace().Version)
	for depth, n := range s.Walk(mdstore.Root) {
		fmt.Fprintln(&b, strings.Repeat(" ", depth), n.ID, n.Title, n.Status, n.Version())
	}
	return b.String()
}

// Operations are called in any order. A refused one leaves every byte as it is; after any other, check finds nothing,
// and a fresh engine reads the workspace as the running one has it.
func TestAnySequenceOfOperations(t *testing.T) {
	enginetest.InEach(t, func(t *testing.T, store string) {
		cases := 3
		if store == "memory" {
			cases = 100
		}
		testAnySequence(t, store, cases)
	})
}

func testAnySequence(t *testing.T, store string, cases int) {
	texts := rapid.SampledFrom([]string{"", "x", "line\nline", "## Heading\n\ntext", "```\nopen", "规则：一", "- item\n\n- item", "a: b # c", "---", "### Next Step\n\nn", "\\n", "[x](y)"})
	enginetest.Check(t, cases, func(rt *rapid.T) {
		w := enginetest.NewIn(t, store, vault("- rule 1\n- rule 2\n", map[string][2]string{
			"root": {"title: Login\ntype: planning\nstatus: pending\nparentId: null\ncreatedAt: 1767225600000", ""},
		}))
		env := &ops.Env{Engine: w.Engine, Session: rapid.SampledFrom([]string{"", "s1"}).Draw(rt, "session")}
		ids := []string{"root"}
		id := func(name string) string {
			if rapid.IntRange(0, 30).Draw(rt, name+" unknown") == 0 {
				return "node-unknown"
			}
			return rapid.SampledFrom(ids).Draw(rt, name)
		}
		rules := []string{"rule 1", "rule 2"}
		for range rapid.IntRange(5, 40).Draw(rt, "steps") {
			w.Tick(1e9)
			args := map[string]any{"workspaceId": ws}
			name := rapid.SampledFrom([]string{"node_create", "node_create", "node_create", "node_transition", "node_transition", "node_transition", "node_transition", "node_move", "node_delete",
				"node_update", "node_isolate", "node_reference", "context_focus", "log_append", "problem_update", "problem_clear", "workspace_update_rules", "workspace_update_docs", "node_next", "changes_get"}).Draw(rt, "op")
			switch name {
			case "node_create":
				args["parentId"], args["title"], args["requirement"] = id("parent"), "T", texts.Draw(rt, "requirement")
				args["type"] = rapid.SampledFrom([]string{"planning", "execution"}).Draw(rt, "type")
				args["rulesHash"], args["cascade"] = mdstore.RulesHash(rules), rapid.Bool().Draw(rt, "cascade")
				if rapid.IntRange(0, 3).Draw(rt, "info") == 0 {
					args["role"] = "info_collection"
				}
			case "node_transition":
				args["nodeId"], args["conclusion"] = id("node"), texts.Draw(rt, "conclusion")
				args["action"] = rapid.SampledFrom([]string{"start", "submit", "complete", "fail", "retry", "reopen", "cancel"}).Draw(rt, "action")
				args["cascade"] = rapid.Bool().Draw(rt, "cascade")
			case "node_move":
				args["nodeId"], args["newParentId"] = id("node"), id("parent")
				if rapid.Bool().Draw(rt, "beside") {
					args["before"] = id("sibling")
				}
				args["cascade"] = rapid.Bool().Draw(rt, "cascade")
			case "node_delete", "context_focus", "problem_clear":
				args["nodeId"] = id("node")
			case "node_update":
				args["nodeId"], args["note"], args["conclusion"] = id("node"), texts.Draw(rt, "note"), texts.Draw(rt, "conclusion")
			case "node_isolate":
				args["nodeId"], args["isolate"] = id("node"), rapid.Bool().Draw(rt, "isolate")
			case "node_reference":
				args["nodeId"], args["targetIdOrPath"] = id("node"), id("target")
				args["action"] = rapid.SampledFrom([]string{"add", "remove", "expire", "activate"}).Draw(rt, "action")
			case "log_append":
				args["nodeId"], args["operator"], args["event"] = id("node"), "AI", texts.Draw(rt, "event")
			case "problem_update":
				args["nodeId"], args["problem"], args["nextStep"] = id("node"), texts.Draw(rt, "problem"), texts.Draw(rt, "next")
			case "workspace_update_rules":
				args["action"] = rapid.SampledFrom([]string{"add", "remove", "replace"}).Draw(rt, "action")
				args["rules"] = rapid.SliceOfN(rapid.SampledFrom([]string{"rule 1", "rule 2", "规则 3", "- x\n- y", "  "}), 0, 3).Draw(rt, "rules")
			case "workspace_update_docs":
				args["path"] = rapid.SampledFrom([]string{"docs/a.md", "docs/b c.md", "http://x/y: z"}).Draw(rt, "path")
				args["action"] = rapid.SampledFrom([]string{"add", "remove", "expire", "activate"}).Draw(rt, "action")
			case "node_next":
				args["claim"], args["sessionId"] = true, "s2"
			case "changes_get":
				args["sessionId"] = "s1"
			}
			before := w.Store.Files()
			out, err := call(t, env, name, args)
			if err != nil {
				if err.Class() == errs.Internal {
					rt.Fatalf("%s(%v): %s: %s", name, args, err.Code, err.Message)
				}
				if d := enginetest.Diff(before, w.Store.Files()); len(d) > 0 {
					rt.Fatalf("%s(%v) is refused (%s), but changes %v", name, args, err.Message, d)
				}
				continue
			}
			if nid, ok := out["nodeId"].(string); ok && name == "node_create" {
				ids = append(ids, nid)
			}
			st := memstore.New(w.Store.Files())
			st.SetDoc("docs/a.md", nil)
			st.SetDoc("docs/b c.md", nil)
			fresh, ferr := engine.Open(tctx, st, engine.Options{})
			if ferr != nil {
				rt.Fatal(ferr)
			}
			if got, want := outline(rt, w.Engine), outline(rt, fresh); got != want {
				rt.Fatalf("%s(%v): the running engine has\n%s\nthe files say\n%s", name, args, got, want)
			}
			v, found, ferr := fresh.Check(tctx, ws) // not by the running engine, which would read every file anew
			if ferr != nil {
				rt.Fatal(ferr)
			}
			if len(found) > 0 {
				rt.Fatalf("%s(%v) leaves %v\n%s", name, args, found, w.Store.Files()[mdstore.Path(found[0].File)])
			}
			rules = v.Workspace().Rules()
		}
	})
}
