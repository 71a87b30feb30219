package ops_test

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"arbor/engine"
	"arbor/engine/enginetest"
	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/mdstore"
)

// undoing is an engine over a vault in a store that keeps a record of what is done.
func undoing(t testing.TB, files map[mdstore.Path][]byte) (v enginetest.Vault, env *ops.Env) {
	t.Helper()
	v, at := enginetest.NewVault(t, "folder", files)
	return v, undoingIn(t, v, at)
}

func undoingIn(t testing.TB, v enginetest.Vault, at engine.Options) *ops.Env {
	t.Helper()
	for name, text := range enginetest.Docs {
		v.SetDoc(name, []byte(text))
	}
	e, err := engine.Open(t.Context(), v, at)
	if err != nil {
		t.Fatal(err)
	}
	return &ops.Env{Engine: e}
}

// shared returns the files of a vault but those of this machine.
func shared(v enginetest.Vault) map[mdstore.Path][]byte {
	all := v.Files()
	maps.DeleteFunc(all, func(p mdstore.Path, _ []byte) bool { return p.Under(mdstore.LocalDir) || p == mdstore.SessionsFile })
	return all
}

// same fails where two states of a vault differ.
func same(t testing.TB, what string, got, want map[mdstore.Path][]byte) {
	t.Helper()
	for _, p := range enginetest.Diff(got, want) {
		t.Errorf("%s: %s\n got %q\nwant %q", what, p, got[p], want[p])
	}
}

func TestAnUndoneOperationLeavesTheBytesOfBeforeAndAnUndoOfThatTheBytesOfAfter(t *testing.T) {
	undone := 0
	for _, o := range ops.WithoutGit() {
		for i, args := range samples[o.Name] {
			t.Run(fmt.Sprintf("%s/%d", o.Name, i), func(t *testing.T) {
				files := plan()
				files[openSession] = bytes.Replace(files[openSession], []byte("1767225600000"), []byte("4102444800000"), 1)
				v, env := undoing(t, files) // whose clock is the machine's
				before := shared(v)
				must(t, env, o.Name, args)
				after := shared(v)
				if len(enginetest.Diff(before, after)) == 0 {
					if _, err := call(t, env, "undo", nil); err == nil || err.Code != errs.NothingToUndo {
						t.Errorf("nothing of the vault changed, and undo returns %v", err)
					}
					return
				}
				undone++
				must(t, env, "undo", map[string]any{"dryRun": true})
				same(t, "a dry run", shared(v), after)
				must(t, env, "undo", nil)
				same(t, "undo", shared(v), before)
				must(t, env, "undo", map[string]any{"operation": "1"})
				same(t, "undo of undo", shared(v), after)
				must(t, env, "undo", nil)
				same(t, "undo again", shared(v), before)
				if _, err := call(t, env, "undo", nil); err == nil || err.Code != errs.NothingToUndo {
					t.Errorf("all is undone, and undo returns %v", err)
				}
			})
		}
	}
	if undone < 50 {
		t.Errorf("%d operations were undone, which is too few", undone)
	}
}

// calls are the samples as a list.
func calls() (all []sample) {
	for _, o := range ops.WithoutGit() {
		for _, args := range samples[o.Name] {
			all = append(all, sample{o.Name, args})
		}
	}
	return all
}

type sample struct {
	op   string
	args map[string]any
}

func TestOperationsAreUndoneOneAfterTheOther(t *testing.T) {
	all, steps := calls(), 0
	enginetest.Check(t, 30, func(rt *rapid.T) {
		v, env := undoing(t, plan())
		must(t, env, "workspace_check", map[string]any{"workspaceId": ws, "fix": true})
		states := []map[mdstore.Path][]byte{shared(v)}
		for range rapid.IntRange(1, 8).Draw(rt, "operations") {
			c := rapid.SampledFrom(all).Draw(rt, "call")
			_, _ = call(t, env, c.op, c.args)
			if now := shared(v); len(enginetest.Diff(now, states[len(states)-1])) > 0 {
				states = append(states, now)
			}
		}
		for i := len(states) - 2; i >= 0; i-- {
			steps++
			out, err := call(t, env, "undo", nil)
			if err != nil {
				rt.Fatalf("undo: %s: %s", err.Code, err.Message)
			}
			if d := enginetest.Diff(shared(v), states[i]); len(d) > 0 {
				rt.Fatalf("undo of %v: %v differ", out["undone"], d)
			}
		}
	})
	if steps == 0 {
		t.Error("nothing was undone")
	}
}

func TestWhatCameSinceAnUndoneOperationIsNotLost(t *testing.T) {
	all, undone := calls(), 0
	enginetest.Check(t, 30, func(rt *rapid.T) {
		v, env := undoing(t, plan())
		must(t, env, "workspace_check", map[string]any{"workspaceId": ws, "fix": true})
		first, second := rapid.SampledFrom(all).Draw(rt, "first"), rapid.SampledFrom(all).Draw(rt, "second")
		_, _ = call(t, env, first.op, first.args)
		deeds := deedsOf(t, env)
		const saved, logged = "a person saved this", "this was logged later"
		if rapid.Bool().Draw(rt, "a person saves") {
			p := rapid.SampledFrom(slices.Sorted(maps.Keys(shared(v)))).Draw(rt, "file")
			if data := shared(v)[p]; strings.HasSuffix(string(p), ".md") {
				v.Put(p, append(data, "\n## Mine\n\n"+saved+"\n"...))
				env.Engine.Refresh()
			}
		} else {
			_, _ = call(t, env, second.op, second.args)
		}
		node := rapid.SampledFrom([]string{"root", "node-p", "node-a", "node-b", "node-q", "node-c"}).Draw(rt, "node")
		_, _ = call(t, env, "log_append", map[string]any{"workspaceId": ws, "nodeId": node, "event": logged})
		before := shared(v)
		had := func(text string) int { return count(before, text) }
		if len(deeds) == 0 || deeds[0].Name != first.op {
			return // it did nothing in the vault
		}
		out, failed := call(t, env, "undo", map[string]any{"operation": deeds[0].ID})
		now := shared(v)
		if failed != nil {
			if d := enginetest.Diff(before, now); len(d) > 0 || failed.Class() != errs.Refused {
				rt.Fatalf("undo fails with %s: %s, and changes %v", failed.Code, failed.Message, d)
			}
			return
		}
		undone++
		for _, text := range []string{saved, logged} {
			if got := count(now, text); got != had(text) {
				rt.Fatalf("undo of %s %v: %q is there %d times, not %d", first.op, out["undone"], text, got, had(text))
			}
		}
	})
	t.Logf("%d undone", undone)
}

// count returns how often a text is in the files of a vault.
func count(files map[mdstore.Path][]byte, text string) (n int) {
	for p, data := range files {
		plain, _ := mdstore.TextOf(p, data)
		n += strings.Count(string(plain), text)
	}
	return n
}

// What stands on an operation keeps it from being undone, and is named.
func TestUndoIsRefusedWhereTheTreeWouldBreak(t *testing.T) {
	type step struct {
		op   string
		args map[string]any
	}
	node := func(id string) map[string]any { return map[string]any{"nodeId": id} }
	add := func(parent, typ string) step {
		return step{"node_create", map[string]any{"parentId": parent, "type": typ, "title": "N", "requirement": "r", "rulesHash": hash}}
	}
	act := func(id, action string) step {
		return step{"node_transition", map[string]any{"nodeId": id, "action": action, "conclusion": "c"}}
	}
	for _, tt := range []struct {
		name  string
		steps []step // the first is to be undone; NEW is the node that it made
		say   string
	}{
		{"a child was created below", []step{add("node-p", "planning"), add("NEW", "execution")}, "NEW"},
		{"a node was moved below", []step{add("node-p", "planning"), {"node_move", map[string]any{"nodeId": "node-a", "newParentId": "NEW"}}}, "NEW"},
		{"it was begun", []step{add("node-p", "execution"), act("NEW", "start")}, "was changed since"},
		{"a node refers to it", []step{add("node-p", "execution"), {"node_reference", map[string]any{"nodeId": "node-a", "targetIdOrPath": "NEW", "action": "add"}}}, "NEW"},
		{"its workspace was deleted since", []step{{"state_delete", map[string]any{"state": "state-1"}}, {"workspace_delete", map[string]any{"force": true}}}, "moved or deleted"},
		{"its only file has other values since", []step{{"node_isolate", map[string]any{"nodeId": "node-a", "isolate": true}}, {"node_delete", node("node-a")}}, "moved or removed since"},
		{"the parent was completed", []step{act("node-b", "complete"), {"node_delete", node("node-a")}, act("node-p", "complete")}, "node-p"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v, env := undoing(t, plan())
			must(t, env, "workspace_check", map[string]any{"workspaceId": ws, "fix": true})
			made, id := "", ""
			for i, s := range tt.steps {
				s.args["workspaceId"] = ws
				for k, v := range s.args {
					if v == "NEW" {
						s.args[k] = made
					}
				}
				out := must(t, env, s.op, s.args)
				if i == 0 {
					made, _ = out["nodeId"].(string)
					id = deedsOf(t, env)[0].ID
				}
			}
			before := shared(v)
			_, err := call(t, env, "undo", map[string]any{"operation": id})
			if err == nil || err.Code != errs.CannotUndo {
				t.Fatalf("undo: %v", err)
			}
			if say := strings.ReplaceAll(tt.say, "NEW", made); !strings.Contains(err.Message, say) {
				t.Errorf("undo: %s; it does not name %q", err.Message, say)
			}
			same(t, "a refused undo", shared(v), before)
		})
	}
}

func deedsOf(t testing.TB, env *ops.Env) []engine.Deed {
	t.Helper()
	all, err := env.Engine.Deeds(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// What cannot be told from what came since is named, and the rest is undone.
func TestUndoNamesWhatItLeavesAlone(t *testing.T) {
	v, env := undoing(t, plan())
	at := func(kv map[string]any) map[string]any {
		kv["workspaceId"], kv["nodeId"] = ws, "node-a"
		return kv
	}
	must(t, env, "workspace_check", map[string]any{"workspaceId": ws, "fix": true})
	must(t, env, "node_transition", at(map[string]any{"action": "start"}))
	must(t, env, "node_transition", at(map[string]any{"action": "complete", "conclusion": "c"}))
	p := mdstore.NodePath(ws, "node-a")
	before := shared(v)[p]
	out := must(t, env, "undo", map[string]any{"operation": "2"})
	if w := fmt.Sprint(out["warnings"]); !strings.Contains(w, "not undone: "+string(p)+": status was changed again since") {
		t.Errorf("warnings: %s", w)
	}
	if now := shared(v)[p]; string(now) != string(before) {
		t.Errorf("the file that is left alone: %s", now)
	}
}

// The lines of its log go with an operation, and what came later stays.
func TestUndoOfAnEarlierOperationTakesOutNoMoreThanThat(t *testing.T) {
	v, env := undoing(t, plan())
	at := func(kv map[string]any) map[string]any {
		kv["workspaceId"], kv["nodeId"] = ws, "node-b"
		return kv
	}
	must(t, env, "log_append", at(map[string]any{"event": "earlier"}))
	must(t, env, "node_transition", at(map[string]any{"action": "complete", "conclusion": "yes"}))
	must(t, env, "node_update", at(map[string]any{"note": "later"}))
	must(t, env, "log_append", at(map[string]any{"event": "later too"}))
	out := must(t, env, "undo", map[string]any{"operation": "3"})
	if out["undone"] != "complete B" {
		t.Errorf("undone: %v", out["undone"])
	}
	text := string(shared(v)[mdstore.NodePath(ws, "node-b")])
	for _, is := range []string{"status: implementing", "earlier", "## Note", "later too"} {
		if !strings.Contains(text, is) {
			t.Errorf("%q is missing:\n%s", is, text)
		}
	}
	for _, not := range []string{"yes", "complete:"} {
		if strings.Contains(text, not) {
			t.Errorf("%q is there still:\n%s", not, text)
		}
	}
	list := must(t, env, "undo", map[string]any{"list": true})["operations"].([]any)
	if first, fourth := list[0].(map[string]any), list[3].(map[string]any); first["text"] != "undo: complete B" || fourth["undone"] != true {
		t.Errorf("the list: %v", list)
	}
}
