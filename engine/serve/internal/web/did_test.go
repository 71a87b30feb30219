package web

import (
	"strings"
	"sync"
	"testing"

	"arbor/engine/serve/internal/httpguard"
)

// Each operation answers with a sentence, and with Undo at hand: by a click, by Ctrl+Z, and on the next page, too.
func TestAnOperationSaysWhatItDidAndIsUndone(t *testing.T) {
	w := newWorld(t, nil)
	b := newBrowser(t)
	w.follow()
	_, first, second := w.plan()
	p := b.open(w, "/node/"+first)
	p.click("[data-action=start]")
	p.until(`document.querySelector("#did").innerText.includes("Design: implementing")`)
	p.click("#did button|Undo")
	p.until(`!!document.querySelector("[data-action=start]")`)
	p.visit("/node/" + second)
	p.click("[data-delete]")
	p.click("#ask button|OK")
	p.until(`location.pathname === "/node/root" && document.querySelector("#did").innerText.includes("Deleted Shop")`)
	shop := `[...document.querySelectorAll("main li a")].some((a) => a.innerText === "Shop")`
	p.until(`document.readyState === "complete" && !` + shop)
	p.eval(`document.activeElement.blur()`)
	p.keys("Control+z")
	p.until(shop)
	if said := w.says(second); !strings.Contains(said, "status: pending") {
		t.Errorf("the file says\n%s", said)
	}
	for _, said := range p.said() { // the page of the deleted node may be asked for once more
		if !strings.Contains(said, "404") {
			t.Errorf("the console says %s", said)
		}
	}
}

// A kept is a Tabs in memory.
type kept struct{ all sync.Map }

func (k *kept) Keep(secret string) { k.all.Store(secret, true) }

func (k *kept) Knows(secret string) bool {
	_, ok := k.all.Load(secret)
	return ok
}

// serves puts another server in the place of the one that answers.
func (w *world) serves(s *Site) {
	w.server.Config.Handler = httpguard.Handler(s.Handler(), httpguard.Options{Open: true})
	w.server.CloseClientConnections()
}

// A server that is started again knows the tab. What was typed stays on the screen and is saved. If it knows no tab, a
// bar says so, and the text stays, too.
func TestATabGoesOnWhenTheServerIsStartedAgain(t *testing.T) {
	w := newWorld(t, nil)
	w.site.opt.Tabs = &kept{}
	b := newBrowser(t)
	w.follow()
	_, first, _ := w.plan()
	p := b.open(w, "/node/"+first)
	p.click("[data-edit=note]")
	p.until(`document.activeElement.tagName === "TEXTAREA"`)
	p.write("typed before")
	w.serves(New(w.engine, Options{Tabs: w.site.opt.Tabs}))
	p.until(`document.querySelector("#away").hidden &&
		document.querySelector(".editing textarea:not(.source)").value === "typed before"`)
	p.click("button|Save")
	p.until(`!document.querySelector(".editing")`)
	if said := w.says(first); !strings.Contains(said, "typed before") {
		t.Errorf("the file says\n%s", said)
	}
	stranger := New(w.engine, Options{}) // forgets all tabs
	p.click("[data-edit=note]")
	p.until(`document.activeElement.tagName === "TEXTAREA"`)
	p.write("typed later ")
	w.serves(stranger)
	p.click("button|Save")
	p.until(`!document.querySelector("#away").hidden`)
	p.until(`document.querySelector(".editing textarea:not(.source)").value.includes("typed later")`)
	for _, said := range p.said() {
		if !strings.Contains(said, "401") && !strings.Contains(said, "ERR_") {
			t.Errorf("the console says %s", said)
		}
	}
}

// The drafts of all nodes are one list, and a discarded draft comes back by Undo.
func TestDraftsAreListedAndADiscardedOneComesBack(t *testing.T) {
	w := newWorld(t, nil)
	b := newBrowser(t)
	w.follow()
	_, first, _ := w.plan()
	p := b.open(w, "/node/"+first)
	p.click("[data-edit=note]")
	p.until(`document.activeElement.tagName === "TEXTAREA"`)
	p.write("half a thought")
	p.visit("/plan")
	p.click("#drafts summary|Drafts 1")
	p.click("#drafts a|Design")
	p.until(`document.querySelector(".editing textarea:not(.source)")?.value === "half a thought"`)
	p.click("button|Discard")
	p.until(`!document.querySelector(".editing") && document.querySelector("#drafts").hidden`)
	p.click("#did button|Undo")
	p.until(`document.querySelector(".editing textarea:not(.source)")?.value === "half a thought"`)
}
