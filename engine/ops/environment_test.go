package ops_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	places "arbor/engine/env"
	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/mdstore"
)

const twoTools = `{"tools": [
	{"id": "echo", "name": "echo", "description": "prints its words", "command": ["printf", "%s|", "${a}", "${b}"],
	 "parametersSchema": {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}}},
	{"id": "look", "name": "look", "command": ["cat", "a.txt"], "readOnly": true}
]}`

// eachCall is one call of each tool.
var eachCall = map[string]args{
	"file_read": {"path": "a.txt"}, "file_list": {}, "file_search": {"pattern": "one"},
	"file_write": {"path": "new.txt", "content": "x"}, "file_edit": {"path": "a.txt", "old": "one", "new": "two"},
	"file_delete": {"path": "a.txt"}, "echo": {"tool": "echo"}, "look": {"tool": "look"},
}

// Each tool at each level of trust: what reads runs, what writes asks or is refused, and nothing runs where nobody
// trusts.
func TestLevelsDecideWhatRuns(t *testing.T) {
	reads := []string{"file_read", "file_list", "file_search"}
	for _, level := range []places.Level{places.Full, places.Restricted, places.ReadOnly, ""} {
		for name, call := range eachCall {
			t.Run(string(level)+" "+name, func(t *testing.T) {
				p := newMachine(t, map[string]string{"a.txt": "one\n", places.ToolsFile: twoTools})
				who := p.started("s1")
				if level == "" {
					p.do(who, "env_register", args{"uri": "file:.", "id": "app"})
				} else {
					p.add("app", level, nil)
				}
				p.do(who, "env_attach", args{"id": "app"})
				in, tool := args{"environment": "app"}, name
				for k, v := range call {
					in[k] = v
				}
				if in["tool"] != nil {
					tool = "tool_call"
				}
				want := errs.Code("")
				switch read := strings.Contains(strings.Join(reads, " "), name); {
				case level == "":
					want = errs.EnvironmentUntrusted
				case level == places.ReadOnly && !read:
					want = errs.ToolRefused
				case level == places.Restricted && !read:
					want = errs.ApprovalPending
				case tool == "tool_call":
					want = errs.ApprovalPending // its definition
				}
				if strings.HasPrefix(name, "file_edit") || name == "file_delete" {
					_, _ = p.try(who, "file_read", args{"environment": "app", "path": "a.txt"})
				}
				if got := p.code(who, tool, in); got != want {
					t.Fatalf("%s at %q: %q, want %q", name, level, got, want)
				}
				if want != "" && p.text("a.txt")+p.text("new.txt") != "one\n" {
					t.Error("a file changed")
				}
			})
		}
	}
}

// An approval is of one call with these arguments and this version of the file, for ten minutes.
func TestAnApprovalIsOfOneCall(t *testing.T) {
	p := newMachine(t, map[string]string{"a.txt": "one\n"})
	p.add("app", places.Restricted, nil)
	who := p.attached("s1")
	write := func(text string) args { return args{"environment": "app", "path": "b.txt", "content": text} }
	id := p.asked(who, "file_write", write("x"))
	if again := p.asked(who, "file_write", write("x")); again != id {
		t.Errorf("the same call asks anew: %s and %s", id, again)
	}
	p.do(p.person(), "approve", args{"id": id})
	p.asked(who, "file_write", write("y"))
	p.asked(p.attached("s2"), "file_write", write("x"))
	p.do(who, "file_write", write("x"))
	if p.text("b.txt") != "x" {
		t.Errorf("b.txt is %q", p.text("b.txt"))
	}
	if log := p.text(".tanmi-workspace"); log != "" {
		t.Error("the vault is a file")
	}
	p.refused(p.person(), errs.RequestNotFound, "approve", args{"id": id})

	edit := args{"environment": "app", "path": "b.txt", "old": "x", "new": "y"}
	p.do(p.person(), "approve", args{"id": p.asked(who, "file_edit", edit)})
	p.save("b.txt", "x, by a person")
	if got := p.code(who, "file_edit", edit); got != errs.Conflicting {
		t.Errorf("an edit of a file that changed meanwhile: %q", got)
	}
	p.asked(who, "file_edit", edit)
	p.save("b.txt", "x")
	p.now = p.now.Add(11 * time.Minute)
	p.do(who, "file_read", args{"environment": "app", "path": "b.txt"})
	last := p.asked(who, "file_edit", edit)
	p.do(p.person(), "deny", args{"id": last})
	p.refused(who, errs.ApprovalDenied, "file_edit", edit)
	if p.text("b.txt") != "x" {
		t.Errorf("b.txt is %q", p.text("b.txt"))
	}
	if got := p.do(p.person(), "env_list", args{"sessionId": "s1"}); len(got["environments"].([]any)) != 2 {
		t.Errorf("env_list: %v", got)
	}
}

// What nobody answers is no request any more after a day.
func TestAnUnansweredRequestEnds(t *testing.T) {
	p := newMachine(t, nil)
	p.add("app", places.Restricted, nil)
	who := p.attached("s1")
	id := p.asked(who, "file_write", args{"environment": "app", "path": "b.txt", "content": "x"})
	p.now = p.now.Add(25 * time.Hour)
	p.refused(p.person(), errs.RequestNotFound, "approve", args{"id": id})
}

// A grant covers the files of its pattern, for the session or for every one, until it is revoked.
func TestGrantsReachAsFarAsTheySay(t *testing.T) {
	p := newMachine(t, map[string]string{"src/a.txt": "one\n"})
	p.add("app", places.Restricted, nil)
	s1, s2 := p.attached("s1"), p.attached("s2")
	write := func(path string) args { return args{"environment": "app", "path": path, "content": path} }
	p.do(p.person(), "approve", args{"id": p.asked(s1, "file_write", write("src/b.txt")), "session": true, "paths": "src/**"})
	p.do(s1, "file_write", write("src/b.txt"))
	p.do(s1, "file_write", write("src/deep/c.txt"))
	p.asked(s1, "file_write", write("d.txt"))
	p.asked(s2, "file_write", write("src/d.txt"))
	p.asked(s1, "file_delete", args{"environment": "app", "path": "src/b.txt"})
	p.do(p.person(), "approve", args{"id": p.asked(s2, "file_write", write("src/d.txt")), "always": true, "paths": "src/**"})
	p.do(s2, "file_write", write("src/d.txt"))
	p.do(p.attached("s3"), "file_write", write("src/e.txt"))
	for _, g := range p.do(p.person(), "env_grants", nil)["grants"].([]any) {
		p.do(p.person(), "env_grants", args{"revoke": g.(map[string]any)["id"]})
	}
	p.asked(s1, "file_write", write("src/f.txt"))
}

// What came with a clone runs nothing: neither its environments nor its tools, whatever their files say.
func TestACloneRunsNothing(t *testing.T) {
	mark := filepath.Join(t.TempDir(), "ran")
	vault := ".tanmi-workspace/"
	p := newMachine(t, map[string]string{
		vault + "environments/app.md": "---\nid: app\nuri: file:.\nhost: server\ntrust: full\n---\n",
		vault + "tools/evil.md":       "---\nid: evil\nname: evil\ncommand:\n  - touch\n  - " + mark + "\nreadOnly: true\n---\n",
		places.ToolsFile:              `{"tools": [{"id": "worse", "name": "worse", "command": ["touch", "` + mark + `"], "readOnly": true}]}`,
	})
	who := p.attached("s1")
	for _, tool := range []string{"worse", "evil", "file_read"} {
		if tool == "file_read" {
			p.refused(who, errs.EnvironmentUntrusted, tool, args{"environment": "app", "path": "a.txt"})
			continue
		}
		if got := p.code(who, "tool_call", args{"tool": tool}); got != errs.EnvironmentUntrusted && got != errs.ToolNotFound {
			t.Errorf("%s: %q", tool, got)
		}
	}
	p.refused(who, errs.ToolRefused, "env_register", args{"uri": "file:."}) // it asks for full trust
	p.do(p.person(), "env_trust", args{"id": "app"})
	first := p.asked(who, "tool_call", args{"tool": "worse"})
	if _, err := os.Stat(mark); err == nil {
		t.Fatal("a program of the clone ran")
	}
	p.do(p.person(), "deny", args{"id": first})

	p.save(vault+"environments/app.md", "---\nid: app\nuri: file:..\nhost: server\ntrust: full\n---\n")
	p.open()
	if got := p.code(p.assistant("s1"), "file_read", args{"environment": "app", "path": "a.txt"}); got != errs.EnvironmentUntrusted && got != errs.EnvironmentMissing {
		t.Errorf("another root under a trusted id: %q", got)
	}
}

// A definition is approved as it is: another one, or another program in the root, asks again.
func TestAChangedDefinitionAsksAgain(t *testing.T) {
	p := newMachine(t, map[string]string{
		"run.sh":         "#!/bin/sh\necho first\n",
		places.ToolsFile: `{"tools": [{"id": "go", "name": "go", "command": ["./run.sh"]}]}`,
	})
	if err := os.Chmod(filepath.Join(p.project, "run.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	p.add("app", places.Full, nil)
	who := p.attached("s1")
	call := args{"tool": "go"}
	p.do(p.person(), "approve", args{"id": p.asked(who, "tool_call", call)})
	if got := p.do(who, "tool_call", call); got["output"] != "first\n" {
		t.Fatalf("the tool: %v", got)
	}
	p.save("run.sh", "#!/bin/sh\necho second\n")
	p.asked(who, "tool_call", call)
	p.save("run.sh", "#!/bin/sh\necho first\n")
	p.do(who, "tool_call", call)
	p.save(places.ToolsFile, `{"tools": [{"id": "go", "name": "go", "command": ["./run.sh", "now"]}]}`)
	p.asked(who, "tool_call", call)
}

// Arguments arrive as they are, each as one.
func TestArgumentsArriveAsTheyAre(t *testing.T) {
	p := newMachine(t, map[string]string{places.ToolsFile: twoTools})
	p.add("app", places.Full, nil)
	who := p.attached("s1")
	hostile := "-rf \"$(touch x)\" 'a'\n; `b`"
	call := args{"tool": "echo", "arguments": args{"a": hostile, "b": 5}}
	p.do(p.person(), "approve", args{"id": p.asked(who, "tool_call", call)})
	if got := p.do(who, "tool_call", call); got["output"] != hostile+"|5|" {
		t.Errorf("the program got %q", got["output"])
	}
	p.refused(who, errs.InvalidParams, "tool_call", args{"tool": "echo", "arguments": args{"c": 1}})
}

// Two sessions have folders, tools and counters of their own.
func TestSessionsShareNothing(t *testing.T) {
	p := newMachine(t, map[string]string{"one/a.txt": "of one\n", "two/a.txt": "of two\n"})
	p.add("app", places.Full, nil)
	s1, s2 := p.started("s1"), p.started("s2")
	p.do(s1, "env_attach", args{"id": "app", "folder": "one"})
	p.do(s2, "env_attach", args{"id": "app", "folder": "two", "tools": []string{"file_read"}})
	p.do(s2, "env_attach", args{"id": "app", "folder": "two", "tools": []string{"file_read"}}) // twice is once
	read := args{"environment": "app", "path": "a.txt"}
	for who, want := range map[string]string{"s1": "of one", "s2": "of two"} {
		env := map[string]*ops.Env{"s1": s1, "s2": s2}[who]
		for range places.MaxSame {
			if got := fmt.Sprint(p.do(env, "file_read", read)); !strings.Contains(got, want) {
				t.Errorf("%s reads %s", who, got)
			}
		}
		p.refused(env, errs.LoopDetected, "file_read", read)
		p.do(env, "file_read", args{"environment": "app", "path": "a.txt", "limit": 1})
	}
	p.do(s1, "file_write", args{"environment": "app", "path": "b.txt", "content": "x"})
	if p.text("one/b.txt") != "x" {
		t.Error("the folder of a session does not count")
	}
	p.refused(s2, errs.ToolNotFound, "file_write", args{"environment": "app", "path": "b.txt", "content": "x"})
	p.do(s1, "file_write", args{"path": "Notes/mine.txt", "content": "x"})
	p.refused(s2, errs.FileNotFound, "file_read", args{"path": "Notes/mine.txt"})
	if got := fmt.Sprint(p.do(s1, "file_read", args{"path": "a.txt", "limit": 2})); !strings.Contains(got, "of one") {
		t.Errorf("a call that names no environment reads %s", got)
	}
	p.do(s1, "file_write", args{"path": "Notes/only.txt", "content": "x"})
	p.save("one/Notes/theirs.txt", "x")
	if e := p.refused(s1, errs.FileNotFound, "file_read", args{"path": "Notes/theirs.txt"}); !strings.Contains(e.Message, "app") {
		t.Errorf("a file of an attached environment: %v", e)
	}
	p.do(s1, "env_detach", args{"id": "app"})
	p.refused(s1, errs.EnvironmentNotFound, "file_read", args{"environment": "nope", "path": "a.txt"})
}

// Only a person decides, at a terminal that no tool runs.
func TestOnlyAPersonDecides(t *testing.T) {
	p := newMachine(t, map[string]string{"a.txt": "one\n"})
	p.add("app", places.Restricted, nil)
	who := p.attached("s1")
	id := p.asked(who, "file_write", args{"environment": "app", "path": "b.txt", "content": "x"})
	tool := p.person()
	tool.Caller = ops.ByPerson
	ai := p.person()
	ai.Operator = "AI"
	for name, env := range map[string]*ops.Env{"an assistant": who, "a tool": tool, "an AI at a terminal": ai} {
		t.Run(name, func(t *testing.T) {
			p.refused(env, errs.ToolRefused, "approve", args{"id": id})
			p.refused(env, errs.ToolRefused, "deny", args{"id": id})
			p.refused(env, errs.ToolRefused, "env_trust", args{"id": "app"})
			p.refused(env, errs.ToolRefused, "env_restore", args{"id": "app", "uri": "file:src"})
			p.refused(env, errs.ToolRefused, "env_register", args{"uri": "file:.tanmi-workspace", "trust": "full"})
		})
	}
	p.refused(p.person(), errs.ToolRefused, "env_register", args{"uri": "file://" + filepath.ToSlash(p.home), "trust": "full"})
	p.refused(p.person(), errs.ToolRefused, "env_register", args{"uri": "file:///", "trust": "full"})
	p.refused(who, errs.ToolRefused, "env_undo", args{"id": "x"})
}

// A file that the session has not read is not written over unseen; what was replaced can be had back.
func TestWhatIsReplacedCanBeHadBack(t *testing.T) {
	p := newMachine(t, map[string]string{"a.txt": "by a person\r\n", "arbor.toml": "x = 1\n", ".git/config": "x"})
	p.add("app", places.Full, nil)
	who := p.attached("s1")
	write := args{"environment": "app", "path": "a.txt", "content": "by an assistant\n"}
	p.refused(who, errs.Conflicting, "file_write", write)
	out := p.do(who, "file_write", write)
	if got := p.text("a.txt"); got != "by an assistant\r\n" {
		t.Errorf("a.txt is %q", got)
	}
	p.do(p.person(), "env_undo", args{"id": out["undo"]})
	if got := p.text("a.txt"); got != "by a person\r\n" {
		t.Errorf("taken back it is %q", got)
	}
	for _, path := range []string{"arbor.toml", ".git/config", ".monad/tools.json", ".tanmi-workspace/x.md", ".Git/hooks/x"} {
		p.refused(who, errs.PathProtected, "file_write", args{"environment": "app", "path": path, "content": "x"})
	}
	for _, path := range []string{"../out", "/etc/passwd", "a/../../out"} {
		p.refused(who, errs.PathOutside, "file_write", args{"environment": "app", "path": path, "content": "x"})
	}
}

// What an assistant asks for is a person's to give; given, the session has it, and removing it touches no file.
func TestAccessIsGivenByAPerson(t *testing.T) {
	p := newMachine(t, map[string]string{"a.txt": "one\n"})
	who := p.started("s1")
	got := p.do(who, "env_register", args{"uri": "file:.", "id": "app"})
	if got["status"] != string(places.Untrusted) || got["request"] == nil {
		t.Fatalf("env_register: %v", got)
	}
	p.do(p.person(), "deny", args{"id": got["request"]})
	asked := p.do(who, "access_request", args{"environment": "app", "reason": "to read the text"})
	p.do(p.person(), "approve", args{"id": asked["request"]})
	p.do(who, "file_read", args{"environment": "app", "path": "a.txt"})
	if log := p.do(who, "session_load", args{"sessionId": "s1"}); !strings.Contains(fmt.Sprint(log), "approved by a person") {
		t.Errorf("the session's log has no line of the decision: %v", log)
	}
	p.do(p.person(), "env_remove", args{"id": "app"})
	if p.text("a.txt") != "one\n" {
		t.Error("a file is gone")
	}
	p.refused(who, errs.EnvironmentNotFound, "file_read", args{"environment": "app", "path": "a.txt"})
}

// An environment in the project is a file of the vault, for whoever gets that; any other is of this machine alone.
func TestAnEnvironmentIsKeptWhereItsFolderIs(t *testing.T) {
	p := newMachine(t, map[string]string{"a.txt": "one\n"})
	outside := t.TempDir()
	for id, c := range map[string]struct {
		uri  string
		kept bool // in the vault
	}{"inside": {"file:.", true}, "outside": {"file://" + filepath.ToSlash(outside), false}} {
		p.do(p.person(), "env_register", args{"uri": c.uri, "id": id})
		f, err := p.person().Engine.RawFile(t.Context(), mdstore.EnvironmentKind.FileFor("environments", id))
		if err != nil || (len(f) > 0) != c.kept {
			t.Errorf("%s: its file in the vault is %q, %v", id, f, err)
		}
		found := false
		for _, e := range p.do(p.person(), "env_list", nil)["environments"].([]any) {
			found = found || e.(map[string]any)["id"] == id
		}
		if !found {
			t.Errorf("%s is not listed", id)
		}
	}
}

// An environment that is removed leaves no session's list behind, and a session that has ended waits for no
// approval and is given none.
func TestWhatIsGoneIsLeftNowhere(t *testing.T) {
	p := newMachine(t, map[string]string{"a.txt": "one\n"})
	p.add("app", places.Restricted, nil)
	who := p.attached("s1")
	id := p.asked(who, "file_write", args{"environment": "app", "path": "b.txt", "content": "x"})
	has := func() bool { return strings.Contains(fmt.Sprint(p.do(who, "env_list", nil)), "app") }
	if !has() {
		t.Error("app is not attached")
	}
	other := p.attached("s2")
	p.do(other, "session_end", nil)
	late := p.asked(who, "file_write", args{"environment": "app", "path": "c.txt", "content": "x"})
	p.do(p.person(), "approve", args{"id": late})
	listed := func() bool { return strings.Contains(fmt.Sprint(p.do(p.person(), "approval_list", nil)), id) }
	if !listed() {
		t.Error("the request is not listed")
	}
	p.do(who, "session_end", nil)
	if listed() {
		t.Error("the request of a session that has ended is listed")
	}
	if _, err := p.try(p.person(), "approval_list", args{"id": id}); err == nil || !strings.Contains(err.Error(), "has ended") {
		t.Errorf("listed by its id: %v", err)
	}
	_, err := p.try(p.person(), "approve", args{"id": id})
	if err == nil || !strings.Contains(err.Error(), "has ended") {
		t.Errorf("approved: %v", err)
	}
	if _, err := p.try(p.person(), "deny", args{"id": id}); err != nil {
		t.Error(err)
	}
	who = p.attached("s3")
	p.do(p.person(), "env_remove", args{"id": "app"})
	if has() {
		t.Errorf("it is still there: %v", p.do(who, "env_list", nil))
	}
}
