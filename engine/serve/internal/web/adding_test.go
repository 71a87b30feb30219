package web

import (
	"fmt"
	"strings"
	"testing"
)

// A plan of 15 nodes in three groups is made in the outline by keyboard alone: at most 45 keys besides the titles, one
// click, and no page is loaded.
func TestAPlanIsMadeInTheOutline(t *testing.T) {
	w := newWorld(t, nil)
	b := newBrowser(t)
	w.follow()
	ws, _, _ := w.plan()
	p := b.open(w, "/plan")
	p.sees("Shop")
	p.eval(`window.same = true`)
	keys := 0
	press := func(names ...string) {
		keys += len(names)
		p.keys(names...)
	}
	await := func(below, title string) {
		p.until(`!document.querySelector("#adding input").value &&
			[...document.querySelectorAll("#tree a")].some((a) => a.innerText === ` + quoted(title) + `)`)
		p.until(`document.querySelector("#adding").parentElement.closest("li").querySelector(".leaf a").innerText === ` +
			quoted(below))
	}
	p.click("p [data-add]")
	p.until(`document.activeElement.closest("#adding")`)
	for g := range 3 {
		group := fmt.Sprintf("Group %d", g)
		p.write(group)
		press("Tab")
		await(group, group)
		for i := range 4 {
			p.write(fmt.Sprintf("Task %d.%d", g, i))
			press("Enter")
			await(group, fmt.Sprintf("Task %d.%d", g, i))
		}
		press("Shift+Tab")
	}
	press("Escape")
	if p.until(`!document.querySelector("#adding")`); keys > 45 || p.eval(`window.same`) != true {
		t.Errorf("%d keys", keys)
	}
	list := w.do("node_list", map[string]any{"workspaceId": ws})
	if said := fmt.Sprint(list); strings.Count(said, "Task ") != 12 || strings.Count(said, "Group ") != 3 {
		t.Errorf("%s", said)
	}
	p.keys("n")
	p.until(`document.activeElement.closest("#adding")`)
	p.eval(`(() => { const data = new DataTransfer(), at = { clipboardData: data, bubbles: true, cancelable: true };
		data.setData("text", "- Garden\n  - [x] Beds\n  - Seeds\n");
		document.activeElement.dispatchEvent(new ClipboardEvent("paste", at)) })()`)
	p.sees("Seeds")
	p.until(`document.querySelector("#did").innerText.includes("Added Garden (and others: 2)")`)
}

// A title that is refused, or that is being typed while the plan changes, stays in its place.
func TestATypedTitleStays(t *testing.T) {
	w := newWorld(t, nil)
	b := newBrowser(t)
	w.follow()
	ws, _, _ := w.plan()
	p := b.open(w, "/plan")
	p.click("p [data-add]")
	p.until(`document.activeElement.closest("#adding")`)
	p.write("Half a ti")
	w.do("node_create", map[string]any{"workspaceId": ws, "parentId": "root", "title": "By somebody else"})
	p.sees("By somebody else")
	p.until(`document.activeElement.closest("#adding") && document.activeElement.value === "Half a ti"`)
	p.visit("/plan")
	p.click("p [data-add]")
	p.until(`document.activeElement.value === "Half a ti"`)
	p.write(strings.Repeat("x", 300))
	p.keys("Enter")
	p.until(`!document.querySelector("#said").hidden && document.querySelector("#adding input").value.length > 300`)
	p.keys("Escape")
	p.said() // of the refusal
}
