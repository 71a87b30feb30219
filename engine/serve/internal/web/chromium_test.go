package web

import (
	"path/filepath"
	"strings"
	"testing"

	"arbor/engine/enginetest"
	"arbor/mdstore"
)

// path returns the path in the vault of the file of a node.
func (w *world) path(id string) mdstore.Path {
	w.t.Helper()
	for p := range w.store.Files() {
		if strings.HasSuffix(string(p), "/nodes/"+id+"/Node.md") {
			return p
		}
	}
	w.t.Fatalf("there is no file of %s", id)
	panic("unreachable")
}

// file returns the name of the file of a node in the vault's folder.
func (w *world) file(id string) string {
	w.t.Helper()
	return filepath.Join(w.folder(), filepath.FromSlash(string(w.path(id))))
}

// saved replaces a text in a file in place, as some editors save.
func (w *world) saved(id, old, now string) {
	w.t.Helper()
	said := w.says(id)
	if !strings.Contains(said, old) {
		w.t.Fatalf("%s does not say %q:\n%s", id, old, said)
	}
	w.store.Put(w.path(id), []byte(strings.Replace(said, old, now, 1)))
}

func (w *world) says(id string) string {
	w.t.Helper()
	f, err := w.store.Read(w.t.Context(), w.path(id))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(f.Data)
}

func TestBrowserShowsEachView(t *testing.T) {
	w := newWorld(t, nil)
	b := newBrowser(t)
	w.follow()
	ws, first, _ := w.plan()
	w.do("memory_save", map[string]any{"workspaceId": ws, "slot": "decisions", "text": "We use **Postgres**"})
	p := b.open(w, "/")
	p.sees("A site for the shop")
	for _, at := range [][2]string{
		{"/plan", "Shop"}, {"/board", "Design"}, {"/node/" + first, "Do Design"}, {"/activity", "Added Shop"},
		{"/search?q=shop", "Shop"}, {"/memory", "decisions"}, {"/slot/decisions", "We use Postgres"}, {"/sessions", "No sessions yet"},
		{"/approvals", "No requests"}, {"/check", "No problems found"}, {"/plan?lang=zh", "计划"}, {"/?lang=en", "Now"},
	} {
		path := at[0]
		p.visit(path)
		p.sees(at[1])
		if path == "/check" && p.eval(`document.body.innerText.includes("Looking at")`) == true {
			t.Error("it looks at every file, and shows what it found")
		}
		if wide := p.eval(`document.documentElement.scrollWidth > innerWidth`); wide != false {
			t.Errorf("%s is wider than the window", path)
		}
	}
}

// The token is removed from the address at once. A browser that is not logged in sees nothing.
func TestBrowserLogsInOnce(t *testing.T) {
	w := newWorld(t, nil)
	b := newBrowser(t)
	w.plan()
	p := b.tab(w.server.URL)
	p.goTo(w.server.URL + "/plan")
	p.sees("arbor serve --open")
	token := w.site.Invite()
	p.eval(`location.hash = "token=` + token + `"`) // as if a person pastes the address into this tab
	p.sees("Design")
	if at := p.eval(`location.href + document.cookie`).(string); strings.Contains(at, token) || strings.Contains(at, "arbor-") {
		t.Errorf("what scripts can read: %s", at)
	}
}

func TestAnEditIsSavedAndAnotherOneShowsWhereTheReaderIs(t *testing.T) {
	w := newWorld(t, nil)
	b := newBrowser(t)
	w.follow()
	_, first, _ := w.plan()
	p := b.open(w, "/node/"+first)
	p.click("[data-edit=requirement]")
	p.until(`document.activeElement.tagName === "TEXTAREA"`)
	p.eval(`document.activeElement.value = ""`)
	p.write("Draw **it**")
	p.keys("Control+Enter")
	p.until(`document.querySelector("[data-field=requirement] .text strong")?.innerText === "it" &&
		!document.querySelector(".editing")`)
	if said := w.says(first); !strings.Contains(said, "Draw **it**") {
		t.Errorf("the file says\n%s", said)
	}
	p.eval(`document.body.style.minHeight = "4000px", scrollTo(0, 300)`)
	at := p.eval(`scrollY`)
	w.saved(first, "Draw **it**", "Draw it *well*")
	p.until(`document.querySelector("[data-field=requirement] .text em")?.innerText === "well"`)
	if now := p.eval(`scrollY`); now != at {
		t.Errorf("the page jumped from %v to %v", at, now)
	}
}

// No typed text is lost, and no text is saved over a change by someone else.
func TestADraftOutlivesAReloadAndMeetsAnotherEdit(t *testing.T) {
	w := newWorld(t, nil)
	b := newBrowser(t)
	w.follow()
	ws, first, _ := w.plan()
	w.do("node_update", map[string]any{"workspaceId": ws, "nodeId": first, "requirement": "one\n\ntwo\n\nthree"})
	p := b.open(w, "/node/"+first)
	p.click("[data-edit=requirement]")
	p.until(`document.activeElement.tagName === "TEXTAREA"`)
	p.eval(`document.activeElement.setSelectionRange(0, 3)`)
	p.write("ONE")
	p.visit("/")
	p.until(`document.querySelector("#unsaved li")?.innerText === "Design"`)
	p.visit("/node/" + first)
	p.until(`document.querySelector(".editing textarea:not(.source)")?.value === "ONE\n\ntwo\n\nthree"`)
	w.saved(first, "three", "THREE")
	p.sees("changed elsewhere")
	if shown := p.eval(`document.querySelector(".theirs pre").innerText`).(string); !strings.Contains(shown, "THREE") {
		t.Errorf("the other text is not shown: %s", shown)
	}
	p.click("button|Merge both")
	p.until(`document.querySelector(".editing textarea:not(.source)").value === "ONE\n\ntwo\n\nTHREE"`)
	p.click("button|Save")
	p.until(`!document.querySelector(".editing")`)
	if said := w.says(first); !strings.Contains(said, "ONE\n\ntwo\n\nTHREE") {
		t.Errorf("the file says\n%s", said)
	}
	p.visit("/plan")
	p.visit("/node/" + first)
	p.sees("THREE")
	if left := p.eval(`Object.keys(localStorage).length`); left != 0.0 {
		t.Errorf("drafts are left of what is saved: %v", p.eval(`JSON.stringify(localStorage)`))
	}
}

// A change between the last look and the save is shown, not replaced.
func TestASaveThatMeetsAnUnseenEditIsNoSave(t *testing.T) {
	w := newWorld(t, nil) // nobody tells the page of changes
	b := newBrowser(t)
	_, first, _ := w.plan()
	p := b.open(w, "/node/"+first)
	p.until(`performance.getEntriesByType("resource").some((e) => e.name === location.href)`) // the first repaint
	p.click("[data-edit=requirement]")
	p.until(`document.activeElement.tagName === "TEXTAREA"`)
	p.write("Mine. ")
	w.saved(first, "Do Design", "Theirs")
	w.engine.Refresh()
	p.click("button|Save")
	p.sees("changed elsewhere")
	if said := w.says(first); !strings.Contains(said, "Theirs") || strings.Contains(said, "Mine") {
		t.Errorf("the file says\n%s", said)
	}
	// Now the person decides. If a double press were sent twice, the console would have a refusal.
	p.eval(`(() => { const form = document.querySelector(".editing form"); form.requestSubmit(); form.requestSubmit() })()`)
	p.until(`!document.querySelector(".editing")`)
	if said := w.says(first); !strings.Contains(said, "Mine") {
		t.Errorf("the file says\n%s", said)
	}
}

func TestAPlanIsMadeAndMovedByKeyboardAlone(t *testing.T) {
	w := newWorld(t, nil)
	b := newBrowser(t)
	w.follow()
	ws, first, second := w.plan()
	w.do("node_create", map[string]any{"workspaceId": ws, "parentId": "root", "title": "Payments", "type": "planning"})
	p := b.open(w, "/plan")
	p.sees("Payments")
	titles := `[...document.querySelectorAll("#tree a")].map((a) => a.innerText).join()`
	p.eval(`window.due = [], window.real = setTimeout, window.setTimeout = (f, ms, ...a) => {
		if (ms < 8000) return real(f, ms, ...a); due.push(() => f(...a)) }`)
	p.keys("ArrowDown", "ArrowDown", "Alt+ArrowDown")
	p.until(titles + ` === "Website,Shop,Design,Payments"`)
	p.keys("Alt+ArrowDown")
	p.until(titles + ` === "Website,Shop,Payments,Design"`)
	p.keys("Alt+ArrowRight") // below Payments
	p.until(`document.querySelector('[data-id="` + first + `"]').parentElement.closest("li").innerText.includes("Payments")`)
	p.until(`document.activeElement.innerText === "Design"`)
	p.until(`document.querySelector("#live[role=status]").innerText === "moved: Design, level 3"`)
	p.eval(`due.splice(0).forEach((f) => f())`) // eight seconds later
	p.until(`document.querySelector("#live[role=status]").innerText === ""`)
	p.keys("Alt+ArrowLeft")
	p.until(`!document.querySelector('[data-id="` + first + `"]').parentElement.closest("li").innerText.startsWith("◈ monitoring Payments")`)
	p.until(`document.activeElement.innerText === "Design"`)
	p.eval(`document.querySelector("#filter").focus()`)
	p.write("shop")
	p.until(`location.search.includes("shop")`)
	p.until(titles + ` === "Website,Shop"`)
	p.size(1000, 800)
	p.eval(`document.activeElement.blur()`)
	p.keys("ArrowDown", "ArrowDown", " ")
	p.until(`location.pathname === "/node/` + second + `"`)
	p.keys("?")
	p.until(`document.querySelector("#keys").open`)
	p.keys("Escape")
	p.until(`!document.querySelector("#keys").open`)
}

func TestActionsAskForAConclusion(t *testing.T) {
	w := newWorld(t, nil)
	b := newBrowser(t)
	w.follow()
	_, first, _ := w.plan()
	p := b.open(w, "/node/"+first)
	p.click("[data-action=start]")
	p.click("[data-action=complete]")
	p.until(`document.querySelector("#ask")?.open`)
	p.write("It is drawn.")
	p.click("#ask button|Cancel")
	p.click("[data-action=complete]")
	p.until(`document.querySelector("#ask textarea").value === "It is drawn."`) // the typed text is kept
	p.keys("Control+Enter")
	p.sees("It is drawn.")
	if said := w.says(first); !strings.Contains(said, "status: completed") || !strings.Contains(said, "It is drawn.") {
		t.Errorf("the file says\n%s", said)
	}
}

// A dialog that was sent begins empty, also while it is on its way. If that fails, the typed text is there again.
func TestADialogIsEmptiedWhenItIsSentAndFilledAgainWhenThatFails(t *testing.T) {
	w := newWorld(t, nil)
	b := newBrowser(t)
	w.follow()
	w.plan()
	p := b.open(w, "/node/root")
	p.eval(`window.realFetch = fetch; window.fetch = (path, opt) => String(path).startsWith("/do/node_create") ?
		new Promise((go) => { window.go = go }).then(() => realFetch(path, opt)) : realFetch(path, opt)`) // a slow server
	title := `document.querySelector("#ask [name=title]")?.value`
	p.click("button|New node below")
	p.until(title + ` === ""`)
	p.write("Alpha")
	p.keys("Enter")
	p.until(`!document.querySelector("#ask") && window.go`)
	p.click("button|New node below")
	p.until(title + ` === ""`)
	p.click("#ask button|Cancel")
	p.eval(`go(); window.fetch = realFetch`)
	p.sees("Alpha")
	p.eval(`window.fetch = (path, opt) => String(path).startsWith("/do/node_create") ?
		Promise.reject(new Error("the server is away")) : realFetch(path, opt)`)
	p.click("button|New node below")
	p.until(title + ` === ""`)
	p.write("Beta")
	p.keys("Enter")
	p.sees("The server does not answer")
	p.click("button|New node below")
	p.until(title + ` === "Beta"`)
}

// A filter shows its first matches, says how many there are, and shows the others in steps.
func TestEachMatchOfAFilterCanBeReached(t *testing.T) {
	w := newWorld(t, enginetest.Sized(700))
	b := newBrowser(t)
	p := b.open(w, "/plan?status=pending")
	p.sees("shown: 300")
	p.click("#further")
	p.sees("shown: 600")
	p.click("#further")
	p.until(`!document.querySelector("#further") && document.querySelectorAll("#tree li[data-id]").length === 700`)
}

// drop drags the element of one selector to the element of the other, at a part of its height.
func (p *page) drop(from, to, at string) {
	p.t.Helper()
	p.eval(`(() => { const from = document.querySelector(` + quoted(from) + `), to = document.querySelector(` + quoted(to) + `), r = to.getBoundingClientRect();
		const data = new DataTransfer(), at = { bubbles: true, cancelable: true, dataTransfer: data, clientX: r.x + 40, clientY: r.y + r.height * ` + at + ` };
		from.dispatchEvent(new DragEvent("dragstart", at)); to.dispatchEvent(new DragEvent("dragover", at));
		to.dispatchEvent(new DragEvent("drop", at)); from.dispatchEvent(new DragEvent("dragend", at)); })()`)
}

func TestADropMovesANodeOrSaysWhyNot(t *testing.T) {
	w := newWorld(t, nil)
	b := newBrowser(t)
	w.follow()
	_, first, second := w.plan()
	p := b.open(w, "/plan")
	p.sees("Shop")
	row := func(id string) string { return `[data-id="` + id + `"] .leaf` }
	p.drop(row(second), row(first), "0.1")
	p.until(`[...document.querySelectorAll("#tree a")].map((a) => a.innerText).join() === "Website,Shop,Design"`)
	p.drop(row(second), row(first), "0.5") // an execution node has no children
	p.until(`!document.querySelector("#said").hidden`)
	p.visit("/board")
	p.sees("Shop")
	p.drop(`[data-id="`+first+`"]`, "[data-status=completed]", "0.5")
	p.until(`document.querySelector("#said").innerText.includes("implementing")`)
	p.drop(`[data-id="`+first+`"]`, "[data-status=implementing]", "0.5")
	p.until(`document.querySelector("[data-status=implementing]").innerText.includes("Design")`)
	if said := p.said(); len(said) != 1 || !strings.Contains(said[0], "node_move") {
		t.Errorf("the console says %q; the browser tells of the one refusal", said)
	}
}

func TestAnUndoIsAClick(t *testing.T) {
	w := newWorld(t, nil)
	b := newBrowser(t)
	w.follow()
	ws, first, _ := w.plan()
	w.do("node_update", map[string]any{"workspaceId": ws, "nodeId": first, "requirement": "Something else"})
	p := b.open(w, "/activity")
	p.click("button|Undo")
	p.until(`document.querySelector(".activity").innerText.includes("undone")`)
	if said := w.says(first); !strings.Contains(said, "Do Design") {
		t.Errorf("the file says\n%s", said)
	}
}

func TestTheContextFollowsTheBudget(t *testing.T) {
	w := newWorld(t, nil)
	b := newBrowser(t)
	w.follow()
	ws, first, _ := w.plan()
	w.do("node_update", map[string]any{"workspaceId": ws, "nodeId": first, "note": strings.Repeat("A long note. ", 500)})
	p := b.open(w, "/node/"+first)
	p.click(".tabs a|What an assistant gets")
	p.sees("Nothing is left out")
	p.until(`/gets · \d+/.test(document.querySelector(".tabs").innerText) && !document.querySelector("#log")`)
	p.eval(`(() => { const r = document.querySelector("[name=budget]"); r.value = 250; r.dispatchEvent(new Event("input", { bubbles: true })) })()`)
	p.sees("budget")
	p.until(`document.querySelector("main output").innerText.endsWith("/ 250")`)
	p.click(".tabs a|Talk")
	p.until(`document.querySelector("#log") && !document.querySelector("[name=budget]")`)
}

func TestPhoneAndColours(t *testing.T) {
	w := newWorld(t, nil)
	b := newBrowser(t)
	_, first, _ := w.plan()
	p := b.open(w, "/")
	for _, width := range []int{390, 360} {
		p.size(width, 800)
		for _, path := range []string{"/", "/plan", "/board", "/node/" + first, "/activity", "/search?q=shop", "/memory", "/sessions", "/approvals", "/check"} {
			p.visit(path)
			if wide := p.eval(`document.documentElement.scrollWidth`).(float64); int(wide) > width {
				t.Errorf("%s is %v wide on a screen of %d", path, wide, width)
			}
		}
	}
	for _, on := range []bool{true, false} {
		p.dark(on)
		p.until(`matchMedia("(prefers-color-scheme: dark)").matches === ` + map[bool]string{true: "true", false: "false"}[on])
		if back := p.eval(`getComputedStyle(document.body).backgroundColor`); (back == "rgb(255, 255, 255)") == on {
			t.Errorf("dark %v: the page is %v", on, back)
		}
	}
}

// The page loads the plan of a large vault in parts.
func TestALargePlanOpensInParts(t *testing.T) {
	w := newWorld(t, enginetest.Sized(2000))
	b := newBrowser(t)
	p := b.open(w, "/plan")
	p.until(`document.querySelectorAll("#tree li").length > 5`)
	if n := p.eval(`document.querySelectorAll("#tree li").length`).(float64); n > 2*firstView {
		t.Errorf("the first view has %v nodes", n)
	}
	p.until(`document.querySelector("details[data-below]")`)
	p.eval(`document.querySelector("details[data-below]").open = true`)
	p.until(`document.querySelector("details[data-below] li")`)
}
