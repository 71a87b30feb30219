package web

import (
	"fmt"
	"testing"
)

// While a writer changes the plan again and again, the page is drawn at most twice a second. What is typed stays, the
// page does not jump, and rows that did not change are the same elements as before.
func TestABusyWriterDisturbsNobody(t *testing.T) {
	w := newWorld(t, nil)
	b := newBrowser(t)
	w.follow()
	ws, first, second := w.plan()
	p := b.open(w, "/plan?node="+first)
	p.size(1440, 600)
	p.click("#beside [data-edit=requirement]")
	p.until(`document.activeElement.tagName === "TEXTAREA"`)
	p.eval(`document.activeElement.select()`)
	p.write("typed ")
	p.eval(`(() => { window.row = document.querySelector('#tree [data-id="` + second + `"] .title');
		window.area = document.activeElement; performance.clearResourceTimings() })()`)
	at := p.eval(`document.querySelector("#beside").scrollTop`)
	for i := range 20 {
		w.do("log_append", map[string]any{"workspaceId": ws, "nodeId": first, "event": fmt.Sprintf("entry number %d", i)})
		p.write("x")
	}
	p.sees("entry number 19")
	p.until(`document.activeElement === area && area.value === "typed " + "x".repeat(20)`)
	if got := p.eval(`row.isConnected && document.querySelector("#beside").scrollTop`); got != at {
		t.Errorf("the page was at %v, it is at %v", at, got)
	}
	near := p.eval(`performance.getEntriesByType("resource").filter((e) => e.name === location.href).map((e) => e.startTime)
		.filter((x, i, all) => i && x - all[i - 1] < 450).length`)
	if near != 0.0 {
		t.Errorf("%v repaints follow another within half a second", near)
	}
}
