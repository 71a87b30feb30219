package web

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A person's day with the program as it is shipped: an empty folder, a plan that is pasted, two assistants, an editor, a
// server that is started again, and everything decided on the first screen, on a wide screen and on a phone.
func TestAPersonsDay(t *testing.T) {
	if os.Getenv("ARBOR_HEAVY") == "" {
		t.Skip("it builds the program; ARBOR_HEAVY=1 runs it")
	}
	for _, width := range []int{1440, 390} {
		t.Run(fmt.Sprint(width), func(t *testing.T) { aDay(t, width) })
	}
}

const pasted = `- Venue
  - Book the hall
  - Chairs for two hundred
  - Ask the fire brigade
  - Map of the way
- Programme
  - Call for talks
  - Choose the talks
  - Print the programme
  - Invite the speakers
- Money
  - Tickets
  - Sponsors
  - Bank account
  - Budget
`

func aDay(t *testing.T, width int) {
	pr := newProject(t)
	b := newBrowser(t)
	pr.serve()
	p := b.tab(pr.base)
	p.size(width, 844)
	p.goTo(pr.opened)
	p.sees("No plan yet")
	p.said() // the shell came with 401
	if left, err := os.ReadDir(pr.dir); err != nil || len(left) != 0 {
		t.Errorf("before the first title: %v, %v", left, err)
	}
	p.click("[name=name]")
	p.write("Conference")
	p.keys("Tab")
	p.write("Three days, two hundred guests")
	p.keys("Tab", "Enter") // "Begin"
	p.until(`location.pathname === "/plan" && document.readyState === "complete"`)

	// Fifteen nodes in three groups.
	clicks, keys := p.clicks, p.pressed
	p.eval(`window.same = true`)
	p.click("[data-add=root]")
	p.until(`document.activeElement.closest("#adding")`)
	p.paste(pasted)
	p.until(`document.querySelectorAll("#tree li[data-id]").length === 16`)
	p.keys("Escape")
	if clicks, keys = p.clicks-clicks, p.pressed-keys; clicks > 20 || keys > 45 || p.eval(`window.same`) != true {
		t.Errorf("a plan of fifteen nodes took %d clicks and %d keys", clicks, keys)
	}

	// Two assistants claim work. One asks, one wants the folder, one node fails.
	<-pr.ready
	one, two := pr.assistant("s1"), pr.assistant("s2")
	hall, others := one.claim(1)[0], two.claim(2)
	chairs, fire := others[0], others[1]
	for id, a := range map[string]*assistant{hall: one, chairs: two, fire: two} {
		a.call("node_transition", map[string]any{"nodeId": id, "action": "start"})
	}
	one.call("log_append", map[string]any{"nodeId": hall, "event": "Which of the two halls?", "question": true})
	two.call("log_append", map[string]any{"nodeId": chairs, "event": "A hundred chairs are found"})
	two.call("node_transition", map[string]any{"nodeId": fire, "action": "fail", "conclusion": "Nobody answers the phone"})
	two.try("env_register", map[string]any{"uri": "file:.", "id": "conference", "trust": "restricted"})

	// A person writes while an editor saves another text, and the server is started again.
	name, text := pr.file("Chairs for two hundred")
	p.visit("/node/" + filepath.Base(filepath.Dir(name)))
	p.click("[data-edit=note]")
	p.until(`document.activeElement.tagName === "TEXTAREA"`)
	p.write("The school lends ")
	if err := os.WriteFile(name, []byte(strings.TrimRight(text, "\n")+"\n\n## Vendors\n\nFrom the editor\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	p.sees("From the editor")
	pr.stop()
	p.until(`document.querySelector("#live").textContent !== ""`)
	p.write("a hundred more")
	p.keys("Control+Enter")
	p.until(`!document.querySelector("#said").hidden`)
	pr.serve()
	p.until(`document.querySelector("#live").textContent === ""`)
	if got := p.eval(`document.querySelector(".editing textarea:not(.source)").value`); got != "The school lends a hundred more" {
		t.Errorf("after the restart the text is %q", got)
	}
	p.said() // of the server that was away
	p.keys("Control+Enter")
	p.until(`!document.querySelector(".editing")`)

	// Everything that waits is decided on the first screen.
	p.visit("/")
	clicks, keys = p.clicks, p.pressed
	p.until(`document.title.startsWith("(1) ")`)
	p.click("#for-you [data-do=approve]")
	p.until(`!document.querySelector("[data-do=approve]")`)
	p.click("#for-you .question [name=event]")
	p.write("The one by the river")
	p.keys("Enter")
	p.until(`!document.querySelector(".question")`)
	p.click(`#for-you [data-action=retry]`)
	p.until(`!document.querySelector("#for-you")`)
	if clicks, keys = p.clicks-clicks, p.pressed-keys; clicks > 3 || keys > 1 {
		t.Errorf("three decisions took %d clicks and %d keys", clicks, keys)
	}
	p.sees("A hundred chairs are found")
	if wide := p.eval(`document.documentElement.scrollWidth`).(float64); int(wide) > width {
		t.Errorf("the first screen is %v wide on a screen of %d", wide, width)
	}

	// The assistants go on with what was decided, in new connections.
	one.connect()
	two.connect()
	if _, said := one.try("context_get", map[string]any{"nodeId": hall}); !strings.Contains(said, "The one by the river") {
		t.Errorf("the assistant does not get the answer: %s", said)
	}
	two.call("env_attach", map[string]any{"id": "conference"})
	for id, a := range map[string]*assistant{hall: one, chairs: two, fire: two} {
		a.try("node_get", map[string]any{"nodeId": id})
		a.call("node_transition", map[string]any{"nodeId": id, "action": "complete", "conclusion": "Done: " + id})
	}
	one.call("session_end", map[string]any{"summary": "The hall"})
	two.call("session_end", map[string]any{"summary": "Chairs, and the fire brigade"})
	p.sees("Nobody is at work")
	for title, wants := range map[string][]string{
		"Book the hall":          {"? Which of the two halls?", "The one by the river", "Done: " + hall},
		"Chairs for two hundred": {"From the editor", "The school lends a hundred more", "A hundred chairs are found"},
		"Ask the fire brigade":   {"Nobody answers the phone", "Done: " + fire},
	} {
		_, text := pr.file(title)
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("%s lacks %q:\n%s", title, want, text)
			}
		}
	}
	p.visit("/check")
	p.sees("No problems found")
	if lost, _ := filepath.Glob(filepath.Join(pr.dir, ".tanmi-workspace", "*", "nodes", "*", "Node.md")); len(lost) != 16 {
		t.Errorf("%d files of nodes", len(lost))
	}
	for _, e := range p.said() {
		t.Errorf("the console says: %s", e)
	}
	pr.stop()
}

// claim claims the next nodes for the assistant's session, and returns their ids.
func (a *assistant) claim(count int) (ids []string) {
	a.pr.t.Helper()
	out := a.call("node_next", map[string]any{"claim": true, "sessionId": a.name, "count": count})
	lines, _ := out["next"].([]any)
	for _, line := range lines {
		id, _, _ := strings.Cut(line.(string), " ")
		ids = append(ids, id)
	}
	if len(ids) != count {
		a.pr.t.Fatalf("%s claims %v", a.name, out)
	}
	return ids
}

// paste pastes a text at the focus.
func (p *page) paste(text string) {
	p.t.Helper()
	p.pressed++
	p.eval(`(() => { const data = new DataTransfer(); data.setData("text", ` + quoted(text) + `);
		const e = new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true });
		document.activeElement.dispatchEvent(e) })()`)
}
