package ops_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	places "arbor/engine/env"
	"arbor/engine/errs"
)

const vaultTool = "---\nid: %s\ncommand: %s\n---\n"

// verified returns a machine whose project has an approved tool "wait", which ends with the text of a pipe, and a node
// that is verified by it, started.
func verified(t *testing.T) (p *machine, node, pipe string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no named pipes in folders")
	}
	mkfifo, err := exec.LookPath("mkfifo")
	if err != nil {
		t.Fatal(err)
	}
	p = newMachine(t, map[string]string{
		".tanmi-workspace/tools/wait.md": fmt.Sprintf(vaultTool, "wait", "[cat, pipe]"),
	})
	pipe = filepath.Join(p.project, "pipe")
	if out, err := exec.Command(mkfifo, pipe).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	p.add("app", places.Restricted, args{"tools": []string{"wait"}})
	node = p.do(p.person(), "node_create", args{"title": "Step", "requirement": "R", "criteria": []string{"c", "d"},
		"type": "execution", "verify": []string{"wait"}})["nodeId"].(string)
	p.do(p.person(), "node_transition", args{"nodeId": node, "action": "start"})
	p.do(p.person(), "node_update", args{"nodeId": node, "checked": []string{"1", "2"}})
	e := p.refused(p.person(), errs.VerificationUnavailable, "node_transition", completing(node))
	_, rest, _ := strings.Cut(e.Message, "arbor env approve ")
	id, _, _ := strings.Cut(rest, ";")
	p.do(p.person(), "approve", args{"id": id})
	return p, node, pipe
}

func completing(node string) args {
	return args{"nodeId": node, "action": "complete", "conclusion": "done"}
}

// atWork waits until the tool reads its pipe. release ends the tool.
func atWork(t *testing.T, pipe string, ended <-chan error) (release func()) {
	t.Helper()
	writer := make(chan *os.File, 1)
	go func() {
		f, err := os.OpenFile(pipe, os.O_WRONLY, 0)
		if err != nil {
			t.Error(err)
		}
		writer <- f
	}()
	select {
	case f := <-writer:
		return func() { f.Close() }
	case err := <-ended:
		t.Fatalf("it ends before the tool runs: %v", err)
	}
	return nil
}

// While a tool verifies a node, log lines and other writes leave its result as it is. A change of what it verifies
// makes it void.
func TestOnlyAChangeOfWhatIsVerifiedMakesAVerificationVoid(t *testing.T) {
	for _, x := range []struct {
		what, tool string
		in         args
		want       errs.Code
	}{
		{"a log line", "log_append", args{"event": "found"}, ""},
		{"a note", "node_update", args{"note": "n"}, ""},
		{"tags", "node_update", args{"tags": []string{"x"}}, ""},
		{"an open criterion", "node_update", args{"unchecked": []string{"1"}}, errs.CriteriaOpen},
		{"the requirement", "node_update", args{"requirement": "other"}, errs.Conflicting},
		{"a criterion more", "node_update", args{"criteria": []string{"c", "d", "e"}}, errs.CriteriaOpen},
		{"the title", "node_update", args{"title": "other"}, errs.Conflicting},
		{"verify", "node_update", args{"verify": []string{"wait", "more"}}, errs.Conflicting},
	} {
		t.Run(x.what, func(t *testing.T) {
			p, node, pipe := verified(t)
			ended := make(chan error, 1)
			go func() {
				_, err := p.try(p.person(), "node_transition", completing(node))
				ended <- err
			}()
			release := atWork(t, pipe, ended)
			x.in["nodeId"] = node
			p.do(p.person(), x.tool, x.in)
			release()
			err := <-ended
			if e := errs.As(err); x.want == "" && err != nil || x.want != "" && (e == nil || e.Code != x.want) {
				t.Errorf("%s meanwhile: %v, want %q", x.what, err, x.want)
			}
		})
	}
}

// A wrong definition of a tool is named by check and where the tool is called.
func TestARefusalSaysWhyAToolIsNotThere(t *testing.T) {
	p := newMachine(t, map[string]string{
		".tanmi-workspace/tools/bad.md": "---\nid: bad\ncommand: [test]\n---\n\n```json\n{\"properties\": {\"n\": 5}}\n```\n",
		".tanmi-workspace/tools/off.md": fmt.Sprintf(vaultTool, "off", "[test]"),
		places.ToolsFile:                `[{"id": "own", "command": "a line"}, {"id": "fine", "command": ["true"]}]`,
	})
	p.add("app", places.Restricted, args{"tools": []string{"bad", "own", "fine"}})
	who := p.attached("s1")
	for tool, why := range map[string]string{
		"bad": "tools/bad.md defines it, but parametersSchema", "own": places.ToolsFile + " defines it, but tool 1 (own)",
		"off": "tools/off.md defines it, but the tools of the environment app do not list it",
	} {
		for _, in := range []args{{"tool": tool}, {"tool": tool, "environment": "app"}} {
			if e := p.refused(who, errs.ToolNotFound, "tool_call", in); !strings.Contains(e.Message, why) {
				t.Errorf("%v: %s; want %q", in, e.Message, why)
			}
		}
		node := p.do(p.person(), "node_create", args{"title": tool, "type": "execution", "verify": []string{tool}})["nodeId"]
		p.do(p.person(), "node_transition", args{"nodeId": node, "action": "start"})
		e := p.refused(p.person(), errs.VerificationUnavailable, "node_transition", completing(node.(string)))
		if !strings.Contains(e.Message, why) {
			t.Errorf("verify %s: %s; want %q", tool, e.Message, why)
		}
	}
	found := fmt.Sprint(p.do(p.person(), "workspace_check", args{})["diagnostics"])
	for _, file := range []string{"tools/bad.md", places.ToolsFile} {
		if !strings.Contains(found, file) {
			t.Errorf("check does not name %s: %s", file, found)
		}
	}
	if strings.Contains(found, "off.md") {
		t.Errorf("check names a sound definition: %s", found)
	}
}

// A tool more in the list of an environment asks for trust in the environment again, and not for the tools that it had.
func TestAToolMoreLeavesApprovalsAsTheyAre(t *testing.T) {
	p := newMachine(t, map[string]string{places.ToolsFile: twoTools})
	p.add("app", places.Restricted, args{"tools": []string{"look"}})
	who := p.attached("s1")
	look := args{"tool": "look"}
	p.do(p.person(), "approve", args{"id": p.asked(who, "tool_call", look)})
	p.do(who, "tool_call", look)

	const file = ".tanmi-workspace/environments/app.md"
	list := func(tools string) {
		p.save(file, strings.Replace(p.text(file), "tools: [look]", "tools: "+tools, 1))
		p.refused(who, errs.EnvironmentUntrusted, "tool_call", look)
		p.do(p.person(), "env_trust", args{"id": "app"})
	}
	list("[look, echo]")
	p.do(who, "tool_call", look)
	p.asked(who, "tool_call", args{"tool": "echo"})
}
