package web

import (
	"strings"
	"testing"
)

// A node is named by its title wherever the page asks for one, also where a comma is in it: what is typed offers nodes.
// Dependencies are shown by title.
func TestDependenciesAreNamedByTitle(t *testing.T) {
	w := newWorld(t, nil)
	b := newBrowser(t)
	w.follow()
	ws, first, second := w.plan()
	cellar := w.do("node_create", map[string]any{"workspaceId": ws, "parentId": "root", "title": "Water off, in the cellar, too",
		"type": "execution"})["nodeId"].(string)
	p := b.open(w, "/node/"+first)
	p.click("[data-rename=dependencies]")
	p.until(`document.activeElement.matches("#ask textarea")`)
	p.write("water")
	p.until(`document.querySelector("#ask .choices li")`)
	p.keys("Enter")
	p.until(`document.activeElement.value === "Water off, in the cellar, too\n"`)
	p.write("Sho")
	p.until(`document.querySelector("#ask .choices li")?.innerText === "Shop"`)
	p.keys("Enter", "Control+Enter")
	p.until(`document.querySelector("[data-rename=dependencies]").innerText === "Depends on: Water off, in the cellar, too, Shop"`)
	if facts := p.eval(`document.querySelector(".facts").innerText`).(string); strings.Contains(facts, "node-") ||
		!strings.Contains(facts, "waits for Water off, in the cellar, too, Shop") {
		t.Errorf("below the title stands %q", facts)
	}
	if said := w.says(first); !strings.Contains(said, cellar) || !strings.Contains(said, second) {
		t.Errorf("the file says\n%s", said)
	}
	p.click("[data-rename=dependencies]")
	p.until(`document.querySelector("#ask textarea")?.value === "Water off, in the cellar, too\nShop\n"`)
	p.write("Half a na")
	p.click("#ask button|Cancel") // gives up what was typed: the field shows what the node has
	p.until(`!document.querySelector("#ask")`)
	p.click("[data-rename=dependencies]")
	p.until(`document.querySelector("#ask textarea")?.value === "Water off, in the cellar, too\nShop\n"`)
	p.keys("Escape")
	p.visit("/node/" + second)
	p.click("[data-move]")
	p.until(`document.activeElement.matches("#ask input")`)
	p.write("Website")
	p.keys("Enter")
	p.until(`!document.querySelector("#ask")`)
}

// A person writes acceptance criteria on the page; ticks stay. References to nodes are added and removed there, too.
func TestAPersonWritesCriteriaAndReferences(t *testing.T) {
	w := newWorld(t, nil)
	b := newBrowser(t)
	w.follow()
	_, first, second := w.plan()
	p := b.open(w, "/node/"+first)
	p.click(".chips [data-rename=criteria]")
	p.until(`document.activeElement.matches("#ask textarea")`)
	p.write("no leak\nsigned, by the plumber")
	p.keys("Control+Enter")
	p.sees("0/2")
	p.click(`[data-tick="1"]`)
	p.sees("1/2")
	p.until(`!document.querySelector(".chips [data-rename=criteria]")`)
	p.click("[data-rename=criteria]")
	p.until(`document.activeElement.matches("#ask textarea")`)
	p.eval(`document.activeElement.setSelectionRange(99, 99)`)
	p.write("dry")
	p.keys("Control+Enter")
	p.sees("1/3")
	if said := w.says(first); !strings.Contains(said, "- [x] no leak\n- [ ] signed, by the plumber\n- [ ] dry") {
		t.Errorf("the file says\n%s", said)
	}
	p.click("[data-refer]")
	p.until(`document.activeElement.matches("#ask input")`)
	p.write("Shop")
	p.eval(`(e => { e.value = "its colours"; e.dispatchEvent(new Event("input")) })(document.querySelector("#ask [name=description]"))`)
	p.keys("Enter")
	p.sees("its colours")
	if said := w.says(first); !strings.Contains(said, second) {
		t.Errorf("the file says\n%s", said)
	}
	p.click(`[data-refer="` + second + `"]`)
	p.until(`!document.body.innerText.includes("its colours")`)
	if said := w.says(first); strings.Contains(said, second) {
		t.Errorf("the file says\n%s", said)
	}
}
