package web

import (
	"fmt"
	"strings"
	"testing"
)

// Keys rename, start, choose and delete rows of the outline, and add beside them; the outline is a tree to a screen
// reader, with levels; folds outlive a reload.
func TestRowsAreWorkedOnByKeyboard(t *testing.T) {
	w := newWorld(t, nil)
	b := newBrowser(t)
	w.follow()
	ws, first, second := w.plan()
	p := b.open(w, "/plan")
	p.sees("Shop")
	titles := `[...document.querySelectorAll("#tree a")].map((a) => a.innerText).join()`
	at := func(title string) { p.until(`document.activeElement.innerText === ` + quoted(title)) }
	p.keys("ArrowDown", "ArrowDown")
	at("Design")
	if got := p.eval(`document.activeElement.role + document.activeElement.ariaLevel + document.activeElement.tabIndex +
		document.querySelectorAll('#tree [tabindex="0"]').length + document.querySelector("#tree").role`); got != "treeitem201tree" {
		t.Errorf("the row is %v", got)
	}
	p.keys("Enter")
	p.until(`document.activeElement.closest("#adding")`)
	p.write("Colours")
	p.keys("Enter")
	p.until(titles + ` === "Website,Design,Colours,Shop"`)
	p.until(`document.querySelector("#adding").previousElementSibling.innerText.includes("Colours")`)
	p.keys("Escape")
	at("Colours")
	p.keys("F2")
	p.until(`document.activeElement.tagName === "INPUT" && document.activeElement.value === "Colours"`)
	p.write("Light colours")
	p.keys("Enter")
	p.until(titles + ` === "Website,Design,Light colours,Shop"`)
	at("Light colours")
	p.keys("F2") // a title that is being written is a draft when the tab goes away
	p.until(`document.activeElement.tagName === "INPUT"`)
	p.write("Half a ti")
	p.visit("/")
	p.until(`document.querySelector("#unsaved li")?.innerText === "Light colours"`)
	p.click("#unsaved a")
	p.until(`document.querySelector("article .title input")?.value === "Half a ti"`)
	p.keys("Escape")
	p.until(`!document.querySelector("article .title input") && !localStorage.length`)
	p.visit("/plan")
	p.eval(`[...document.querySelectorAll("#tree a")][2].focus()`)
	p.keys("Delete")
	p.until(`document.querySelector("#ask")?.open`)
	p.click("#ask button|OK")
	p.until(titles + ` === "Website,Design,Shop"`)
	p.click("#did button|Undo")
	p.until(titles + ` === "Website,Design,Light colours,Shop"`)
	p.eval(`document.querySelector('[data-id="` + first + `"] a').focus()`)
	p.keys("x", "ArrowDown", "ArrowDown", "x")
	p.until(`document.querySelector("#chosen").innerText.includes("2")`)
	p.keys("s")
	p.until(`document.querySelectorAll("#tree .tag.s-implementing").length === 2`)
	if said := w.says(first) + w.says(second); strings.Count(said, "status: implementing") != 2 {
		t.Errorf("the files say\n%s", said)
	}
	p.until(`document.querySelector("#did").innerText.startsWith("Design, Shop: implementing") && document.querySelector("#chosen").hidden`)
	p.click("#did button|Undo")
	p.until(`!document.querySelector("#tree .tag.s-implementing")`)
	p.eval(`document.querySelector('[data-id="` + second + `"] a').focus()`)
	p.keys("x", "ArrowUp", "x", "Alt+ArrowUp") // what is chosen moves together
	p.until(titles + ` === "Website,Light colours,Shop,Design"`)
	p.click("#did button|Undo") // one operation, one undo
	p.until(titles + ` === "Website,Design,Light colours,Shop"`)
	p.eval(`document.querySelector('[data-id="` + first + `"] a').focus()`)
	p.keys("Escape", "x", "ArrowDown", "ArrowDown", "x", "Delete") // they were still chosen
	p.until(`document.querySelector("#ask")?.open`)
	p.click("#ask button|OK")
	p.until(titles + ` === "Website,Light colours"`)
	p.until(`document.querySelector("#did").innerText.startsWith("Deleted Design, Shop ")`)
	p.click("#did button|Undo")
	p.until(titles + ` === "Website,Design,Light colours,Shop"`)
	p.eval(`document.querySelector("#tree a").focus()`)
	p.keys("ArrowLeft")
	p.until(`document.activeElement.ariaExpanded === "false"`)
	p.visit("/plan")
	p.until(`!document.querySelector("#tree details").open && document.querySelector("#tree a").ariaExpanded === "false"`)
	if said := fmt.Sprint(w.do("node_list", map[string]any{"workspaceId": ws})); strings.Count(said, "Light colours") != 1 {
		t.Errorf("%s", said)
	}
}

// On a wide screen, a click shows the node beside the outline, which goes on; what is typed there is kept when another
// node is shown.
func TestANodeIsShownBesideTheOutline(t *testing.T) {
	w := newWorld(t, nil)
	b := newBrowser(t)
	w.follow()
	_, first, second := w.plan()
	p := b.open(w, "/plan")
	p.size(1440, 900)
	p.eval(`window.same = true`)
	p.click("#tree a|Design")
	p.until(`document.querySelector("#beside h1")?.innerText === "Design"`)
	p.click("#beside [data-edit=note]")
	p.until(`document.activeElement.tagName === "TEXTAREA"`)
	p.write("half a thought")
	p.click("#tree a|Shop")
	p.until(`document.querySelector("#beside h1")?.innerText === "Shop" && !document.querySelector("#beside .editing")`)
	p.until(`document.querySelector("#did").innerText.includes("draft")`)
	p.click("#beside [data-action=start]")
	p.until(`document.querySelector('#tree [data-id="` + second + `"] .tag.s-implementing')`)
	p.eval(`document.querySelector('[data-id="` + first + `"] a').focus()`)
	p.keys(" ")
	p.until(`document.querySelector("#beside .editing textarea:not(.source)")?.value === "half a thought"`)
	p.click("#beside button|Save")
	p.until(`!document.querySelector("#beside .editing")`)
	if said := w.says(first); !strings.Contains(said, "half a thought") || strings.Contains(w.says(second), "half a thought") {
		t.Errorf("the file says\n%s", said)
	}
	p.click(".close")
	p.until(`!document.querySelector("#beside") && window.same && !location.search.includes("node")`)
	p.eval(`history.back()`)
	p.until(`document.querySelector("#beside h1")?.innerText === "Design"`)
	p.click("[data-chip]|Running")
	p.until(`[...document.querySelectorAll("#tree a")].map((a) => a.innerText).join() === "Website,Shop" && window.same`)
}
