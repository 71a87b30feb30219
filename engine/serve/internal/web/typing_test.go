package web

import (
	"fmt"
	"strings"
	"testing"
)

// hold lets the page's requests to a path wait until they are released.
func (p *page) hold(path string) {
	p.t.Helper()
	p.eval(`window.real ??= fetch; window.held = []; window.fetch = (path, how) => String(path).startsWith(` + quoted(path) + `) ?
		new Promise((go) => held.push(go)).then(() => real(path, how)) : real(path, how)`)
}

// held waits until a request waits.
func (p *page) held() {
	p.t.Helper()
	p.until(`held.length`)
}

func (p *page) release() {
	p.t.Helper()
	p.eval(`window.fetch = real; for (const go of held) go()`)
}

// fails lets the page's requests to a path fail.
func (p *page) fails(path string) {
	p.t.Helper()
	p.eval(`window.real ??= fetch; window.fetch = (path, how) => String(path).startsWith(` + quoted(path) + `) ?
		Promise.reject(new Error("away")) : real(path, how)`)
}

// What is typed in the outline while the server makes a node belongs to the next one, also if it is finished before.
// Escape ends the typing then, too. A title that is not saved comes back.
func TestWhatIsTypedWhileANodeIsMadeStays(t *testing.T) {
	w := newWorld(t, nil)
	b := newBrowser(t)
	w.follow()
	ws, _, _ := w.plan()
	p := b.open(w, "/plan")
	titles := `[...document.querySelectorAll("#tree a")].map((a) => a.innerText).join()`
	p.click("p [data-add]")
	p.until(`document.activeElement.closest("#adding")`)
	p.hold("/do/node_create")
	p.write("One")
	p.keys("Enter")
	p.held()
	p.write("Two")
	p.keys("Enter")
	p.write("Thr")
	p.release()
	p.until(titles + ` === "Website,Design,Shop,One,Two" && document.activeElement.value === "Thr"`)
	p.hold("/do/node_create")
	p.write("ee")
	p.keys("Tab") // a group: what follows goes below it
	p.held()
	p.write("Four")
	p.keys("Enter")
	p.release()
	p.until(titles + ` === "Website,Design,Shop,One,Two,Three,Four" && document.activeElement.closest("#adding")`)
	p.hold("/do/node_create")
	p.write("Five")
	p.keys("Enter")
	p.held()
	p.keys("Escape")
	p.release()
	p.until(titles + `.endsWith("Four,Five") && !document.querySelector("#adding")`)
	p.click("p [data-add]")
	p.fails("/do/node_create")
	p.write("Six")
	p.keys("Enter")
	p.until(`!document.querySelector("#said").hidden && document.activeElement.value === "Six"`)
	p.eval(`window.fetch = real`)
	p.keys("Enter")
	p.until(titles + `.endsWith("Five,Six")`)
	if said := fmt.Sprint(w.do("node_list", map[string]any{"workspaceId": ws})); strings.Count(said, "title:") != 9 {
		t.Errorf("the plan is %s", said)
	}
}

// After Enter, the keys are for the row whose title is being saved. A title that is not saved is a draft, and that it
// was not saved is said.
func TestAnUnsavedTitleIsKept(t *testing.T) {
	w := newWorld(t, nil)
	b := newBrowser(t)
	w.follow()
	_, first, second := w.plan()
	p := b.open(w, "/plan")
	p.eval(`document.querySelector('[data-id="` + first + `"] a').focus()`)
	p.hold("/do/node_update")
	p.keys("F2")
	p.write("Drawing")
	p.keys("Enter", "ArrowDown")
	p.held()
	p.until(`document.activeElement.closest("li").dataset.id === ` + quoted(second))
	p.release()
	p.until(`document.querySelector("#did").innerText.startsWith("Drawing") && !localStorage.length`)
	p.fails("/do/node_update")
	p.keys("F2")
	p.write("Till")
	p.keys("Enter")
	p.sees("The server does not answer")
	p.keys("F2")
	p.until(`document.activeElement.value === "Till"`)
	p.eval(`window.fetch = real`)
	p.keys("Enter")
	p.until(`!localStorage.length`)
	if said := w.says(first) + w.says(second); !strings.Contains(said, "title: Drawing") || !strings.Contains(said, "title: Till") {
		t.Errorf("the files say\n%s", said)
	}
}

// What is typed in a text while it is saved stays, and is no conflict with what was saved. A saved text takes the place
// of the box at once.
func TestWhatIsTypedWhileATextIsSavedStays(t *testing.T) {
	w := newWorld(t, nil)
	b := newBrowser(t)
	w.follow()
	_, first, _ := w.plan()
	p := b.open(w, "/node/"+first)
	p.click("[data-edit=note]")
	p.until(`document.activeElement.tagName === "TEXTAREA"`)
	p.write("The hall ")
	p.eval(`(() => { window.seen = []; const note = document.querySelector("[data-field=note]");
		new MutationObserver(() => seen.push(note.innerText)).observe(note, { attributeFilter: ["class"] }) })()`)
	p.hold("/do/node_update")
	p.keys("Control+Enter")
	p.held()
	p.write("is booked.")
	p.release()
	p.until(`document.querySelector("#did").innerText.includes("note")`)
	w.saved(first, "Do Design", "Do it well")
	p.sees("Do it well")
	if got := p.eval(`document.activeElement.value + document.querySelectorAll(".theirs").length`); got != "The hall is booked.0" {
		t.Errorf("the text is %q", got)
	}
	p.keys("Control+Enter")
	p.until(`!document.querySelector(".editing")`)
	if got := fmt.Sprint(p.eval(`seen.join("|")`)); !strings.Contains(got, "The hall is booked.") || strings.Contains(got, "Save") {
		t.Errorf("the note was %q when its box had gone", got)
	}
	if said := w.says(first); !strings.Contains(said, "The hall is booked.") {
		t.Errorf("the file says\n%s", said)
	}
}

// What is typed while an entry of the log is on its way is the next entry. An entry that does not arrive comes back.
func TestWhatIsTypedWhileAnEntryIsSentStays(t *testing.T) {
	w := newWorld(t, nil)
	b := newBrowser(t)
	w.follow()
	_, first, _ := w.plan()
	p := b.open(w, "/node/"+first)
	p.click("#log textarea")
	p.hold("/do/log_append")
	p.write("one")
	p.keys("Enter")
	p.held()
	p.write("two")
	p.keys("Enter")
	p.write("thr")
	p.release()
	p.until(`(log => log.includes("one") && log.includes("two"))(document.querySelector(".log").innerText)`)
	p.until(`document.querySelector("#log textarea").value === "thr"`)
	p.fails("/do/log_append")
	p.write("ee")
	p.keys("Enter")
	p.sees("The server does not answer")
	p.until(`document.querySelector("#log textarea").value === "three"`)
	p.visit("/node/" + first)
	p.until(`document.querySelector("#log textarea").value === "three"`)
}

// The second press of a double click does nothing: another button may have come under the mouse.
func TestADoubleClickDecidesOnce(t *testing.T) {
	w := newWorld(t, nil)
	b := newBrowser(t)
	w.follow()
	ws, first, second := w.plan()
	for _, id := range []string{first, second} {
		w.do("problem_update", map[string]any{"workspaceId": ws, "nodeId": id, "problem": "No paint"})
	}
	p := b.open(w, "/")
	p.click("[data-solved]")
	p.until(`document.querySelectorAll("[data-solved]").length === 1`)
	p.eval(`document.querySelector("[data-solved]").dispatchEvent(new MouseEvent("click", { bubbles: true, detail: 2 }))`)
	p.visit("/")
	p.until(`document.querySelectorAll("[data-solved]").length === 1`)
}
