package ops_test

import (
	"fmt"
	"strings"
	"testing"

	places "arbor/engine/env"
	"arbor/engine/errs"
	"arbor/engine/ops"
)

// An approval of a program holds for the files that its command names, also behind an interpreter, in an option or in a
// line for a shell: when one changes it is asked for again.
func TestAnApprovalHoldsForTheFilesThatACommandNames(t *testing.T) {
	for what, command := range map[string]string{
		"a program": `["./t.sh"]`, "an interpreter": `["sh","t.sh"]`, "an option": `["sh","-c","exit 0","--file=t.sh"]`,
		"a letter": `["sh","-c","exit 0","-ft.sh"]`, "a line": `["sh","-c","true && sh ./t.sh"]`, "a parameter": `["sh","${script}"]`,
	} {
		t.Run(what, func(t *testing.T) {
			p := newMachine(t, map[string]string{"t.sh": "#!/bin/sh\necho one\n", places.ToolsFile: `[{"id":"run","command":` + command +
				`,"parametersSchema":{"properties":{"script":{"type":"string"}}}}]`})
			p.add("app", places.Restricted, nil)
			who := p.attached("s1")
			call := args{"environment": "app", "tool": "run", "arguments": map[string]any{"script": "t.sh"}}
			if what != "a parameter" {
				delete(call, "arguments")
			}
			p.do(p.person(), "approve", args{"id": p.asked(who, "tool_call", call)})
			p.do(p.person(), "approve", args{"id": p.asked(who, "tool_call", call), "always": true})
			if what != "a program" { // it is no executable
				p.do(who, "tool_call", call)
			}
			p.save("t.sh", "#!/bin/sh\necho nobody approved this\n")
			id := p.asked(who, "tool_call", call)
			all, err := ops.ApprovalList(t.Context(), p.person(), ops.ApprovalListIn{ID: id})
			if err != nil || !strings.Contains(all.Text(), "t.sh, as it is now (SHA-256 ") {
				t.Errorf("the question does not say which file it is about: %v %s", err, all.Text())
			}
		})
	}
}

// Each decision, each file that a tool writes and each program that runs is a line of the session's log, with what lets
// it.
func TestWhatToolsDoIsLogged(t *testing.T) {
	p := newMachine(t, map[string]string{"a.txt": "one\n", places.ToolsFile: twoTools})
	p.add("app", places.Restricted, nil)
	who := p.attached("s1")
	write := args{"environment": "app", "path": "b.txt", "content": "x\u202e" + strings.Repeat("long", 1000)}
	onThePage := p.person()
	onThePage.By = "on the page"
	p.do(onThePage, "approve", args{"id": p.asked(who, "file_write", write), "session": true})
	p.do(who, "file_write", write)
	echo := args{"environment": "app", "tool": "echo", "arguments": map[string]any{"a": "said"}}
	p.do(p.person(), "approve", args{"id": p.asked(who, "tool_call", echo)})
	p.do(p.person(), "approve", args{"id": p.asked(who, "tool_call", echo)})
	p.do(who, "tool_call", echo)
	p.do(who, "file_write", args{"path": "Notes/mine.md", "content": "own"})
	log := fmt.Sprint(p.do(who, "session_load", args{"sessionId": "s1"}))
	for _, want := range []string{
		`approved by a person on the page: a call of file_write in app`, `{"content":"x\u202elong`, "more)", "file_write wrote b.txt (4004 bytes) in app, under the grant ",
		"approved by a person at a terminal: a call of echo in app", `"a":"said"`, "echo ran in app, approved as ",
		"\nresult: exit code 0", "file_write wrote Notes/mine.md (3 bytes)", "under trust full",
	} {
		if !strings.Contains(log, want) {
			t.Errorf("the log does not say %q:\n%s", want, log)
		}
	}
}

// What a tool did to a file is undone by its own id; an undo of the plan takes back what was done to the plan before, and
// leaves the log's line that has the id.
func TestAnUndoOfThePlanLeavesWhatToolsDid(t *testing.T) {
	p := newMachine(t, map[string]string{"a.txt": "one\n"})
	p.add("app", places.Full, nil)
	who := p.attached("s1")
	p.do(who, "node_create", args{"title": "Later", "type": "execution"})
	p.do(who, "file_write", args{"path": "b.txt", "content": "x"})
	if out := fmt.Sprint(p.do(who, "undo", args{})); strings.Contains(out, "b.txt") {
		t.Errorf("the undo is of the file: %s", out)
	}
	if list := fmt.Sprint(p.do(who, "node_list", args{})); strings.Contains(list, "Later") {
		t.Errorf("the plan is as before: %s", list)
	}
	if log := fmt.Sprint(p.do(who, "session_load", args{"sessionId": "s1"})); !strings.Contains(log, "file_write wrote b.txt") || p.text("b.txt") != "x" {
		t.Errorf("the log is %s, the file %q", log, p.text("b.txt"))
	}
}

// Without a session that can have it, a folder is neither registered nor trusted.
func TestAFolderThatCannotBeAttachedIsNotTrusted(t *testing.T) {
	p := newMachine(t, nil)
	in := ops.EnvRegisterIn{URI: "file:.", ID: "app"}
	for _, session := range []string{"", "s1"} {
		if _, err := ops.EnvAttachHere(t.Context(), p.person(), in, ops.SessionRef{SessionID: session}); err == nil || errs.As(err).Code != errs.SessionNotFound {
			t.Fatalf("attached to the session %q: %v", session, err)
		}
	}
	if all := p.do(p.person(), "env_list", args{}); strings.Contains(fmt.Sprint(all), "app") {
		t.Errorf("it is registered: %v", all)
	}
	p.started("s1")
	in.Trust = string(places.Full)
	out, err := ops.EnvAttachHere(t.Context(), p.person(), in, ops.SessionRef{SessionID: "s1"})
	if err != nil || out.Status != places.Active {
		t.Errorf("again, with more trust: %+v, %v", out, err)
	}
	if again, err := ops.EnvAttachHere(t.Context(), p.person(), in, ops.SessionRef{SessionID: "s1"}); err != nil || again.ID != out.ID {
		t.Errorf("twice: %+v, %v", again, err)
	}
}
