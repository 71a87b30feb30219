package mcpserv

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"arbor/engine"
	"arbor/engine/env/command"
	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/mdstore"
	"arbor/mdstore/dirstore"
)

func TestMain(m *testing.M) {
	if code, started := command.Main(os.Args[1:]); started { // the test binary is also the program of a tool
		os.Exit(code)
	}
	os.Exit(m.Run())
}

// newPlace returns a world in a project with a test that runs, and a person at a terminal, who attached the project
// with a level of trust.
func newPlace(t *testing.T, trust string, patience time.Duration) (*world, *ops.Env) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	project := filepath.Join(dir, "home", "project")
	w := &world{T: t, dir: project}
	w.save("src/a.go", "package a\n\nfunc One() int { return 2 }\n")
	w.save(".monad/tools.json", `{"tools": [{"id": "test", "name": "test", "description": "runs the tests", "parametersSchema": {"type": "object"}, "command": ["grep", "-n", "return 1", "src/a.go"]}]}`)
	w.dir = filepath.Join(project, mdstore.DefaultVault)
	for p, data := range planFiles() {
		w.save(p, string(data))
	}
	st, err := dirstore.Open(w.dir, dirstore.Options{ProjectRoot: project, SaveQuiet: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	if w.engine, err = engine.Open(t.Context(), st, engine.Options{Vault: w.dir, Project: project, State: filepath.Join(dir, "state")}); err != nil {
		t.Fatal(err)
	}
	if w.server, err = New(w.engine, Options{Toolsets: []string{allSets}, Workspace: planID, Patience: patience}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.server.Close)
	person := &ops.Env{Engine: w.engine, Operator: mdstore.OperatorHuman, Caller: ops.ByDecider}
	if _, err := ops.EnvRegister(t.Context(), person, ops.EnvRegisterIn{URI: "file:.", ID: "app", Trust: trust}); err != nil {
		t.Fatal(err)
	}
	return w, person
}

// chooses returns the options of a client whose person gives the answers, one after the other. It records the
// questions.
func chooses(questions *[]string, answers ...string) *mcp.ClientOptions {
	return &mcp.ClientOptions{ElicitationHandler: func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		*questions = append(*questions, req.Params.Message)
		chosen := answers[min(len(*questions), len(answers))-1]
		if chosen == "decline" || chosen == "cancel" {
			return &mcp.ElicitResult{Action: chosen}, nil
		}
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{answer: chosen}}, nil
	}}
}

// The work of an assistant: it attaches the project, searches, reads, edits with an approval, runs the tests, and logs
// its work.
func TestAnHourOfAnAssistant(t *testing.T) {
	for _, version := range []string{"", legacy} {
		t.Run(version, func(t *testing.T) {
			w, _ := newPlace(t, "restricted", -1)
			var questions []string
			opt := chooses(&questions, once)
			if version == legacy { // an older client has no questions in replies
				opt.MultiRoundTrip = &mcp.MultiRoundTripOptions{Disabled: true}
			}
			p := w.connectAs(version, opt)
			p.do("session_start", map[string]any{"sessionId": "s1", "name": "hour"})
			p.do("env_attach", map[string]any{"id": "app"})
			found := p.do("file_search", map[string]any{"environment": "app", "pattern": "return", "path": "src"})
			if len(items(found["hits"])) != 1 {
				t.Fatalf("file_search: %v", found)
			}
			if text := p.do("file_read", map[string]any{"environment": "app", "path": "src/a.go"})["text"]; !strings.Contains(text.(string), "return 2") {
				t.Fatalf("file_read: %v", text)
			}
			p.do("file_edit", map[string]any{"environment": "app", "path": "src/a.go", "old": "return 2", "new": "return 1"})
			if len(questions) != 1 || !strings.Contains(questions[0], "-func One() int { return 2 }") || !strings.Contains(questions[0], "src/a.go") {
				t.Fatalf("the questions are %q", questions)
			}
			out := p.do("tool_call", map[string]any{"tool": "test"})
			if !strings.Contains(out["output"].(string), "3:func One() int { return 1 }") {
				t.Errorf("the program printed %v", out["output"])
			}
			if out["exitCode"] != 0.0 && out["exitCode"] != nil || len(questions) != 3 {
				t.Errorf("tool_call: %v after %q", out, questions)
			}
			p.do("session_note", map[string]any{"text": "the test passes"})
			p.do("file_write", map[string]any{"path": "Notes/done.md", "content": "# Done\n"})
			if len(questions) != 3 {
				t.Errorf("the session's own folder asks: %q", questions[3:])
			}
		})
	}
}

// If a person denies or closes the question, nothing runs. After an approval for the session, there is no second
// question.
func TestAnswersCount(t *testing.T) {
	write := map[string]any{"environment": "app", "path": "b.txt", "content": "x"}
	for answer, want := range map[string]errs.Code{"decline": errs.ApprovalDenied, no: errs.ApprovalDenied, "cancel": errs.ApprovalPending} {
		w, _ := newPlace(t, "restricted", -1)
		var questions []string
		p := w.connect(chooses(&questions, answer))
		p.do("session_start", map[string]any{"sessionId": "s1"})
		p.do("env_attach", map[string]any{"id": "app"})
		p.refused(want, "file_write", write)
	}
	w, _ := newPlace(t, "restricted", -1)
	var questions []string
	p := w.connect(chooses(&questions, forSession))
	p.do("session_start", map[string]any{"sessionId": "s1"})
	p.do("env_attach", map[string]any{"id": "app"})
	p.do("file_write", write)
	p.do("file_write", map[string]any{"environment": "app", "path": "b.txt", "content": "y"})
	if len(questions) != 1 || !strings.Contains(questions[0], "files b.txt") {
		t.Errorf("the questions are %q", questions)
	}
}

// If a person does not enable a tool, they are not asked about it again at once, by any client.
func TestAToolThatIsDeclinedIsNotAskedForAgain(t *testing.T) {
	for _, version := range []string{"", legacy} {
		w, _ := newPlace(t, "restricted", -1)
		var questions []string
		p := w.connectAs(version, chooses(&questions, no))
		p.do("session_start", map[string]any{"sessionId": "s1"})
		p.do("env_attach", map[string]any{"id": "app"})
		p.refused(errs.ApprovalDenied, "tool_call", map[string]any{"tool": "test"})
		p.refused(errs.ApprovalDenied, "tool_call", map[string]any{"tool": "test"})
		if len(questions) != 1 {
			t.Errorf("%q: the questions are %q", version, questions)
		}
	}
}

// If the client cannot ask, the call waits for a person at a terminal, and then says how to continue.
func TestACallWaitsForATerminal(t *testing.T) {
	write := map[string]any{"environment": "app", "path": "b.txt", "content": "x"}
	w, person := newPlace(t, "restricted", -1)
	p := w.connect(nil)
	p.do("session_start", map[string]any{"sessionId": "s1"})
	p.do("env_attach", map[string]any{"id": "app"})
	if text := p.refused(errs.ApprovalPending, "file_write", write); !strings.Contains(text, "arbor env approve") {
		t.Errorf("the refusal says %q", text)
	}
	w.server.opt.Patience = patience
	done := make(chan map[string]any, 1)
	go func() { done <- p.do("file_write", write) }()
	all, err := ops.ApprovalList(t.Context(), person, ops.ApprovalListIn{})
	if err != nil || len(all.Requests) != 1 {
		t.Fatalf("%d requests, %v", len(all.Requests), err)
	}
	if _, err := ops.Approve(t.Context(), person, ops.ApproveIn{ID: all.Requests[0].ID}); err != nil {
		t.Fatal(err)
	}
	if out := await(t, done, "the call"); out["path"] != "b.txt" {
		t.Errorf("file_write: %v", out)
	}
}
