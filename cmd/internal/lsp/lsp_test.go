package lsp

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"arbor/engine/enginetest"
	"arbor/engine/ops"
	"arbor/mdstore"
)

const ws = mdstore.ID("ws-1")

func nodePath(id mdstore.ID) mdstore.Path { return mdstore.NodePath(mdstore.Path(ws), id) }

// act runs an operation as an assistant does.
func act(e *editor, env *ops.Env, name string, args map[string]any) {
	e.t.Helper()
	o, ok := ops.Find(name)
	if !ok {
		e.t.Fatalf("no operation %s", name)
	}
	args["workspaceId"] = string(ws)
	if _, err := o.Call(e.t.Context(), env, enginetest.Args(args)); err != nil {
		e.t.Fatalf("%s: %v", name, err)
	}
}

func TestFindingsFollowTheUnsavedText(t *testing.T) {
	for _, utf8 := range []bool{false, true} {
		e := edit(t, enginetest.Plan(ws, "n1", "n2"), utf8)
		uri := e.open(nodePath("n1"))
		e.codes(uri)
		e.replace(uri, "status: pending", "status: 😀 gone")
		e.codes(uri, "STATUS_INVALID")
		e.replace(uri, "😀 gone", "pending")
		e.codes(uri)
		e.replace(uri, "## Note", "## References\n\n- node-mj2hz4gy-ync1cu: \n\n## Note")
		e.codes(uri, "REFERENCE_DANGLING")
		if d := e.found[uri][0]; d.Range.Start.Char != 0 && d.Range.Start.Char != 2 || d.Severity != 2 {
			t.Errorf("the finding is at %v with severity %d", d.Range, d.Severity)
		}
	}
}

func TestFindingsOfOtherFilesFollowTheDisk(t *testing.T) {
	files := enginetest.Plan(ws, "n1", "n2")
	files[nodePath("n2")] = enginetest.Step("n2", "nonsense", "")
	e := edit(t, files, false)
	e.codes(e.uri(nodePath("n2")), "STATUS_INVALID")
	enginetest.Put(t, e.dir, nodePath("n2"), enginetest.Step("n2", "pending", ""))
	e.codes(e.uri(nodePath("n2")))
	enginetest.Put(t, e.dir, nodePath("n1"), enginetest.Step("n1", "completed", ""))
	e.codes(e.uri(nodePath("n1")), "CONCLUSION_MISSING")
}

func TestSettingsGradeFindingsAndSwitchThemOff(t *testing.T) {
	e := edit(t, enginetest.Plan(ws, "n1"), false)
	uri := e.open(nodePath("n1"))
	e.replace(uri, "status: pending", "status: gone")
	e.codes(uri, "STATUS_INVALID")
	configure := func(set string) {
		e.tell("workspace/didChangeConfiguration", map[string]any{"settings": json.RawMessage(set)})
	}
	configure(`{"arbor": {"diagnostics": {"STATUS_INVALID": "off"}}}`)
	e.codes(uri)
	configure(`{"arbor": {"diagnostics": {"STATUS_INVALID": "hint"}}}`)
	e.codes(uri, "STATUS_INVALID")
	if got := e.found[uri][0].Severity; got != 4 {
		t.Errorf("severity = %d, want 4", got)
	}
}

func TestNothingIsSaidOfFilesOutsideOfAVault(t *testing.T) {
	e := edit(t, enginetest.Plan(ws, "n1"), false)
	for _, name := range []string{"../README.md", ".git/x.md", "ws-1/nodes/n1/.hidden/Node.md", "../../elsewhere/Node.md"} {
		enginetest.Put(t, e.dir, mdstore.Path(name), []byte("---\nstatus: nonsense\n---\n"))
		e.open(mdstore.Path(name))
	}
	uri := e.open(nodePath("n1"))
	e.codes(uri)
	for at := range e.found {
		if !strings.HasPrefix(at, uriOf(e.dir)+"/ws-1/") {
			t.Errorf("diagnostics of %s", at)
		}
	}
}

func TestCommitsComeIntoUnsavedText(t *testing.T) {
	e := edit(t, enginetest.Plan(ws, "n1"), false)
	uri := e.open(nodePath("n1"))
	e.codes(uri)
	e.replace(uri, "\nn\n", "\nn\nwhat I am about to say\n")
	env := &ops.Env{Engine: e.outside()}
	act(e, env, "node_transition", map[string]any{"nodeId": "n1", "action": "start"})
	e.until("the commit in the text", func(*packet) bool {
		return strings.Contains(e.texts[uri], "status: implementing")
	})
	for _, want := range []string{"what I am about to say", "start: pending → implementing", "updatedAt:"} {
		if !strings.Contains(e.texts[uri], want) {
			t.Errorf("the text lacks %q:\n%s", want, e.texts[uri])
		}
	}
	var holds bool
	if e.call("arbor/holds", map[string]any{"textDocument": map[string]any{"uri": uri}}, &holds); !holds {
		t.Error("the text does not hold the last commit, and has it")
	}
	e.save(uri)
	e.codes(uri)
	e.decline = true
	e.replace(uri, "what I am", "what I still am")
	act(e, env, "node_transition", map[string]any{"nodeId": "n1", "action": "submit"})
	if e.call("arbor/holds", map[string]any{"textDocument": map[string]any{"uri": uri}}, &holds); holds {
		t.Error("the text holds a commit that it lacks")
	}
}

func TestADeclinedEditIsAFinding(t *testing.T) {
	e := edit(t, enginetest.Plan(ws, "n1"), false)
	e.decline = true
	uri := e.open(nodePath("n1"))
	e.codes(uri)
	e.replace(uri, "\nn\n", "\nmine\n")
	act(e, &ops.Env{Engine: e.outside()}, "node_transition", map[string]any{"nodeId": "n1", "action": "start"})
	e.codes(uri, "STALE_SAVE")
	e.decline = false
	e.replace(uri, "mine\n", "mine too\n")
	e.until("the commit in the text", func(*packet) bool {
		return strings.Contains(e.texts[uri], "status: implementing")
	})
	e.codes(uri)
}

// An assistant completes a node while a person writes in its file: nothing that either wrote is lost, and no conflict
// copy is made.
func TestUnsavedTextBesideAnAssistantLosesNothing(t *testing.T) {
	rounds := 20
	if enginetest.Heavy {
		rounds = 1000
	}
	var ids []mdstore.ID
	for i := range rounds {
		ids = append(ids, mdstore.ID(fmt.Sprintf("n%d", i)))
	}
	e := edit(t, enginetest.Plan(ws, ids...), true)
	env := &ops.Env{Engine: e.outside()}
	var at string
	t.Cleanup(func() {
		if t.Failed() {
			data, _ := os.ReadFile(at)
			t.Logf("%s:\n%s", at, data)
		}
	})
	for i, id := range ids {
		at = filepath.Join(e.dir, filepath.FromSlash(string(nodePath(id))))
		uri := e.open(nodePath(id))
		e.codes(uri) // the server has read the file before the assistant writes
		mine, said := "a person wrote this", "an assistant concluded this"
		e.replace(uri, "\nn\n", "\nn\n"+mine)
		typed := i%3 != 0
		e.lies = i%2 == 0                     // as Neovim, of an edit that came too late
		e.before = func(string, []textEdit) { // typing goes on while the edit is on its way
			if !typed {
				typed = true
				e.replace(uri, mine, mine+", and this")
			}
		}
		do := func(action string) {
			act(e, env, "node_transition", map[string]any{"nodeId": string(id), "action": action, "conclusion": said})
		}
		do("start")
		if i%2 == 0 {
			e.until("the start in the text", func(*packet) bool {
				return strings.Contains(e.texts[uri], "status: implementing")
			})
		}
		do("complete")
		if i%10 == 4 { // the save wins the race: the store joins both, at the latest with the next commit
			e.save(uri)
			act(e, env, "log_append", map[string]any{"nodeId": string(id), "operator": "AI", "event": "looked"})
		} else {
			e.until("the conclusion in the text", func(*packet) bool {
				return strings.Contains(e.texts[uri], "status: completed") && strings.Contains(e.texts[uri], said)
			})
			e.save(uri)
		}
		data, err := os.ReadFile(filepath.Join(e.dir, filepath.FromSlash(string(nodePath(id)))))
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{mine, said, "status: completed", "start: pending → implementing", "→ completed"} {
			if strings.Count(string(data), want) != 1 && (want != said || !strings.Contains(string(data), want)) {
				t.Fatalf("round %d: %q is there %d times:\n%s", i, want, strings.Count(string(data), want), data)
			}
		}
		e.tell("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": uri}})
		delete(e.texts, uri)
	}
	_, found, err := env.Engine.Check(t.Context(), ws)
	if err != nil || len(found) > 0 {
		t.Errorf("check finds %v, %v", found, err)
	}
}
