package web

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
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
	p.until(`document.querySelector("#did").innerText.startsWith("Undone: Design: implementing")`)
	p.visit("/node/" + second)
	p.click("[data-delete]")
	p.click("#ask button|OK")
	p.until(`location.pathname === "/node/root" && document.querySelector("#did").innerText.includes("Deleted Shop")`)
	shop := `[...document.querySelectorAll("main li a")].some((a) => a.innerText === "Shop")`
	p.until(`document.readyState === "complete" && !` + shop)
	p.eval(`document.activeElement.blur()`)
	p.keys("Control+z")
	p.until(shop)
	p.until(`document.querySelector("#did").innerText.startsWith("Undone: Deleted Shop")`)
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
	p.fails("/do/node_update")
	p.click("button|Save")
	p.sees("The server does not answer")
	p.eval(`window.fetch = real`)
	w.serves(New(w.engine, Options{Tabs: w.site.opt.Tabs}))
	p.until(`document.querySelector("#said").hidden`) // it answers
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

// The message after an operation and the list of Activity name the operation with the words of the page.
func TestASentenceSaysWhatWasDone(t *testing.T) {
	w := newWorld(t, nil)
	ws, first, second := w.plan()
	w.do("node_create", map[string]any{"workspaceId": ws, "parentId": "root", "title": "Paint", "type": "planning"})
	said := func(operation string, args map[string]any) string {
		t.Helper()
		if operation != "undo" {
			args["workspaceId"] = ws
		}
		data, _ := json.Marshal(args) // strings cannot fail
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.server.URL+"/do/"+operation, bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set(tabHeader, w.tab)
		res, err := w.guest.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		text, err := url.PathUnescape(res.Header.Get(didHeader))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	w.saved(first, "Do Design", "Do Design\n\n## Log\n\n- [2026-11-28 00:00:01] [AI] ? Which colours?")
	w.engine.Refresh()
	for _, c := range []struct {
		operation string
		args      map[string]any
		want      string
	}{
		{"log_append", map[string]any{"nodeId": second, "event": "Called them"}, "Shop: new entry"},
		{"log_append", map[string]any{"nodeId": first, "event": "! re 00:00:01 Green"}, "Design: new entry"},
		{"node_move", map[string]any{"nodeId": second, "newParentId": "root", "before": first}, "Shop: moved"},
		{"node_move?also=" + second, map[string]any{"nodeId": first, "newParentId": "Paint"}, "Design, Shop: moved"},
		{"undo", map[string]any{}, "Undone: Design, Shop: moved"},
		{"node_create", map[string]any{"parentId": "Paint", "title": "Shop", "type": "execution"}, "Added Shop"},
		{"node_create", map[string]any{"parentId": "Paint", "title": "Shop", "type": "execution"},
			"Added Shop · Shop: Paint has a child of this title already, Shop; only their ids tell them apart"},
		{"memory_save", map[string]any{"slot": "tiles", "text": "Sand"}, "Added tiles"},
		{"memory_save", map[string]any{"slot": "tiles", "text": "Or grey"}, "tiles: new entry"},
		{"memory_update", map[string]any{"slot": "tiles", "name": "floor"}, "tiles: moved: floor"},
		{"memory_archive", map[string]any{"slot": "floor"}, "floor: archived"},
		{"memory_restore", map[string]any{"slot": "floor"}, "floor: restored"},
		{"memory_delete", map[string]any{"slot": "floor"}, "Deleted floor"},
		{"session_start", map[string]any{"name": "Measuring", "sessionId": "s20"}, "Added Measuring"},
		{"session_note", map[string]any{"sessionId": "s20", "text": "The east wall first"}, "Measuring: noted"},
		{"session_end", map[string]any{"sessionId": "s20", "summary": "Done"}, "Measuring: ended"},
		{"workspace_update", map[string]any{"goal": "A larger site"}, "Workspace: goal"},
	} {
		if got := said(c.operation, c.args); got != c.want {
			t.Errorf("%s %v says %q, not %q", c.operation, c.args, got, c.want)
		}
	}
	_, list := w.get("/activity")
	for _, want := range []string{"Shop: Called them", "Design: Answer: Green", "<bdi>Shop: moved</bdi>",
		"<bdi>Design, Shop: moved · undone</bdi>", "<bdi>Undone: Design, Shop: moved</bdi>", "<bdi>Added Website</bdi>"} {
		if !strings.Contains(list, want) {
			t.Errorf("the activity does not say %q:\n%s", want, list)
		}
	}
	if _, talk := w.get("/node/" + first); !strings.Contains(talk, "Question: Which colours?") ||
		!strings.Contains(talk, "Answer: Green") {
		t.Errorf("the log has signs:\n%s", talk)
	}
	w.do("problem_update", map[string]any{"nodeId": first, "problem": "No paint"})
	w.do("node_transition", map[string]any{"nodeId": first, "action": "start"})
	w.do("problem_update", map[string]any{"nodeId": first, "problem": "No paint at all"})
	if _, now := w.get("/"); !strings.Contains(now, "problem: No paint at all") {
		t.Errorf("the last line of the log is empty:\n%s", now)
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
