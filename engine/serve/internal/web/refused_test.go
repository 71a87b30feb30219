package web

import (
	"strings"
	"testing"

	"arbor/engine/ops"
)

// An error speaks of nodes by their titles and of buttons by their names, not of ids and commands.
func TestAnErrorSpeaksOfTitlesAndButtons(t *testing.T) {
	w := newWorld(t, nil)
	b := newBrowser(t)
	w.follow()
	ws, first, _ := w.plan()
	p := b.open(w, "/plan")
	p.keys("ArrowDown", "ArrowDown", "ArrowDown", "Alt+ArrowRight") // Shop below Design, which is a task
	p.until(`!document.querySelector("#said").hidden`)
	said := p.eval(`document.querySelector("#said").innerText`).(string)
	if !strings.HasPrefix(said, "Design: an execution node has no children") || !strings.Contains(said, "“New node below”") ||
		strings.Contains(said, "node-") || strings.Contains(said, "arbor ") {
		t.Errorf("it says %q", said)
	}
	p.said() // the browser tells of the refusal
	for _, title := range []string{"Walls", "Paint"} {
		w.do("node_create", map[string]any{"workspaceId": ws, "parentId": "root", "title": title, "type": "execution"})
	}
	w.do("node_transition", map[string]any{"workspaceId": ws, "nodeId": "Walls", "action": "start"})
	w.do("node_update", map[string]any{"workspaceId": ws, "nodeId": "Paint", "dependencies": []string{"Walls"}})
	for _, c := range []struct {
		operation, want string
		args            map[string]any
	}{
		{"node_update", "Desing: no such node; did you mean Design", map[string]any{"nodeId": "Shop", "dependencies": []string{"Desing"}}},
		{"node_move", "root: the root stays", map[string]any{"nodeId": "root", "newParentId": first}},
		{"node_transition", "repeat this with --force (at the command line)", map[string]any{"nodeId": "Paint", "action": "start"}},
		{"node_transition", "Design: cannot complete", map[string]any{"nodeId": first, "action": "complete"}},
	} {
		c.args["workspaceId"] = ws
		if _, said := w.post("/do/"+c.operation, c.args); !strings.Contains(said, c.want) || strings.Contains(said, "node-") {
			t.Errorf("%s %v: %s", c.operation, c.args, said)
		}
	}
}

// Findings of check name nodes by their titles, too.
func TestFindingsSpeakOfTitles(t *testing.T) {
	w := newWorld(t, nil)
	ws, first, second := w.plan()
	w.do("node_update", map[string]any{"workspaceId": ws, "nodeId": second, "dependencies": []string{first}})
	w.do("node_transition", map[string]any{"workspaceId": ws, "nodeId": first, "action": "start"})
	w.do("node_transition", map[string]any{"workspaceId": ws, "nodeId": first, "action": "fail", "conclusion": "No paint"})
	for _, path := range []string{"/node/" + second, "/check"} {
		_, said := w.get(path)
		if at := strings.Index(said, "it waits for Design, which is failed"); at < 0 {
			t.Errorf("%s: %s", path, said)
		}
	}
}

// The number in the title of the window and in the menu has questions, problems and nodes in validation, too, in each
// view and as they come and go.
func TestTheTitleHasTheNumberThatWaits(t *testing.T) {
	w := newWorld(t, nil)
	b := newBrowser(t)
	w.follow()
	ws, first, second := w.plan()
	p := b.open(w, "/plan")
	w.assistant("s20", "log_append", &ops.LogAppendIn{In: ops.In{WorkspaceID: ws}, NodeID: second, Event: "Which colour?", Question: true})
	p.until(`document.title.startsWith("(1) ") && document.querySelector("#waits").innerText === "1"`)
	w.do("problem_update", map[string]any{"workspaceId": ws, "nodeId": first, "problem": "No paint"})
	p.until(`document.title.startsWith("(2) ")`)
	p.visit("/memory")
	p.until(`document.title.startsWith("(2) ")`)
	w.do("problem_clear", map[string]any{"workspaceId": ws, "nodeId": first})
	p.until(`document.title.startsWith("(1) ")`)
}

// A node whose status is not in the life cycle is not listed under "At work", and does not count as running.
func TestAnUnknownStatusIsNoWork(t *testing.T) {
	w := newWorld(t, nil)
	_, first, _ := w.plan()
	w.saved(first, "status: pending", "status: done")
	w.engine.Refresh()
	if said := words(w.section("At work")); strings.Contains(said, "Design") {
		t.Errorf("at work: %s", said)
	}
	if said := words(w.section("Progress")); !strings.Contains(said, "0 done · 2 open of 2 nodes") {
		t.Errorf("progress: %s", said)
	}
}
