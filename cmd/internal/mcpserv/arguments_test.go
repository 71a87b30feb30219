package mcpserv

import (
	"fmt"
	"strings"
	"testing"
)

// Prompts that were written for TanmiWorkspace 1.9 work: what means nothing here is named, the rest is taken.
func TestParametersOfTanmiWorkspaceAreTaken(t *testing.T) {
	t.Parallel()
	l := openLine(t, emptyEngine(t), Options{})
	made := l.do("workspace_init", args{"name": "N", "goal": "g", "rules": []any{"r"}, "scenario": "feature", "cwd": "/x"})
	if fmt.Sprint(made["ignored"]) != "[scenario cwd]" {
		t.Errorf("ignored is %v", made["ignored"])
	}
	node := l.do("node_create", args{"parentId": "root", "type": "execution", "title": "T", "requirement": "do it",
		"ruleHash": made["rulesHash"], "isNeedTest": true, "testRequirement": "a unit test",
		"acceptanceCriteria": []any{"it works", args{"given": "a user", "when": "they sign in", "then": "they are in"}}})
	if fmt.Sprint(node["ignored"]) != "[isNeedTest]" {
		t.Errorf("ignored is %v", node["ignored"])
	}
	got := l.do("node_get", args{"nodeId": "T"})["node"].(map[string]any)["requirement"]
	want := "do it\n\n### Acceptance criteria\n\n- it works\n- given a user, when they sign in, then they are in\n\n### Tests\n\n- a unit test"
	if got != want {
		t.Errorf("the requirement is\n%s\nwant\n%s", got, want)
	}
	l.do("log_append", args{"nodeId": node["nodeId"], "event": "by nobody in particular"})
	if log := fmt.Sprint(l.do("node_get", args{"nodeId": "T"})["node"].(map[string]any)["log"]); !strings.Contains(log, "operator:AI") {
		t.Errorf("the operator is not AI: %s", log)
	}
}

// A call with verbose brings what replies leave out; the words of models for numbers and truth values are read.
func TestVerboseBringsFilesAndVersions(t *testing.T) {
	t.Parallel()
	l := openLine(t, emptyEngine(t), Options{})
	l.do("workspace_init", args{"name": "N", "goal": "g"})
	create := args{"parentId": "root", "type": "execution", "title": "T", "requirement": "r"}
	if out := l.do("node_create", create); out["files"] != nil || out["path"] != nil || out["version"] == nil {
		t.Errorf("without verbose: %v", out)
	}
	create["verbose"], create["title"], create["cascade"] = true, "U", "false"
	if out := l.do("node_create", create); out["files"] == nil || out["path"] == nil {
		t.Errorf("with verbose: %v", out)
	}
	if out := l.do("node_list", args{"limit": "1"}); out["shown"] != 1.0 {
		t.Errorf("a limit of \"1\": %v", out)
	}
	brief, whole := l.do("context_get", args{"nodeId": "T"}), l.do("context_get", args{"nodeId": "T", "verbose": "true"})
	if text := fmt.Sprint(brief["chain"]); strings.Contains(text, "lines") || !strings.Contains(text, "file:") {
		t.Errorf("without verbose: %s", text)
	}
	if text := fmt.Sprint(whole["chain"]); !strings.Contains(text, "lines") || !strings.Contains(text, "version") {
		t.Errorf("with verbose: %s", text)
	}
	if text := fmt.Sprint(l.do("context_get", args{"nodeId": "T", "includeLog": "all"})["chain"]); strings.Contains(fmt.Sprint(brief), "created") || !strings.Contains(text, "created") {
		t.Errorf("Arbor's own log lines: %s", text)
	}
}

// A server for reading, or for some tools, offers no others, and refuses them.
func TestOnlyTheToolsThatAreWantedAreOffered(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		opt   Options
		has   string
		lacks string
	}{
		{Options{ReadOnly: true}, "context_get", "node_create"},
		{Options{Tools: []string{"node_list"}}, "node_list", "context_get"},
		{Options{Exclude: []string{"node_delete"}}, "node_list", "node_delete"},
	} {
		l, names := openLine(t, emptyEngine(t), tt.opt), ""
		for _, tool := range l.tools() {
			names += tool.Name + " "
		}
		if !strings.Contains(names, tt.has) || strings.Contains(names, tt.lacks) || l.call(tt.lacks, "{}").fault == "" {
			t.Errorf("%+v offers %s", tt.opt, names)
		}
	}
	if _, err := New(emptyEngine(t), Options{Tools: []string{"node_fly"}}); err == nil || !strings.Contains(err.Error(), "node_fly") {
		t.Errorf("a tool that there is not: %v", err)
	}
}
