package web

import (
	"os"
	"strings"
	"testing"

	"arbor/mdstore"
)

// axe-core finds no accessibility problems: in each view of a plan that is worked on, with what can be opened open, in
// dialogs, in menus and in an empty vault, in light and dark colours. ARBOR_AXE is the path of axe.min.js from its npm
// package. Without ARBOR_HEAVY=1, dark colours are only looked at in views.
func TestEverybodyCanUseThePage(t *testing.T) {
	file := os.Getenv("ARBOR_AXE")
	if file == "" {
		t.Skip("ARBOR_AXE names no axe.min.js; .ci/run installs it: npm install axe-core")
	}
	axe, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	r := newRelease(t)
	r.follow() // the activity has what happens
	r.do("state_save", map[string]any{"workspaceId": r.ws, "sessionId": "writer", "name": "Half done", "activeTask": "The notes", "nextSteps": []string{"Read them"}})
	r.saved(r.id["Roadmap until summer"], "status: pending", "status: pendign") // a problem that check finds
	r.engine.Refresh()
	b := newBrowser(t)
	p := b.open(r.world, "/")
	good := func(what string) {
		t.Helper()
		p.eval(string(axe) + "; 0")
		found := p.eval(`axe.run().then((r) => r.violations.map((v) => v.id + ": " + v.help + "\n  " + v.nodes.map((n) => n.html + " " + n.failureSummary).join("\n  ")).join("\n"))`)
		if found != "" {
			t.Errorf("%s:\n%s", what, found)
		}
	}
	node := r.id["Signed archives"]
	for _, dark := range []bool{false, true} {
		p.dark(dark)
		for _, path := range []string{"/node/none", "/", "/?lang=zh", "/?lang=en", "/plan", "/plan?filter=is:ready", "/plan?node=" + node, "/board", "/board?by=branch",
			"/graph", "/node/" + node, "/node/" + node + "?tab=context", "/node/root", "/activity", "/search?q=signed", "/memory", "/slot/decisions",
			"/sessions", "/session/writer", "/approvals", "/check"} {
			p.visit(path)
			p.eval(`for (const e of document.querySelectorAll("main details")) e.open = true`)
			p.until(`[...document.querySelectorAll("main details[data-part] > div")].every((e) => e.childNodes.length)`)
			if path == "/node/"+node {
				p.click("[data-edit=requirement]")
			}
			good(path)
		}
		if dark && os.Getenv("ARBOR_HEAVY") == "" {
			continue
		}
		p.visit("/node/" + node)
		p.click("[data-edit=requirement]")
		p.click("button|Preview")
		p.until(`document.querySelector(".preview")`)
		good("a preview")
		p.eval(`localStorage.clear()`)
		for _, opens := range []string{"[data-rename]|Properties", "[data-move]", "[data-delete]", "[data-problem]", "[data-action=complete]", "[data-rename]|Priority"} {
			p.visit("/node/" + node)
			p.click(opens)
			p.until(`document.querySelector("#ask")?.open`)
			good(opens)
		}
		p.visit("/node/root")
		p.click("button|New node below")
		p.until(`document.querySelector("#ask")?.open`)
		good("a new node")
		p.visit("/plan")
		p.keys("?")
		p.until(`document.querySelector("#keys").open`)
		good("the keys")
		p.visit("/plan")
		p.keys("ArrowDown", "ArrowDown", "x", "Enter", "Control+k")
		p.until(`document.querySelector("#palette li") && document.querySelector("#adding") && !document.querySelector("#chosen").hidden`)
		good("the palette, a row that is chosen and one that is added")
		p.size(390, 800)
		p.visit("/plan")
		p.click("button|More")
		p.until(`document.querySelector("#rest").matches(":popover-open")`)
		good("the menu of a phone")
		p.size(1280, 900)
	}
	for _, said := range p.said() {
		if !strings.Contains(said, "404") || !strings.HasSuffix(said, "/node/none") { // it is asked for, and drawn again
			t.Errorf("the console says %q", said)
		}
	}
	w := newWorld(t, map[mdstore.Path][]byte{})
	p = b.open(w, "/")
	good("an empty vault")
}
