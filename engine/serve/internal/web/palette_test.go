package web

import (
	"strings"
	"testing"
)

// Ctrl+K and / find nodes, views and actions, by keyboard alone.
func TestThePaletteFindsNodesViewsAndActions(t *testing.T) {
	w := newWorld(t, nil)
	b := newBrowser(t)
	w.follow()
	_, first, second := w.plan()
	p := b.open(w, "/node/"+first)
	chosen := `document.querySelector("#palette [aria-selected=true]")?.innerText`
	p.keys("/")
	p.until(`document.activeElement.matches("#palette input")`)
	p.write("memo")
	p.until(chosen + `.startsWith("Memory")`)
	p.keys("Enter")
	p.until(`location.pathname === "/memory" && document.readyState === "complete"`)
	p.keys("Control+k")
	p.until(`document.activeElement.matches("#palette input")`)
	p.write("shop")
	p.until(`document.querySelector("#palette").innerText.includes("Shop")`)
	p.until(chosen + `?.startsWith("Shop")`)
	p.keys("ArrowDown", "ArrowUp", "Enter")
	p.until(`location.pathname === "/node/` + second + `" && document.readyState === "complete"`)
	p.keys("/")
	p.until(`document.activeElement.matches("#palette input")`)
	p.write("star")
	p.until(chosen + `?.toLowerCase().startsWith("start")`)
	p.keys("Enter")
	p.until(`document.querySelector("[data-action=complete]") && !document.querySelector("#palette")`)
	p.keys("/", "Escape")
	p.until(`!document.querySelector("#palette")`)
}

// A click on the title or a text of a node edits it. The text has a preview and offers nodes after [[. Fields are set
// where they stand.
func TestAClickEditsWhatIsClicked(t *testing.T) {
	w := newWorld(t, nil)
	b := newBrowser(t)
	w.follow()
	_, first, second := w.plan()
	p := b.open(w, "/node/"+first)
	p.click("h1")
	p.until(`document.activeElement.matches(".title input")`)
	p.write("Drawings")
	p.keys("Enter")
	p.until(`document.querySelector("h1").innerText === "Drawings" && !document.querySelector(".editing")`)
	p.click("[data-field=requirement] .text")
	p.until(`document.activeElement.tagName === "TEXTAREA"`)
	p.eval(`document.activeElement.select()`)
	p.write("For **the** [[Sho")
	p.until(`document.querySelector(".editing .choices li")?.innerText.includes("Shop")`)
	p.keys("Enter")
	p.until(`document.activeElement.value === "For **the** [[Shop]]"`)
	p.click("button|Preview")
	p.until(`document.querySelector(".preview strong")?.innerText === "the"`)
	p.until(`document.querySelector(".preview a")?.pathname === "/node/` + second + `"`)
	p.click("button|Save")
	p.until(`!document.querySelector(".editing")`)
	p.click(`[data-rename="priority"]`)
	p.until(`document.querySelector("#ask select[name=priority]") && !document.querySelector("#ask [name=title]")`)
	p.eval(`document.querySelector("#ask select").value = "high"`)
	p.click("#ask button|OK")
	p.until(`document.querySelector('[data-rename="priority"]').innerText.includes("high")`)
	said := w.says(first)
	for _, want := range []string{"title: Drawings", "For **the** [[Shop]]", "priority: high"} {
		if !strings.Contains(said, want) {
			t.Errorf("the file does not say %q:\n%s", want, said)
		}
	}
	if strings.Contains(said, "tags:") {
		t.Errorf("a field that was not shown is set:\n%s", said)
	}
}
