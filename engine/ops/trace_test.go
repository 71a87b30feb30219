package ops_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"arbor/engine"
	"arbor/engine/enginetest"
	"arbor/engine/ops"
	"arbor/mdstore"
)

const (
	sessionID   = "session-mjv3xk00-aaaaaa"
	sessionPath = mdstore.Path(ws + "/sessions/" + sessionID + "/Session.md")
)

// traced is the vault of plan with a session that s1 is bound to.
func traced() map[mdstore.Path][]byte {
	files := plan()
	delete(files, openSession)
	delete(files, endedSession)
	delete(files, mdstore.TranscriptKind.FileFor(openSession.Dir(), ""))
	files[sessionPath] = []byte("---\nid: " + sessionID + "\nname: Monday\nexternalId: s1\nstartedAt: 4102444800000\nendedAt: null\n---\n\n## Goal\n\nto sign in\n\n## Log\n")
	files["sessions.json"] = []byte(`{"bindings":{"s1":{"sessionId":"s1","workspaceId":"` + ws + `","boundAt":1}}}`)
	return files
}

// logOf returns the lines of a session's trace.
func logOf(files map[mdstore.Path][]byte) []string {
	_, log, _ := strings.Cut(string(files[sessionPath]), "## Log\n")
	if log = strings.TrimSpace(log); log == "" {
		return nil
	}
	return strings.Split(log, "\n- ")
}

// Every operation that changes the workspace leaves one line in the trace, in the same commit, with no text in it; a
// dry run, a call that changes nothing and one of a session without a file leave none.
func TestEveryWriteLeavesOneTrace(t *testing.T) {
	texts := []string{"requirement", "note", "conclusion", "event", "problem", "nextStep", "goal", "text", "summary"}
	for _, o := range ops.WithoutGit() {
		for _, given := range samples[o.Name] {
			if o.Set != ops.SetPlan || forThisMachine[o.Name] {
				continue
			}
			args := map[string]any{}
			for k, v := range given {
				args[k] = v
			}
			for _, name := range texts {
				if _, ok := args[name].(string); ok && o.Name != "workspace_init" {
					args[name] = "a-text-of-somebody " + fmt.Sprint(args[name])
				}
			}
			w := enginetest.New(t, traced())
			env := &ops.Env{Engine: w.Engine, Session: "s1"}
			dry := map[string]any{"dryRun": true}
			for k, v := range args {
				dry[k] = v
			}
			must(t, env, o.Name, dry)
			if got := logOf(w.Store.Files()); len(got) != 0 {
				t.Errorf("%s: a dry run leaves %q", o.Name, got)
			}
			before := w.Store.Files()
			must(t, env, o.Name, args)
			after := w.Store.Files()
			concerns := false // a file of the workspace, which is still there
			for _, p := range enginetest.Diff(before, after) {
				concerns = concerns || p.Under(ws) && p != sessionPath
			}
			if _, there := after[sessionPath]; !there {
				continue
			}
			got := logOf(after)
			if want := map[bool]int{true: 1}[concerns]; len(got) != want {
				t.Errorf("%s(%v) leaves %d lines: %q", o.Name, args, len(got), got)
			}
			if len(got) == 1 && (!strings.Contains(got[0], "] tool_call: "+o.Name) || strings.Contains(got[0], "a-text-of")) {
				t.Errorf("%s(%v) leaves %q", o.Name, args, got)
			}
			if o.Idempotent {
				must(t, env, o.Name, args)
				if again := logOf(w.Store.Files()); len(again) != len(got) {
					t.Errorf("%s(%v) a second time leaves %q", o.Name, args, again)
				}
			}
		}
	}
	w := enginetest.New(t, traced())
	must(t, &ops.Env{Engine: w.Engine, Session: "another"}, "node_transition", map[string]any{"workspaceId": ws, "nodeId": "node-a", "action": "start"})
	if got := logOf(w.Store.Files()); len(got) != 0 {
		t.Errorf("another session leaves %q", got)
	}
}

// A line names the operation, its arguments in short, and the nodes that changed besides the named one.
func TestATraceTellsTheCallInShort(t *testing.T) {
	w := enginetest.New(t, traced())
	env := &ops.Env{Engine: w.Engine, Session: "s1"}
	must(t, env, "node_update", map[string]any{"nodeId": "node-a", "title": strings.Repeat("title ", 20), "note": "n"})
	must(t, env, "node_isolate", map[string]any{"nodeId": "node-a", "isolate": true})
	must(t, env, "node_transition", map[string]any{"nodeId": "node-c", "action": "reopen", "cascade": true})
	must(t, env, "workspace_update", map[string]any{"name": "## Log\n"[:6]})
	want := []string{
		`- [2026-01-01 10:00:00] [AI] tool_call: node_update node-a "title title title title title title titl…"`,
		`[2026-01-01 10:00:00] [AI] tool_call: node_isolate node-a`,
		"[2026-01-01 10:00:00] [AI] tool_call: node_transition reopen node-c\n  nodes: node-c, node-q, root",
		`[2026-01-01 10:00:00] [AI] tool_call: workspace_update "## Log"`,
	}
	if got := logOf(w.Store.Files()); strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if out := must(t, &ops.Env{Engine: w.Engine, Session: "s1"}, "changes_get", nil); out["first"] != true {
		t.Errorf("%v", out)
	}
	must(t, &ops.Env{Engine: w.Engine, Session: "other"}, "changes_get", map[string]any{"workspaceId": ws})
	must(t, env, "log_append", map[string]any{"nodeId": "node-a", "event": "x", "operator": "AI"})
	out := must(t, &ops.Env{Engine: w.Engine, Session: "other"}, "changes_get", map[string]any{"workspaceId": ws})
	if got := fmt.Sprint(out["changes"]); strings.Contains(got, "Session.md") || !strings.Contains(got, "node-a") {
		t.Errorf("changes of another session: %s", got)
	}
}

// A session's file that takes no line keeps nobody from working: the call warns.
func TestADamagedSessionKeepsNobodyFromWorking(t *testing.T) {
	for name, text := range map[string]string{
		"closed":     "---\nid: " + sessionID + "\nname: [",
		"open fence": "---\nid: " + sessionID + "\n---\n\n```\n",
	} {
		files := traced()
		files[sessionPath] = []byte(text)
		w := enginetest.New(t, files)
		env := &ops.Env{Engine: w.Engine, Session: sessionID}
		out := must(t, env, "node_isolate", map[string]any{"workspaceId": ws, "nodeId": "node-a", "isolate": true})
		if got := w.Store.Files(); string(got[sessionPath]) != text || out["changed"] != true || out["warnings"] == nil {
			t.Errorf("%s: %v\n%s", name, out, got[sessionPath])
		}
	}
}

// tracerVault is the environment variable that makes the test binary a session that leaves traces.
const tracerVault = "ARBOR_TEST_TRACER"

const (
	tracers    = 8
	tracesEach = 13
)

// leaveTraces makes changes in the session, each of which leaves a line.
func leaveTraces(v string) error {
	name, dir, _ := strings.Cut(v, "=")
	ctx, e, end, err := alone(dir, engine.Options{})
	if err != nil {
		return err
	}
	defer end()
	o, _ := ops.Find("node_create")
	for i := range tracesEach {
		args := enginetest.Args(map[string]any{"workspaceId": ws, "parentId": "node-p", "type": "execution", "requirement": "r", "title": fmt.Sprintf("%s-%d", name, i), "rulesHash": hash})
		if _, err := o.Call(ctx, &ops.Env{Engine: e, Session: "s1"}, args); err != nil {
			return fmt.Errorf("%d: %w", i, err)
		}
	}
	return nil
}

// Processes that write at once in one session lose no line of its trace.
func TestTracesOfManyProcessesAreAllThere(t *testing.T) {
	dir := enginetest.Place(t, traced())
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, tracers)
	for i := range tracers {
		go func() {
			cmd := exec.Command(self)
			cmd.Env = append(os.Environ(), fmt.Sprintf("%s=p%d=%s", tracerVault, i, dir))
			out, err := cmd.CombinedOutput()
			if err != nil {
				err = fmt.Errorf("%d: %w\n%s", i, err, out)
			}
			done <- err
		}()
	}
	for range tracers {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	f, err := enginetest.OpenDir(t, dir).Read(t.Context(), sessionPath)
	if err != nil {
		t.Fatal(err)
	}
	for i := range tracers {
		for k := range tracesEach {
			line := fmt.Sprintf("tool_call: node_create execution node-p \"p%d-%d\"\n", i, k)
			if n := strings.Count(string(f.Data), line); n != 1 {
				t.Errorf("%q is there %d times", line, n)
			}
		}
	}
	if n := strings.Count(string(f.Data), "tool_call: "); n != tracers*tracesEach {
		t.Errorf("%d lines for %d writes", n, tracers*tracesEach)
	}
}
