package web

import (
	"strings"
	"testing"

	"arbor/engine/enginetest"
	"arbor/mdstore"
)

// The board has execution nodes by status, with their number in the heads; lanes by branch or assignee.
func TestTheBoardHasLanes(t *testing.T) {
	w := newWorld(t, enginetest.Plan("ws-a", "node-a", "node-b"))
	make := func(parent, title, kind string, more ...string) string {
		args := map[string]any{"workspaceId": "ws-a", "parentId": parent, "title": title, "type": kind}
		for i := 0; i < len(more); i += 2 {
			args[more[i]] = []string{more[i+1]}
		}
		return w.do("node_create", args)["nodeId"].(string)
	}
	kitchen := make("root", "Kitchen", "planning")
	make(kitchen, "Sink", "execution", "assignee", "ann")
	make(make(kitchen, "Floor", "planning"), "Tiles", "execution")
	shown := func(path string) string {
		_, said := w.get(path)
		_, said, _ = strings.Cut(said, "</form>")
		return words(said)
	}
	one := shown("/board?ws=ws-a")
	if !strings.Contains(one, "pending 4 ") || !strings.Contains(one, "failed 0") || strings.Contains(one, "Kitchen Kitchen") ||
		strings.Contains(one, "monitoring") {
		t.Errorf("the board: %s", one)
	}
	if said := shown("/board?ws=ws-a&by=branch"); !strings.Contains(said, "Kitchen ○ pending 2 Sink @ann Tiles Floor") ||
		!strings.Contains(said, "no group ○ pending 2 T node-a") {
		t.Errorf("by branch: %s", said)
	}
	if said := shown("/board?ws=ws-a&by=assignee"); !strings.Contains(said, "ann ○ pending 1 Sink Kitchen") ||
		!strings.Contains(said, "no group ○ pending 3") {
		t.Errorf("by assignee: %s", said)
	}
	for _, at := range []string{string(mdstore.Root), kitchen} {
		if _, said := w.get("/board?ws=ws-a&by=branch"); !strings.Contains(said, `name="parentId" value="`+at) {
			t.Errorf("nothing can be added below %s: %s", at, said)
		}
	}
}

func TestANodeIsAddedOnTheBoard(t *testing.T) {
	w := newWorld(t, nil)
	b := newBrowser(t)
	w.follow()
	w.plan()
	p := b.open(w, "/board")
	p.click(".adding input[name=title]")
	p.write("Window")
	p.keys("Enter")
	p.until(`document.querySelector("[data-status=pending]").innerText.includes("Window") && !document.querySelector(".adding [name=title]").value`)
}
