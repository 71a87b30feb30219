package web

import (
	"fmt"
	"strings"
	"testing"

	"arbor/engine/ops"
	"arbor/mdstore"
)

// A person plans ten nodes and works on two, while an assistant edits and an editor saves. No text is lost.
func TestAPersonsSession(t *testing.T) {
	w := newWorld(t, nil)
	b := newBrowser(t)
	w.follow()
	p := b.open(w, "/")
	p.sees("No plan yet")
	p.click("[name=name]")
	p.write("Conference")
	p.keys("Tab")
	p.write("Three days, two hundred guests")
	p.click("button|Begin")
	p.until(`location.pathname === "/plan"`)
	p.size(1000, 800) // the node has a page of its own
	p.click("#tree a|Conference")
	p.until(`location.pathname.startsWith("/node/")`)
	p.sees("Requirement")
	for i := range 10 {
		p.click("button|New node below")
		p.until(`document.querySelector("#ask")?.open && document.activeElement.name === "title"`)
		p.write(fmt.Sprintf("Task %d", i+1))
		p.click("#ask [name=requirement]")
		p.write(fmt.Sprintf("What task %d needs", i+1))
		p.click("#ask button|OK")
		p.until(`!document.querySelector("#ask") && [...document.querySelectorAll("main li a")].some((a) => a.innerText === "Task ` + fmt.Sprint(i+1) + `")`)
	}
	ws := p.eval(`document.body.dataset.workspace`).(string)
	work := func(i int) string {
		p.click(fmt.Sprintf("main li a|Task %d", i))
		p.until(`document.querySelector("h1").innerText === "Task ` + fmt.Sprint(i) + `"`)
		p.until(`document.readyState === "complete"`)
		p.click("[data-action=start]")
		p.until(`document.querySelector("[data-action=complete]")`)
		return p.eval(`document.querySelector("article").dataset.node`).(string)
	}
	up := func() {
		p.click("article a|Conference")
		p.until(`document.querySelector("h1").innerText === "Conference" && document.readyState === "complete"`)
	}

	// First conflict: while the person writes the note, an assistant adds to the requirement and to the log.
	first := work(1)
	p.click("[data-edit=note]")
	p.until(`document.activeElement.tagName === "TEXTAREA"`)
	p.write("The hall is booked.")
	assistant := &ops.Env{Engine: w.engine, Operator: mdstore.OperatorAI, Session: "s1"}
	more := "What task 1 needs\n\nAn assistant adds: catering"
	if _, err := ops.NodeUpdate(t.Context(), assistant, ops.NodeUpdateIn{In: ops.In{WorkspaceID: ws}, NodeID: first, Requirement: &more}); err != nil {
		t.Fatal(err)
	}
	p.sees("An assistant adds: catering")
	p.until(`document.querySelector(".editing textarea:not(.source)").value === "The hall is booked."`)
	p.keys("Control+Enter")
	p.until(`!document.querySelector(".editing")`)
	p.click("#log textarea")
	p.write("Called the caterer")
	p.keys("Enter")
	p.sees("Called the caterer")
	p.click("[data-action=complete]")
	p.until(`document.querySelector("#ask")?.open`)
	p.write("Hall and catering are booked.")
	p.click("#ask button|OK")
	p.sees("Hall and catering are booked.")
	up()

	// Second conflict: an editor saves the text that the person is editing.
	second := work(2)
	p.click("[data-edit=requirement]")
	p.until(`document.activeElement.tagName === "TEXTAREA"`)
	p.keys("Control+End")
	p.eval(`document.activeElement.setSelectionRange(1e6, 1e6)`)
	p.write("\n\nfrom the page")
	w.saved(second, "What task 2 needs", "from the editor\n\nWhat task 2 needs")
	p.sees("changed elsewhere")
	p.click("button|Merge both")
	p.sees("Read it and save")
	p.click("button|Save")
	p.until(`!document.querySelector(".editing")`)

	for id, all := range map[string][]string{
		first:  {"status: completed", "An assistant adds: catering", "The hall is booked.", "Called the caterer", "Hall and catering are booked."},
		second: {"status: implementing", "from the editor", "What task 2 needs", "from the page"},
	} {
		for _, want := range all {
			if said := w.says(id); !strings.Contains(said, want) {
				t.Errorf("%s does not say %q:\n%s", id, want, said)
			}
		}
	}
	p.visit("/check")
	p.sees("No problems found")
}
