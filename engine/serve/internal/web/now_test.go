package web

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"arbor/engine/enginetest"
	"arbor/engine/env/trust"
	"arbor/engine/ops"
	"arbor/mdstore"
)

// assistant calls an operation as an assistant of a session.
func (w *world) assistant(session, operation string, in any) {
	w.t.Helper()
	o, ok := ops.Find(operation)
	if !ok {
		w.t.Fatalf("no operation %s", operation)
	}
	env := &ops.Env{Engine: w.engine, Operator: mdstore.OperatorAI, Session: session}
	if _, err := o.Run(w.t.Context(), env, in); err != nil {
		w.t.Fatalf("%s: %v", operation, err)
	}
}

// section returns a part of the first screen, from its heading to the next one.
func (w *world) section(heading string) string {
	w.t.Helper()
	_, said := w.get("/")
	_, part, ok := strings.Cut(said, "<h2>"+heading)
	if !ok {
		w.t.Fatalf("there is no %s:\n%s", heading, said)
	}
	part, _, _ = strings.Cut(part, "<h2>")
	return part
}

// words returns the words of HTML.
func words(html string) string {
	return strings.Join(strings.Fields(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(html, " ")), " ")
}

// The parts of the progress add up. A claimed node is at work, and not under "Next". The claim can be taken back.
func TestNowTellsTheTruth(t *testing.T) {
	files := enginetest.Plan("ws-a", "node-a", "node-b", "node-c")
	files[mdstore.NodePath("ws-a", "node-f")] = enginetest.Step("node-f", "failed", "## Conclusion\n\nno\n")
	files[mdstore.NodePath("ws-a", "node-g")] = enginetest.Step("node-g", "completed", "## Conclusion\n\nyes\n")
	w := newWorld(t, files)
	in := ops.In{WorkspaceID: "ws-a"}
	w.assistant("s20", "node_next", &ops.NodeNextIn{In: in, Claim: true, SessionID: "s20"})
	w.assistant("s20", "node_transition", &ops.NodeTransitionIn{In: in, NodeID: "node-a", Action: "start"})
	if said := words(w.section("Progress")); !strings.Contains(said, "1 done · 1 running · 1 given up · 2 open of 5 nodes") {
		t.Errorf("the numbers do not add up: %s", said)
	}
	work, next := w.section("At work"), w.section("Next")
	if !strings.Contains(words(work), "T node-a implementing s20 since") || !strings.Contains(work, `data-release="node-a"`) {
		t.Errorf("at work: %s", work)
	}
	if strings.Contains(next, "T node-a") || !strings.Contains(next, "T node-b") {
		t.Errorf("next: %s", next)
	}
	w.do("node_next", map[string]any{"workspaceId": "ws-a", "release": "node-a"})
	if work := w.section("At work"); strings.Contains(work, "data-release") {
		t.Errorf("the claim was taken back, and at work there is %s", work)
	}
}

// What waits for the person has its buttons in its row.
func TestWhatWaitsHasItsButtons(t *testing.T) {
	w := newWorld(t, nil)
	ws, first, second := w.plan()
	w.do("problem_update", map[string]any{"workspaceId": ws, "nodeId": first, "problem": "No paint"})
	w.do("node_update", map[string]any{"workspaceId": ws, "nodeId": second, "due": "2020-01-01"})
	_, said := w.get("/")
	for _, want := range []string{`data-solved data-node="` + first, `data-action="start" data-node="` + second} {
		if !strings.Contains(said, want) {
			t.Errorf("the first screen lacks %s:\n%s", want, said)
		}
	}
}

// The buttons of the first screen do what they say.
func TestTheFirstScreenIsEnoughToDecide(t *testing.T) {
	w := newWorld(t, nil)
	b := newBrowser(t)
	w.follow()
	ws, first, second := w.plan()
	in := ops.In{WorkspaceID: ws}
	w.do("problem_update", map[string]any{"workspaceId": ws, "nodeId": first, "problem": "No paint"})
	w.do("node_update", map[string]any{"workspaceId": ws, "nodeId": second, "due": "2020-01-01"})
	w.assistant("s20", "node_next", &ops.NodeNextIn{In: in, Claim: true, SessionID: "s20"})
	p := b.open(w, "/")
	p.click("[data-release]")
	p.until(`!document.querySelector("[data-release]")`)
	p.click("[data-solved]")
	p.until(`!document.querySelector("[data-solved]")`)
	p.click("[data-action=start]")
	p.until(`!!document.querySelector("[data-action=complete]")`)
	p.click("[data-action=complete]")
	p.until(`document.querySelector("#ask")?.open`)
	p.write("It is sold.")
	p.keys("Control+Enter")
	p.until(`!document.querySelector("#for-you")`)
	if said := w.says(second); !strings.Contains(said, "It is sold.") {
		t.Errorf("the file says\n%s", said)
	}
}

// visited makes the last visit one that ended long ago.
func (w *world) visited(ago time.Duration) {
	w.t.Helper()
	_, _ = w.get("/")
	at, err := url.Parse(w.server.URL)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, c := range w.guest.Jar.Cookies(at) {
		if strings.HasPrefix(c.Name, "arbor-visit") {
			c.Value, c.Path = fmt.Sprintf("0.%d", time.Now().Add(-ago).UnixMilli()), "/"
			w.guest.Jar.SetCookies(at, []*http.Cookie{c})
		}
	}
}

// Nodes that others deleted since the last visit are listed, with who did it and when, and come back by Undo. A node
// that is there again, or that the person deleted, is not.
func TestWhatOthersDeletedIsShownAndComesBack(t *testing.T) {
	w := newWorld(t, nil)
	ws, first, second := w.plan()
	in := ops.In{WorkspaceID: ws}
	group := w.do("node_create", map[string]any{"workspaceId": ws, "parentId": "root", "title": "Rooms", "type": "planning"})["nodeId"].(string)
	w.do("node_create", map[string]any{"workspaceId": ws, "parentId": group, "title": "Kitchen", "type": "execution"})
	w.visited(time.Hour)
	w.assistant("s20", "node_delete", &ops.NodeDeleteIn{In: in, NodeID: group})
	w.assistant("s20", "node_delete", &ops.NodeDeleteIn{In: in, NodeID: second})
	w.do("node_delete", map[string]any{"workspaceId": ws, "nodeId": first})
	part := w.section("Since you were here")
	for _, title := range []string{"Rooms", "Shop"} {
		if said := words(part); !regexp.MustCompile(title + ` assistant s20: deleted · [0-9 -]*\d\d:\d\d`).MatchString(said) {
			t.Errorf("since lacks %s: %s", title, said)
		}
	}
	if said := words(part); strings.Contains(said, "Design") || strings.Contains(said, "Kitchen") {
		t.Errorf("since: %s", said)
	}
	if row, _ := w.activityRow("Deleted Rooms (and below it: 1)"); !strings.Contains(row, "data-undo") {
		t.Errorf("Activity: %s", row)
	}
	undo := regexp.MustCompile(`data-undo="([^"]+)"\s+aria-label="Undo: Rooms"`).FindStringSubmatch(part)
	if undo == nil {
		t.Fatalf("it cannot be undone: %s", part)
	}
	w.do("undo", map[string]any{"operation": undo[1]})
	if _, said := w.get("/node/" + group); !strings.Contains(said, "Kitchen") {
		t.Errorf("it is not there again: %s", said)
	}
	if said := w.section("Since you were here"); strings.Contains(said, "Undo: Rooms") || !strings.Contains(said, "Undo: Shop") {
		t.Errorf("since, after the undo: %s", said)
	}
}

// What others changed since the last visit is listed with a diff, until it is seen. What a person did here is not.
func TestWhatOthersChangedIsShownUntilItIsSeen(t *testing.T) {
	w := newWorld(t, nil)
	ws, first, second := w.plan()
	in := ops.In{WorkspaceID: ws}
	w.visited(time.Hour)
	more := "Do Shop\n\nwith a till"
	w.assistant("s20", "node_update", &ops.NodeUpdateIn{In: in, NodeID: second, Requirement: &more})
	w.do("node_update", map[string]any{"workspaceId": ws, "nodeId": first, "note": "mine"})
	part := w.section("Since you were here")
	if said := words(part); !strings.Contains(said, "Shop assistant s20: requirement") || strings.Contains(said, "Design") {
		t.Errorf("since: %s", said)
	}
	m := regexp.MustCompile(`data-part="([^"]+)"`).FindStringSubmatch(part)
	if m == nil {
		t.Fatalf("no diff: %s", part)
	}
	if _, diff := w.get(m[1], "Arbor-Part", "main"); !strings.Contains(words(diff), "with a till") {
		t.Errorf("the diff is %s", diff)
	}
	pulled := regexp.MustCompile(`(created|updated)At: \d+`).ReplaceAllString(w.says(second), "${1}At: 1600000000000") // long before
	pulled = strings.NewReplacer(second, "node-pulled", "title: Shop", "title: Pulled").Replace(pulled)
	name := filepath.Join(filepath.Dir(filepath.Dir(w.file(second))), "node-pulled", "Node.md")
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, []byte(pulled), 0o666)); err != nil {
		t.Fatal(err)
	}
	w.engine.Refresh()
	if said := words(w.section("Since you were here")); !strings.Contains(said, "Pulled") {
		t.Errorf("a file that came with an older time is missing: %s", said)
	}
	if code, said := w.post("/seen", map[string]any{}); code != 200 {
		t.Fatalf("seen: %d %s", code, said)
	}
	if said := words(w.section("Since you were here")); strings.Contains(said, "Shop") {
		t.Errorf("seen, and still there: %s", said)
	}
}

// Other projects that this person opened lately are named, with what waits there: as a link where a server runs, and
// otherwise with the command that starts one.
func TestOtherProjectsAreNamed(t *testing.T) {
	w := newWorld(t, nil)
	w.plan()
	dir := filepath.Join(w.engine.StateDir(), "trust")
	other := func(name string, change func(*trust.Book)) {
		vault := filepath.Join(t.TempDir(), name, mdstore.DefaultVault)
		if err := os.MkdirAll(vault, 0o777); err != nil {
			t.Fatal(err)
		}
		s, err := trust.At(dir, vault)
		if err == nil {
			err = s.Update(t.Context(), func(b *trust.Book) error { change(b); return nil })
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	now := time.Now()
	other("garden", func(b *trust.Book) {
		b.KeepTab(now, "x")
		b.Ask(now, trust.Request{Kind: trust.KindTool, Call: trust.Call{Tool: "make"}}, "r1")
	})
	other("shop", func(b *trust.Book) { b.Serve(w.server.URL); b.Waits = 3 })
	other("asleep", func(b *trust.Book) { b.KeepTab(now, "x"); b.Waits = 5 }) // who knows since
	other("never", func(*trust.Book) {})
	part := w.section("Your other projects")
	said := words(part)
	if !strings.Contains(said, "arbor serve --open For you: 1") || !strings.Contains(said, "garden cd ") ||
		!strings.Contains(part, `<a href="`+w.server.URL+`">shop</a>`) || strings.Contains(said, "never") {
		t.Errorf("other projects: %s", part)
	}
	if !strings.Contains(said, "shop For you: 3") || strings.Contains(said, "For you: 5") {
		t.Errorf("other projects: %s", said)
	}
	_, plan := w.get("/plan") // the rail leads to those that run
	if !strings.Contains(plan, `<a href="`+w.server.URL+`" class="vault">`) || strings.Contains(plan, "garden") {
		t.Errorf("the rail of the plan:\n%s", plan)
	}
}

// A running server keeps with the person's state how many questions, problems and nodes in validation wait.
func TestAServerCountsWhatWaits(t *testing.T) {
	w := newWorld(t, nil)
	ws, first, second := w.plan()
	w.do("problem_update", map[string]any{"workspaceId": ws, "nodeId": first, "problem": "No paint"})
	store, err := trust.At(filepath.Join(w.engine.StateDir(), "trust"), w.folder())
	if err != nil {
		t.Fatal(err)
	}
	counted := func(want int) {
		t.Helper()
		w.site.noteWaits(t.Context())
		if b, err := store.Read(); err != nil || b.Waits != want {
			t.Errorf("it counts %d, not %d: %v", b.Waits, want, err)
		}
	}
	counted(1)
	in := ops.In{WorkspaceID: ws}
	w.assistant("s20", "log_append", &ops.LogAppendIn{In: in, NodeID: second, Event: "Which colour?", Question: true})
	counted(2)
	w.do("node_transition", map[string]any{"workspaceId": ws, "nodeId": second, "action": "start"})
	w.do("node_transition", map[string]any{"workspaceId": ws, "nodeId": second, "action": "submit"})
	counted(3)
	w.do("problem_clear", map[string]any{"workspaceId": ws, "nodeId": first})
	counted(2)
}
