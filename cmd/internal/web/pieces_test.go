package web

import (
	"fmt"
	"testing"

	"arbor/engine/enginetest"
	"arbor/mdstore"
)

// No view grows with the plan: what is long comes a piece at a time, each node once, and stays when the page draws itself again.
func TestNoViewGrowsWithThePlan(t *testing.T) {
	const most, kids = 200e3, 2*firstView + 50
	files := enginetest.Sized(kids)
	for i := range kids {
		id := mdstore.ID(fmt.Sprintf("node-kid%04d", i))
		files[mdstore.NodePath(mdstore.Path(enginetest.Bench), id)] = fmt.Appendf(nil, "---\nid: %s\ntitle: Kid\ntype: execution\nstatus: implementing\nparentId: root\ncreatedAt: %d\n"+
			"---\n\n## Problem\n\nIt does not work at all, and nobody knows why.\n", id, i+1)
	}
	w := newWorld(t, files)
	p := newBrowser(t).open(w, "/")
	for _, path := range []string{"/", "/plan", "/plan?below=root", "/plan?status=pending", "/plan?status=problem", "/board", "/activity", "/memory"} {
		if size := p.eval(fmt.Sprintf(`fetch(%q).then((r) => r.text()).then((s) => s.length)`, path)).(float64); size > most {
			t.Errorf("%s: %v characters", path, size)
		}
	}
	p.visit("/plan")
	shown := `new Set([...document.querySelectorAll("#tree li[data-id^=node-kid]")].map((x) => x.dataset.id)).size`
	all := `document.querySelectorAll("#tree li[data-id^=node-kid]").length`
	for range 2 {
		p.eval(`document.querySelector("[data-more]").click()`)
		p.until(`document.querySelectorAll("[data-more]").length < 2`)
	}
	p.until(fmt.Sprintf("%s === %d", shown, kids))
	p.until(fmt.Sprintf("%s === %d && !document.querySelector('[data-more]')", all, kids))
}
