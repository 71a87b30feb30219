package web

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"arbor/engine/enginetest"
)

// A writer changes the plan twenty times a second: it adds rows above those that the person sees, and to the log of the
// node that is open. The page is drawn at most twice a second. The person's text stays, with the focus; nothing jumps;
// and rows that did not change are the same elements as before. A tab in the background asks for nothing, and has its
// draft and all changes when it is shown. With ARBOR_HEAVY=1 it takes a minute.
func TestABusyWriterDisturbsNobody(t *testing.T) {
	events := 20
	if os.Getenv("ARBOR_HEAVY") != "" {
		events = 20 * 60
	}
	w := newWorld(t, enginetest.Sized(100))
	b := newBrowser(t)
	w.follow()
	p := b.open(w, "/plan")
	p.size(1440, 600)
	ws := p.eval(`document.body.dataset.workspace`).(string)
	group := w.do("node_create", map[string]any{"workspaceId": ws, "parentId": "root", "title": "First group", "type": "planning"})["nodeId"].(string)
	first := w.do("node_create", map[string]any{"workspaceId": ws, "parentId": group, "title": "Open", "type": "execution"})["nodeId"].(string)
	top := p.eval(`document.querySelector("#tree li li[data-id]").dataset.id`).(string)
	w.do("node_move", map[string]any{"workspaceId": ws, "nodeId": group, "newParentId": "root", "before": top})
	back := b.tab(w.server.URL)
	back.visit("/node/" + first)
	typing := func(p *page, text string) {
		p.click("[data-edit=note]")
		p.until(`document.activeElement.tagName === "TEXTAREA"`)
		p.write(text)
	}
	typing(back, "a draft in the background")
	p.front()
	p.visit("/plan?node=" + first)
	p.click("#beside [data-edit=requirement]")
	p.until(`document.activeElement.tagName === "TEXTAREA"`)
	p.write("typed ")
	p.eval(`(() => { const all = [...document.querySelectorAll("#tree .title")];
		window.row = all.at(-30); window.area = document.activeElement;
		row.scrollIntoView({ block: "center" }); performance.clearResourceTimings(); performance.setResourceTimingBufferSize(5000) })()`)
	places := `[row, area].map((e) => Math.round(e.getBoundingClientRect().top)).join()`
	at := p.eval(places)
	asked := `performance.getEntriesByType("resource").filter((e) => e.name === location.href)`
	p.eval(`window.began = performance.now()`)
	back.eval(`performance.clearResourceTimings()`)
	typed := "typed "
	file := w.file(first)
	var log strings.Builder // the text of the file, which ends with the log
	log.WriteString(w.says(first))
	pace := time.NewTicker(time.Second / 20)
	defer pace.Stop()
	for i := range events {
		<-pace.C
		if i%10 == 9 {
			w.do("node_create", map[string]any{"workspaceId": ws, "parentId": group, "title": fmt.Sprintf("Row %d", i), "type": "execution"})
		} else {
			log.WriteString(fmt.Sprintf("- [2026-01-01 10:00:00] [AI] entry number %d\n", i))
			if err := os.WriteFile(file, []byte(log.String()), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if i%3 == 0 {
			p.write("x")
			typed += "x"
		}
		if i%100 == 99 {
			if got := p.eval(places); got != at {
				t.Fatalf("after %d events: row and text were at %v, they are at %v", i, at, got)
			}
		}
	}
	p.sees(fmt.Sprintf("Row %d", events-1))
	p.until(`document.activeElement === area && area.value === ` + quoted(typed))
	if got := p.eval(`row.isConnected && ` + places); got != at {
		t.Errorf("row and text were at %v, they are at %v", at, got)
	}
	if near := p.eval(asked + `.map((e) => e.startTime).filter((x, i, all) => i && x - all[i - 1] < 450).length`); near != 0.0 {
		t.Errorf("%v repaints follow another within half a second", near)
	}
	t.Logf("%d events in %v ms: %v repaints", events, p.eval(`Math.round(performance.now() - began)`), p.eval(asked+`.length`))
	if n := back.eval(`document.hidden && ` + asked + `.length`); n != 0.0 {
		t.Errorf("a hidden tab has asked %v times", n)
	}
	back.front()
	back.sees(fmt.Sprintf("entry number %d", events-2))
	back.until(`document.querySelector(".editing textarea:not(.source)").value === "a draft in the background"`)
}

// While the machine sleeps, the stream of events is lost without an error. A tab that is shown again connects anew, shows
// all changes and keeps its unsaved text. This also holds if the server is restarted while the tab with the stream is
// hidden.
func TestTabsGoOnAfterANightOfSleep(t *testing.T) {
	w := newWorld(t, nil)
	w.site.opt.Tabs = &kept{}
	b := newBrowser(t)
	w.follow()
	ws, first, _ := w.plan()
	p := b.open(w, "/node/"+first)
	p.click("[data-edit=note]")
	p.until(`document.activeElement.tagName === "TEXTAREA"`)
	p.write("typed in the evening")
	p.until(`document.querySelector("#live").textContent === ""`)
	w.site.mu.Lock()
	clear(w.site.streams) // they stay open, and tell nothing
	w.site.mu.Unlock()
	w.do("log_append", map[string]any{"workspaceId": ws, "nodeId": first, "event": "written at night"})
	p.eval(`(() => { const now = Date.now; Date.now = () => now() + 8 * 3600e3;
		document.dispatchEvent(new Event("visibilitychange")) })()`)
	p.sees("written at night")
	other := b.tab(w.server.URL)
	other.front()
	other.visit("/node/" + first)
	w.site = New(w.engine, Options{Tabs: w.site.opt.Tabs})
	w.follow()
	w.serves(w.site)
	w.saved(first, "Do Design", "Do it well")
	other.sees("Do it well")
	p.front()
	p.sees("Do it well")
	p.until(`document.querySelector(".editing textarea:not(.source)").value === "typed in the evening"`)
	for _, said := range append(p.said(), other.said()...) {
		if !strings.Contains(said, "401") && !strings.Contains(said, "ERR_") {
			t.Errorf("the console says %s", said)
		}
	}
}
