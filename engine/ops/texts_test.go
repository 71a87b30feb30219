package ops_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"arbor/engine/enginetest"
	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/mdstore"
)

// A textPlace is a text that operations give another text as a whole.
type textPlace struct {
	name  string
	file  mdstore.Path
	op    string
	write func(text string) map[string]any
}

var (
	textNode  = mdstore.NodePath(ws, "node-a")
	textSpace = mdstore.WorkspacePath(ws)
)

// textPlaces are all of them, with the files that hold "the NAME" in each.
func textPlaces() []textPlace {
	node := func(param string) textPlace {
		return textPlace{param, textNode, "node_update", func(s string) map[string]any { return onNode(param, s) }}
	}
	of := func(param string) func(string) map[string]any {
		return func(s string) map[string]any { return map[string]any{"workspaceId": ws, param: s} }
	}
	return []textPlace{
		node("title"), node("requirement"), node("note"), node("conclusion"),
		{"problem", textNode, "problem_update", func(s string) map[string]any {
			return map[string]any{"workspaceId": ws, "nodeId": "node-a", "problem": s, "nextStep": "go on"}
		}},
		{"name", textSpace, "workspace_update", of("name")},
		{"goal", textSpace, "workspace_update", of("goal")},
		{"rules", textSpace, "workspace_update_rules", func(s string) map[string]any {
			return map[string]any{"workspaceId": ws, "action": "replace", "rules": []string{s, "be kind"}}
		}},
		{"problem", textSpace, "problem_update", of("problem")},
	}
}

func textVault() map[mdstore.Path][]byte {
	files := vault("", map[string][2]string{
		"root": {"title: Login\ntype: planning\nstatus: monitoring\nparentId: null", "## Requirement\n\nall of it\n"},
		"node-a": {"title: the title\ntype: execution\nstatus: implementing\nparentId: root",
			"## Requirement\n\nthe requirement\n\n## Conclusion\n\nthe conclusion\n\n## Note\n\nthe note\n\n" +
				"## Problem\n\nthe problem\n\n### Next Step\n\ngo on\n"},
	})
	files[textSpace] = []byte("---\nid: " + ws + "\nname: the name\ngoal: the goal\nstatus: active\n---\n\n" +
		"## Rules\n\n- the rules\n- be kind\n\n## Problem\n\nthe problem\n")
	return files
}

// shown is call for a reading operation whose reply a front end sends, in at most that many bytes; 0: any number.
func shown(t testing.TB, env *ops.Env, most int, name string, args map[string]any) {
	t.Helper()
	bounded := *env
	bounded.MaxBytes = most
	o, _ := ops.Find(name)
	out, err := o.Call(t.Context(), &bounded, enginetest.Args(args))
	if err != nil {
		t.Fatalf("%s(%v): %v", name, args, err)
	}
	r, err := ops.ReplyOf(out, most)
	if err != nil {
		t.Fatal(err)
	}
	bounded.Sent(t.Context(), out, r)
}

// readers are the ways to read all texts of node-a and the workspace.
var readers = map[string]func(testing.TB, *ops.Env){
	"get": func(t testing.TB, env *ops.Env) {
		shown(t, env, 0, "node_get", map[string]any{"workspaceId": ws, "nodeId": "node-a"})
		shown(t, env, 0, "workspace_get", map[string]any{"workspaceId": ws})
	},
	"context": func(t testing.TB, env *ops.Env) {
		shown(t, env, 20000, "context_get", map[string]any{"workspaceId": ws, "nodeId": "node-a"})
	},
	"context as Markdown": func(t testing.TB, env *ops.Env) {
		shown(t, env, 20000, "context_get", map[string]any{"workspaceId": ws, "nodeId": "node-a", "format": "markdown"})
	},
}

// byHand saves a file with a text replaced, as a person does.
func byHand(t testing.TB, w *enginetest.World, p mdstore.Path, old, new string) {
	t.Helper()
	data := string(w.Store.Files()[p])
	if !strings.Contains(data, old) {
		t.Fatalf("%s has no %q:\n%s", p, old, data)
	}
	w.Store.Put(p, []byte(strings.ReplaceAll(data, old, new)))
	w.Engine.Refresh()
}

// keptFiles returns the files that keep replaced texts.
func keptFiles(w *enginetest.World) (all []string) {
	for p, data := range w.Store.Files() {
		if p.Under(".local/replaced") {
			all = append(all, string(data))
		}
	}
	return all
}

// onNode returns the arguments of node_update that give node-a a text.
func onNode(param, text string) map[string]any {
	return map[string]any{"workspaceId": ws, "nodeId": "node-a", param: text}
}

// A text that a person changed after the session read it is not replaced before the session has seen the change: the
// first write is refused with the new text, the second goes through, and what the person wrote is kept.
func TestATextThatChangedIsRefusedOnce(t *testing.T) {
	for how, read := range readers {
		for _, p := range textPlaces() {
			t.Run(how+"/"+p.op+" "+p.name, func(t *testing.T) {
				w := enginetest.New(t, textVault())
				env := &ops.Env{Engine: w.Engine, Session: "s"}
				read(t, env)
				byHand(t, w, p.file, "the "+p.name, "a person's "+p.name)
				edited := string(w.Store.Files()[p.file])
				e := refused(t, w, env, errs.Conflicting, p.op, p.write("mine"))
				if !strings.Contains(e.Message, p.name+" changed") || e.Details == nil ||
					!strings.Contains(e.Details.Text, "a person's "+p.name) {
					t.Errorf("the refusal says %s, %+v", e.Message, e.Details)
				}
				must(t, env, p.op, p.write("mine"))
				kept := keptFiles(w)
				if len(kept) != 1 || !slices.Contains(kept, edited) {
					t.Errorf("kept are %q, want the file as the person left it:\n%s", kept, edited)
				}
				must(t, env, p.op, p.write("mine again"))
				if len(keptFiles(w)) != 1 {
					t.Error("the session's own text is kept too")
				}
			})
		}
	}
}

// A session that never read a text replaces it and is told so; all of the file as it was is kept, whatever its bytes.
// The same holds for a caller without a session, always.
func TestATextThatWasNeverReadIsKeptAndTold(t *testing.T) {
	for _, p := range textPlaces() {
		w := enginetest.New(t, textVault())
		long := "the " + p.name + strings.Repeat(" 好", 99)
		byHand(t, w, p.file, "the "+p.name, long)
		for i, env := range []*ops.Env{{Engine: w.Engine, Session: "s"}, {Engine: w.Engine}, {Engine: w.Engine}} {
			w.Tick(time.Second)
			before := w.Store.Files()[p.file]
			out := must(t, env, p.op, p.write(fmt.Sprint("text ", i)))
			all, _ := out["replaced"].([]any)
			if len(all) != 1 {
				t.Errorf("%s %s by session %q: replaced is %v", p.op, p.name, env.Session, out["replaced"])
				continue
			}
			r := all[0].(map[string]any)
			text := r["text"].(string)
			began := strings.HasPrefix(long, strings.TrimPrefix(text, "- ")) && len([]rune(text)) == 200
			if i == 0 && !began || r["field"] != p.name {
				t.Errorf("%s %s: told is %v", p.op, p.name, r)
			}
			if got := w.Store.Files()[mdstore.Path(r["kept"].(string))]; string(got) != string(before) {
				t.Errorf("%s %s: kept is %q, want %q", p.op, p.name, got, before)
			}
		}
	}
}

// A text of which a reply has only the beginning is not one that the session has read.
func TestATextThatIsCutIsNotRead(t *testing.T) {
	files := textVault()
	long := strings.Repeat("the note ", 400) + "ends here"
	files[textNode] = []byte(strings.Replace(string(files[textNode]), "the note", long, 1))
	for _, read := range []struct {
		op   string
		args map[string]any
	}{
		{"node_get", map[string]any{"nodeId": "node-a"}}, {"context_get", map[string]any{"nodeId": "node-a"}},
		{"context_get", map[string]any{"nodeId": "node-a", "format": "markdown"}},
		{"context_get", map[string]any{"nodeId": "node-a", "budget": 600}},
	} {
		read.args["workspaceId"] = ws
		w := enginetest.New(t, files)
		env := &ops.Env{Engine: w.Engine, Session: "s"}
		shown(t, env, 5000, read.op, read.args)
		byHand(t, w, textNode, "ends here", "ends there")
		byHand(t, w, textNode, "the requirement", "a person's requirement")
		refused(t, w, env, errs.Conflicting, "node_update", onNode("requirement", "mine"))
		out := must(t, env, "node_update", onNode("note", "mine"))
		if all, _ := out["replaced"].([]any); len(all) != 1 {
			t.Errorf("%s(%v): replaced is %v", read.op, read.args, out["replaced"])
		}
	}
}

// What a session wrote itself it may write again, also after another session replaced nothing of it. What another
// session wrote since is refused like what a person wrote.
func TestSessionsDoNotReplaceEachOthersTextsBlindly(t *testing.T) {
	w := enginetest.New(t, textVault())
	one, two := &ops.Env{Engine: w.Engine, Session: "1"}, &ops.Env{Engine: w.Engine, Session: "2"}
	note := func(text string) map[string]any { return onNode("note", text) }
	readers["get"](t, one)
	must(t, one, "node_update", note("one"))
	must(t, one, "node_update", note("one more"))
	readers["get"](t, two)
	must(t, two, "node_update", note("two"))
	e := refused(t, w, one, errs.Conflicting, "node_update", note("one again"))
	if e.Details.Text != "two" || e.Details.NodeID != "node-a" {
		t.Errorf("refused with %+v", e.Details)
	}
	must(t, two, "node_update", note("two more"))
	refused(t, w, one, errs.Conflicting, "node_update", note("one again")) // it changed again
	must(t, one, "node_update", note("one again"))

	w.Tick(time.Second)
	node := must(t, one, "node_create", map[string]any{"workspaceId": ws, "parentId": "root", "type": "execution",
		"title": "N", "requirement": "r", "rulesHash": mdstore.RulesHash([]string{"the rules", "be kind"})})
	kept := len(keptFiles(w))
	args := map[string]any{"workspaceId": ws, "nodeId": node["nodeId"], "requirement": "r2", "title": "N2"}
	out := must(t, one, "node_update", args)
	if out["replaced"] != nil || len(keptFiles(w)) != kept {
		t.Errorf("what a session created and replaces is told: %v", out["replaced"])
	}
}

// A dry run refuses what the write would refuse, and teaches the session nothing. ifMatch alone proves no reading: a
// write returns the version, too.
func TestDryRunsAndVersionsInPlaceOfReading(t *testing.T) {
	w := enginetest.New(t, textVault())
	env := &ops.Env{Engine: w.Engine, Session: "s"}
	readers["get"](t, env)
	byHand(t, w, textNode, "the note", "a person's note")
	args := onNode("note", "mine")
	args["dryRun"] = true
	for range 2 {
		refused(t, w, env, errs.Conflicting, "node_update", args)
	}
	delete(args, "dryRun")
	version := mdstore.VersionOf(w.Store.Files()[textNode]).String()
	args["ifMatch"] = version
	refused(t, w, env, errs.Conflicting, "node_update", args)
	out := must(t, env, "node_update", args)
	if out["replaced"] != nil || len(keptFiles(w)) != 1 {
		t.Errorf("with ifMatch: told is %v, kept %d files", out["replaced"], len(keptFiles(w)))
	}
	args["note"] = "mine again"
	refused(t, w, env, errs.Conflicting, "node_update", args) // it is another version now
}

// Setting what is there already changes nothing and is never refused.
func TestSettingWhatIsThereAlreadyIsNoReplacement(t *testing.T) {
	for _, p := range textPlaces() {
		w := enginetest.New(t, textVault())
		env := &ops.Env{Engine: w.Engine, Session: "s"}
		readers["get"](t, env)
		byHand(t, w, p.file, "the "+p.name, "a person's "+p.name)
		before := w.Store.Files()
		out := must(t, env, p.op, p.write("a person's "+p.name))
		if out["changed"] != false && p.name != "rules" { // whose hash is not there yet
			t.Errorf("%s %s: %v", p.op, p.name, out)
		}
		if d := enginetest.Diff(before, w.Store.Files()); len(d) > 0 && p.name != "rules" || len(keptFiles(w)) > 0 {
			t.Errorf("%s %s changes %v and keeps %d files", p.op, p.name, d, len(keptFiles(w)))
		}
		refused(t, w, env, errs.Conflicting, p.op, p.write("mine"))
	}
}

// Several texts of one call are refused together, so that the same call goes through the next time. One that is gone
// is empty. The problem that ends with its node is kept, and keeps nobody from completing it.
func TestTransitionsAndSeveralTexts(t *testing.T) {
	w := enginetest.New(t, textVault())
	env := &ops.Env{Engine: w.Engine, Session: "s"}
	readers["context"](t, env)
	byHand(t, w, textNode, "the note", "")
	byHand(t, w, textNode, "the requirement", "a person's requirement")
	args := onNode("note", "mine")
	args["requirement"], args["title"] = "mine", "mine"
	e := refused(t, w, env, errs.Conflicting, "node_update", args)
	if !strings.Contains(e.Message, "requirement and note changed") ||
		!strings.Contains(e.Details.Text, "a person's requirement") {
		t.Errorf("refused with %s, %+v", e.Message, e.Details)
	}
	must(t, env, "node_update", args)

	byHand(t, w, textNode, "the conclusion", "a person's conclusion")
	byHand(t, w, textNode, "the problem", "a person's problem")
	done := map[string]any{"workspaceId": ws, "nodeId": "node-a", "action": "complete", "conclusion": "done"}
	e = refused(t, w, env, errs.Conflicting, "node_transition", done)
	if e.Details.Text != "a person's conclusion" {
		t.Errorf("refused with %+v", e.Details)
	}
	w.Tick(time.Second)
	out := must(t, env, "node_transition", done)
	if all, _ := out["replaced"].([]any); len(all) != 1 || all[0].(map[string]any)["field"] != "problem" {
		t.Errorf("completing replaces %v", out["replaced"])
	}
	if !strings.Contains(fmt.Sprint(keptFiles(w)), "a person's problem") {
		t.Error("the problem is not kept")
	}
}

// A text that is too long for a refusal does not count as read.
func TestALongTextIsToBeReadAgain(t *testing.T) {
	w := enginetest.New(t, textVault())
	env := &ops.Env{Engine: w.Engine, Session: "s"}
	readers["get"](t, env)
	byHand(t, w, textNode, "the note", strings.Repeat("x", 8001))
	args := onNode("note", "mine")
	for range 2 {
		e := refused(t, w, env, errs.Conflicting, "node_update", args)
		if e.Details.Text != "" || !strings.Contains(e.Message, "node_get") {
			t.Errorf("refused with %s, %+v", e.Message, e.Details)
		}
	}
	readers["get"](t, env)
	must(t, env, "node_update", args)
}

// What was replaced is kept for 30 days, and goes when something else is kept.
func TestReplacedTextsAreKeptForThirtyDays(t *testing.T) {
	w := enginetest.New(t, textVault())
	env := &ops.Env{Engine: w.Engine}
	note := func(text string) {
		must(t, env, "node_update", onNode("note", text))
	}
	w.Store.Put(".local/replaced/mine.md", []byte("a person's"))
	note("1")
	note("2") // in the same moment
	w.Tick(30 * 24 * time.Hour)
	note("3")
	if n := len(keptFiles(w)); n != 4 {
		t.Errorf("after 30 days %d files are kept", n)
	}
	w.Tick(time.Second)
	note("4")
	if n := len(keptFiles(w)); n != 3 {
		t.Errorf("after more than 30 days %d files are kept", n)
	}
}
