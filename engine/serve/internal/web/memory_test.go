package web

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// Slots are listed by group with their first line. An entry is edited in place, if nobody else changed it; a slot gets
// another name and group, and goes to the archive and back.
func TestAPersonKeepsTheMemoryInOrder(t *testing.T) {
	w := newWorld(t, nil)
	ws, _, _ := w.plan()
	save := func(slot, text, group string) {
		w.do("memory_save", map[string]any{"workspaceId": ws, "slot": slot, "text": text, "group": group})
	}
	save("decisions", "We use **Postgres**.\nNot MySQL.", "")
	save("decisions", "And Go.", "")
	save("prices", "A cup is 3 €.", "shop")
	if _, said := w.get("/memory"); !strings.Contains(words(said), "decisions 2 entries") || !strings.Contains(said, ">And Go.</span>") ||
		!strings.Contains(words(said), "shop prices") {
		t.Errorf("the list: %s", said)
	}
	entry := func() string {
		_, said := w.get("/slot/decisions")
		m := regexp.MustCompile(`name="entryId" value="([^"]+)">\s*<textarea[^>]*>\s*We use`).FindStringSubmatch(said)
		if m == nil {
			t.Fatalf("no entry: %s", said)
		}
		return m[1]
	}
	edit := map[string]any{"workspaceId": ws, "slot": "decisions", "entryId": entry(), "was": "We use **Postgres**.\r\nNot MySQL.",
		"text": "We use **SQLite**.\n\nNot MySQL."}
	for n, want := range []int{http.StatusOK, http.StatusConflict} { // the second time it is another text
		if code, said := w.post("/entry", edit); code != want {
			t.Errorf("edit %d: %d %s", n, code, said)
		}
	}
	if _, said := w.get("/slot/decisions"); !strings.Contains(said, "<strong>SQLite</strong>") || !strings.Contains(said, "And Go.") {
		t.Errorf("the slot: %s", said)
	}
	edit["was"], edit["text"] = edit["text"], " "
	if code, said := w.post("/entry", edit); code != http.StatusOK {
		t.Errorf("removed: %d %s", code, said)
	}
	if _, said := w.get("/slot/decisions"); strings.Contains(said, "SQLite") || !strings.Contains(said, "And Go.") {
		t.Errorf("the slot: %s", said)
	}
	_, page := w.get("/slot/decisions") // an entry goes to another slot, and comes back by an undo
	id := regexp.MustCompile(`(?s)name="entryId" value="([^"]+)">[^<]*<textarea[^>]*>\s*And Go`).FindStringSubmatch(page)
	if id == nil {
		t.Fatalf("no entry: %s", page)
	}
	move := map[string]any{"workspaceId": ws, "slot": "decisions", "entryId": id[1], "was": "And Go.", "text": "And Go.", "to": "prices"}
	if code, said := w.post("/entry", move); code != http.StatusOK {
		t.Fatalf("moved: %d %s", code, said)
	}
	_, from := w.get("/slot/decisions")
	if _, to := w.get("/slot/prices"); strings.Contains(from, "And Go.") || !strings.Contains(to, "And Go.") {
		t.Errorf("moved, and the slots are\n%s\n%s", from, to)
	}
	w.do("undo", map[string]any{})
	if _, from := w.get("/slot/decisions"); !strings.Contains(from, "And Go.") {
		t.Errorf("the move is not undone: %s", from)
	}
	for _, to := range []string{"decisions", "none"} {
		move["to"] = to
		if code, said := w.post("/entry", move); code == http.StatusOK {
			t.Errorf("moved to %s: %s", to, said)
		}
	}
	for _, form := range []string{"memory_update", "memory_archive", "memory_delete"} {
		if _, said := w.get("/slot/prices"); !strings.Contains(said, `data-make="`+form+`"`) {
			t.Errorf("the slot lacks %s: %s", form, said)
		}
	}
	w.do("memory_archive", map[string]any{"workspaceId": ws, "slot": "prices"})
	if _, said := w.get("/memory?archived=1"); !strings.Contains(said, `data-make="memory_restore"`) {
		t.Errorf("the archive: %s", said)
	}
}

// A person notes something in a session, ends it, and lets a new one go on from a state.
func TestAPersonEndsASessionAndLoadsAState(t *testing.T) {
	w := newWorld(t, nil)
	b := newBrowser(t)
	w.follow()
	ws, _, _ := w.plan()
	w.do("memory_save", map[string]any{"workspaceId": ws, "slot": "decisions", "text": "We use Postgres."})
	session := w.do("session_start", map[string]any{"workspaceId": ws, "name": "Sign-in", "goal": "Let people in\nand out"})["sessionId"].(string)
	w.do("state_save", map[string]any{"workspaceId": ws, "sessionId": session, "name": "Half way", "activeTask": "the form", "nextSteps": []string{"test it"}})
	p := b.open(w, "/sessions")
	p.sees("Let people in")
	p.click("main a|Sign-in")
	p.until(`!!document.querySelector("[data-make=session_note]")`)
	p.click("[data-make=session_note] input:not([type=hidden])")
	p.write("the limit is five")
	p.keys("Enter")
	p.until(`document.querySelector(".log")?.innerText.includes("the limit is five")`)
	p.click("summary|End the session")
	p.click("[data-make=session_end] textarea")
	p.write("It works.")
	p.click("button|End the session")
	p.until(`!document.querySelector("[data-make=session_end]")`)
	p.visit("/state/Half%20way")
	p.click("button|Continue from this state in a new session")
	p.until(`location.pathname === "/sessions" && document.querySelector("main").innerText.includes("Open sessions")`)
	p.visit("/slot/decisions")
	p.click("section summary|Edit")
	p.until(`document.querySelector("section details.edit").open`)
	if n := p.eval(`[...document.querySelectorAll("section textarea")].filter((e) => e.offsetParent).length`); n != 1.0 {
		t.Errorf("an entry that is edited has %v texts", n)
	}
	p.eval(`document.querySelector("section [name=text]").value = "We use SQLite."`)
	p.click("section button|Save")
	p.until(`document.querySelector("section .text").innerText === "We use SQLite." && !document.querySelector("details.edit").open`)
	p.click("section summary|Edit")
	p.click("section button|Delete")
	p.until(`document.querySelector("main").innerText.includes("Nothing yet")`)
	p.click("#did button|Undo")
	p.sees("We use SQLite.")
	if said := p.said(); len(said) > 0 {
		t.Errorf("the console says %q", said)
	}
}
