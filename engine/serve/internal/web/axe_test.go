package web

import (
	"os"
	"testing"
)

// axe-core finds no accessibility problems. ARBOR_AXE is the path of axe.min.js from its npm package.
func TestEverybodyCanUseThePage(t *testing.T) {
	file := os.Getenv("ARBOR_AXE")
	if file == "" {
		t.Skip("ARBOR_AXE names no axe.min.js; .ci/run installs it: npm install axe-core")
	}
	axe, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, nil)
	b := newBrowser(t)
	w.follow() // the activity has what happens
	ws, first, second := w.plan()
	w.do("node_transition", map[string]any{"workspaceId": ws, "nodeId": first, "action": "start"})
	w.do("node_update", map[string]any{"workspaceId": ws, "nodeId": first, "requirement": "# One\n\n- [x] done\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```\ncode\n```"})
	w.do("memory_save", map[string]any{"workspaceId": ws, "slot": "decisions", "text": "We use Postgres"})
	w.do("session_start", map[string]any{"workspaceId": ws, "name": "Monday"})
	w.saved(second, "status: pending", "status: pendign") // a problem that check finds
	w.engine.Refresh()
	p := b.open(w, "/")
	for _, dark := range []bool{false, true} {
		p.dark(dark)
		for _, path := range []string{"/", "/?lang=zh", "/?lang=en", "/plan", "/board", "/graph", "/node/" + first, "/node/" + first + "?tab=context", "/node/root", "/plan?node=" + first, "/activity", "/search?q=shop", "/memory",
			"/slot/decisions", "/sessions", "/approvals", "/check"} {
			p.visit(path)
			p.eval(`for (const e of document.querySelectorAll("main details")) e.open = true`)
			if path == "/node/"+first {
				p.click("[data-edit=requirement]")
			}
			p.eval(string(axe) + "; 0")
			found := p.eval(`axe.run().then((r) => r.violations.map((v) => v.id + ": " + v.help + "\n  " + v.nodes.map((n) => n.html + " " + n.failureSummary).join("\n  ")).join("\n"))`)
			if found != "" {
				t.Errorf("%s, dark %v:\n%s", path, dark, found)
			}
		}
	}
	p.visit("/node/root")
	p.click("button|New node below")
	p.eval(string(axe) + "; 0")
	if found := p.eval(`axe.run().then((r) => r.violations.map((v) => v.id + ": " + v.nodes.map((n) => n.html).join()).join("\n"))`); found != "" {
		t.Errorf("a dialog:\n%s", found)
	}
	p.visit("/plan")
	p.keys("ArrowDown", "ArrowDown", "x", "Enter", "Control+k")
	p.until(`document.querySelector("#palette li") && document.querySelector("#adding") && !document.querySelector("#chosen").hidden`)
	p.eval(string(axe) + "; 0")
	if found := p.eval(`axe.run().then((r) => r.violations.map((v) => v.id + ": " + v.nodes.map((n) => n.html).join()).join("\n"))`); found != "" {
		t.Errorf("the palette, a row that is chosen and one that is added:\n%s", found)
	}
}
