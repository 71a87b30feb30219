package web

import (
	"strings"
	"testing"
)

// A person ticks and unticks criteria, also by keyboard, and completes a node despite an open criterion.
func TestAPersonTicksCriteria(t *testing.T) {
	w := newWorld(t, nil)
	b := newBrowser(t)
	w.follow()
	ws, first, _ := w.plan()
	w.do("node_update", map[string]any{"workspaceId": ws, "nodeId": first, "criteria": []string{"drawn", "shown <b>to</b> all", "paid"}})
	p := b.open(w, "/node/"+first)
	p.sees("0/3")
	p.click(`[data-tick="2"]`)
	p.until(`document.querySelector('[data-tick="2"]').getAttribute("aria-pressed") === "true"`)
	p.sees("1/3")
	p.eval(`document.querySelector('[data-tick="1"]').focus()`)
	p.keys("Enter")
	p.sees("2/3")
	p.until(`document.activeElement.dataset.tick === "1"`)
	p.click(`[data-tick="2"]`)
	p.until(`document.querySelector('[data-tick="2"]').getAttribute("aria-pressed") === "false"`)
	if said := w.says(first); !strings.Contains(said, "- [x] drawn\n- [ ] shown <b>to</b> all\n- [ ] paid") {
		t.Errorf("the file says\n%s", said)
	}
	p.until(`!document.querySelector("[data-force]")`) // the node is not started
	p.click("[data-action=start]")
	p.click("[data-force]")
	p.until(`document.querySelector("#ask")?.open`)
	p.write("It is drawn.")
	p.click("#ask button|OK")
	p.until(`document.querySelector(".s-completed")`)
	if said := w.says(first); !strings.Contains(said, "status: completed") || !strings.Contains(said, "- [ ] paid") {
		t.Errorf("the file says\n%s", said)
	}
	if said := p.said(); len(said) != 0 {
		t.Errorf("the console says %q", said)
	}
}

// A person answers each question of an assistant on the page, and the node is ready again.
func TestAPersonAnswersQuestions(t *testing.T) {
	w := newWorld(t, nil)
	b := newBrowser(t)
	w.follow()
	_, first, _ := w.plan()
	w.saved(first, "Do Design", "Do Design\n\n## Log\n\n- [2026-11-28 00:00:01] [AI] ? Which colours?\n"+
		"- [2026-11-28 00:00:02] [AI] ? Which paper?")
	p := b.open(w, "/node/"+first)
	p.sees("Which paper?")
	if at := p.eval(`[...document.querySelectorAll(".log .question p")].map((e) => e.innerText.split("?")[0]).join()`); at != "Question: Which colours,Question: Which paper" {
		t.Errorf("the questions in the log are %v", at)
	}
	p.click(".question textarea") // the older question
	p.write("Green & <white>")
	p.click(".question button|Answer")
	p.until(`document.querySelectorAll(".question").length === 1 && document.querySelector(".question").innerText.includes("paper")`)
	p.until(`document.querySelector(".question textarea").value === ""`)
	p.click(".question textarea")
	p.write("Recycled")
	p.keys("Enter")
	p.until(`!document.querySelector(".question")`)
	p.click("#log textarea") // Shift+Enter begins a line, Enter sends
	p.write("Called the shop")
	p.keys("Shift+Enter")
	p.write("twice")
	p.keys("Enter")
	p.until(`document.querySelector(".log li").innerText.includes("Called the shop\ntwice") && document.querySelector("#log textarea").value === ""`)
	said := w.says(first)
	if strings.Count(said, "[Human] ! re ") != 2 || !strings.Contains(said, "Green & <white>") || !strings.Contains(said, "Recycled") {
		t.Errorf("the file says\n%s", said)
	}
	if _, list := w.get("/graph"); strings.Contains(list, "waits for an answer") {
		t.Errorf("the node waits still:\n%s", list)
	}
	if left := p.eval(`Object.keys(localStorage).length`); left != 0.0 {
		t.Errorf("drafts are left of what is sent: %v", p.eval(`JSON.stringify(localStorage)`))
	}
}

// The first screen has what waits for the person, first: questions, which are answered there, problems, nodes in
// validation and overdue ones. Nodes in work have the last line of their logs.
func TestNowHasWhatWaitsForThePerson(t *testing.T) {
	w := newWorld(t, nil)
	b := newBrowser(t)
	w.follow()
	ws, first, second := w.plan()
	w.saved(first, "Do Design", "Do Design\n\n## Log\n\n- [2026-11-28 00:00:01] [AI] ? Which colours?")
	w.do("node_update", map[string]any{"workspaceId": ws, "nodeId": second, "due": "2020-01-01"})
	w.do("node_transition", map[string]any{"workspaceId": ws, "nodeId": second, "action": "start"})
	w.do("log_append", map[string]any{"workspaceId": ws, "nodeId": second, "event": "the shelves are up"})
	p := b.open(w, "/")
	p.sees("Which colours?")
	if said := p.eval(`document.querySelector("#for-you").innerText`).(string); !strings.Contains(said, "Shop") {
		t.Errorf("an overdue node does not wait for the person:\n%s", said)
	}
	p.sees("the shelves are up")
	p.click("#for-you textarea")
	p.write("Green")
	p.keys("Enter")
	p.until(`!document.querySelector(".question")`)
	if said := w.says(first); !strings.Contains(said, "[Human] ! re ") || !strings.Contains(said, "Green") {
		t.Errorf("the file says\n%s", said)
	}
	w.do("problem_update", map[string]any{"workspaceId": ws, "nodeId": second, "problem": "No paint"})
	p.until(`document.querySelector("#for-you").innerText.includes("No paint")`)
}

// A person changes, adds and removes their own keys in "Properties". The other keys stay the same.
func TestAPersonEditsTheirOwnKeys(t *testing.T) {
	w := newWorld(t, nil)
	b := newBrowser(t)
	w.follow()
	ws, first, _ := w.plan()
	w.do("node_update", map[string]any{"workspaceId": ws, "nodeId": first, "fields": map[string]any{
		"sprint": 7, "client": "Ann", "links": []string{"a, b", "c"}, "rate": "10", "old": "x"}})
	p := b.open(w, "/node/"+first)
	set := func(values map[string]string) {
		p.click("button|Properties")
		p.until(`document.querySelector("#ask")?.open && document.querySelector('#ask [name=newKey]')`)
		for name, value := range values {
			p.eval(`(e => { e.value = ` + quoted(value) + `; e.dispatchEvent(new Event("input")) })(document.querySelector('#ask [name="` + name + `"]'))`)
		}
		p.click("#ask button|OK")
		p.until(`!document.querySelector("#ask")`)
	}
	set(map[string]string{"fields.sprint": "8", "fields.links": "a, b\nd", "fields.rate": "11", "fields.old": "",
		"newKey": "estimate", "newValue": "2.5"})
	p.sees("estimate 2.5")
	p.until(`localStorage.length === 0`) // the server has answered
	said := w.says(first)
	for _, want := range []string{"\nsprint: 8\n", "\nclient: Ann\n", "estimate: 2.5\n", "\"a, b\"", "d", "rate: \"11\"\n"} {
		if !strings.Contains(said, want) {
			t.Errorf("the file does not say %q:\n%s", want, said)
		}
	}
	if strings.Contains(said, "old:") {
		t.Errorf("a key that was removed is there:\n%s", said)
	}
	set(map[string]string{"newKey": "status", "newValue": "done"}) // a key of Arbor
	p.until(`document.querySelector("#said").innerText.includes("status")`)
	p.click("button|Properties")
	p.until(`document.querySelector('#ask [name=newKey]')?.value === "status"`) // the typed text is kept
	if said := p.said(); len(said) != 1 || !strings.Contains(said[0], "node_update") {
		t.Errorf("the console says %q; the browser tells of the one refusal", said)
	}
	if again := w.says(first); again != said {
		t.Errorf("a refused key changed the file:\n%s", again)
	}
}
