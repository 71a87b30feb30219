package web

import (
	"strings"
	"testing"
)

// titlesShown are the titles of the outline, from top to bottom.
const titlesShown = `[...document.querySelectorAll("#tree a")].map((a) => a.innerText).join()`

// focused is the title of the row that has the focus.
const focused = `(document.activeElement.matches("#tree a") ? document.activeElement.innerText : "")`

// The focus stays near the place of work: Escape leaves it on the row above, and after a deletion the next row has it.
func TestTheFocusStaysInTheOutline(t *testing.T) {
	w := newWorld(t, nil)
	b := newBrowser(t)
	w.follow()
	w.plan()
	p := b.open(w, "/plan")
	p.keys("n")
	p.write("Third")
	p.keys("Enter")
	p.until(titlesShown + ` === "Website,Design,Shop,Third" && document.activeElement.closest("#adding")`)
	p.keys("Escape")
	p.until(focused + ` === "Third"`)
	p.keys("ArrowUp", "Delete")
	p.until(`document.querySelector("#ask")?.open`)
	p.keys("Enter")
	p.until(titlesShown + ` === "Website,Design,Third" && ` + focused + ` === "Third"`)
	p.keys("Delete")
	p.until(`document.querySelector("#ask")?.open`)
	p.keys("Enter")
	p.until(titlesShown + ` === "Website,Design" && ` + focused + ` === "Design"`)
}

// Rows that are chosen stay chosen when they move, so that they can move on together.
func TestChosenRowsMoveOnTogether(t *testing.T) {
	w := newWorld(t, nil)
	b := newBrowser(t)
	w.follow()
	ws, _, _ := w.plan()
	for _, title := range []string{"Third", "Fourth"} {
		w.do("node_create", map[string]any{"workspaceId": ws, "parentId": "root", "title": title, "type": "execution"})
	}
	p := b.open(w, "/plan")
	p.until(titlesShown + ` === "Website,Design,Shop,Third,Fourth"`)
	p.keys("ArrowDown", "ArrowDown", "x", "ArrowDown", "x", "Alt+ArrowDown")
	p.until(titlesShown + ` === "Website,Third,Design,Shop,Fourth"`)
	p.keys("Alt+ArrowDown")
	p.until(titlesShown + ` === "Website,Third,Fourth,Design,Shop"`)
	p.until(`document.querySelector("#did").innerText.startsWith("Design, Shop: moved")`)
}

// A group is made in the outline by a button, too: a phone has no Tab key, and the button shows that there are groups.
func TestAGroupIsMadeWithoutTab(t *testing.T) {
	w := newWorld(t, nil)
	b := newBrowser(t)
	w.follow()
	w.plan()
	p := b.open(w, "/plan")
	p.size(390, 844)
	p.visit("/plan")
	p.click("p [data-add]")
	p.until(`document.activeElement.closest("#adding")`)
	p.write("Group")
	p.click("#adding button")
	p.until(`document.activeElement.matches("#adding input")`)
	p.write("Below")
	p.keys("Enter")
	p.until(titlesShown + ` === "Website,Design,Shop,Group,Below"`)
	if level := p.eval(`document.querySelector("#tree [aria-level='3']").innerText`); level != "Below" {
		t.Errorf("%v is below the group", level)
	}
}

// A node that opens beside the outline moves no row up or down. Its row is marked.
func TestTheOutlineStaysWhereItIsBesideANode(t *testing.T) {
	w := newWorld(t, nil)
	b := newBrowser(t)
	w.follow()
	_, _, second := w.plan()
	p := b.open(w, "/plan")
	for _, width := range []int{1100, 1339, 1340, 1440} {
		p.size(width, 800)
		p.visit("/plan")
		row := `document.querySelector('#tree [data-id="` + second + `"] a')`
		top := p.eval(row + `.getBoundingClientRect().top`)
		p.click(`#tree [data-id="` + second + `"] a`)
		p.until(`document.querySelector("#beside h1")?.innerText === "Shop"`)
		if now := p.eval(row + `.getBoundingClientRect().top`); now != top {
			t.Errorf("%d px: the row was at %v, it is at %v", width, top, now)
		}
		p.until(`[...document.querySelectorAll("#tree [aria-current]")].map((a) => a.innerText).join() === "Shop"`)
	}
}

// What a row cannot show ends with dots, and the ring of the focus is around the whole row.
func TestALongTitleEndsWithDots(t *testing.T) {
	w := newWorld(t, nil)
	b := newBrowser(t)
	ws, first, _ := w.plan()
	w.do("node_update", map[string]any{"workspaceId": ws, "nodeId": first, "title": strings.Repeat("A long title ", 15)})
	p := b.open(w, "/plan?node="+first)
	p.size(1440, 800)
	p.visit("/plan?node=" + first)
	a := `document.querySelector('#tree [data-id="` + first + `"] a')`
	p.until(a)
	if cut := p.eval(a + `.getBoundingClientRect().right > ` + a + `.parentElement.getBoundingClientRect().right + 1`); cut != false {
		t.Error("the title is cut without dots")
	}
	p.keys("ArrowDown", "ArrowDown")
	p.until(a + ` === document.activeElement`)
	if ring := p.eval(`getComputedStyle(` + a + `.closest(".leaf")).outlineStyle`); ring != "solid" {
		t.Errorf("the ring around the row is %v", ring)
	}
}

// On a phone, what an operation did and why it was refused stand above the bar at the bottom.
func TestMessagesAreSeenOnAPhone(t *testing.T) {
	w := newWorld(t, nil)
	b := newBrowser(t)
	w.follow()
	w.plan()
	p := b.open(w, "/plan")
	p.size(390, 844)
	p.visit("/plan")
	p.click("p [data-add]")
	p.write("Third")
	p.keys("Enter")
	p.until(`!document.querySelector("#did").hidden`)
	above := func(id string) {
		t.Helper()
		over := `(() => { const r = document.querySelector("` + id + `").getBoundingClientRect(), bar = document.querySelector(".rail").getBoundingClientRect();
			return r.height > 0 && r.bottom <= bar.top })()`
		if p.eval(over) != true {
			t.Errorf("%s lies under the bar", id)
		}
	}
	above("#did")
	p.fails("/do/node_create")
	p.write("Fourth")
	p.keys("Enter")
	p.until(`!document.querySelector("#said").hidden`)
	above("#said")
}
