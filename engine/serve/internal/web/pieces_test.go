package web

import (
	"fmt"
	"strings"
	"testing"

	"arbor/engine/enginetest"
	"arbor/mdstore"
)

// The size of no view grows with the plan. Long lists are loaded in pieces, each node once, and loaded pieces stay when
// the page is drawn again.
func TestNoViewGrowsWithThePlan(t *testing.T) {
	const most, kids = 200e3, 2*firstView + 50
	files := enginetest.Sized(kids)
	for i := range kids {
		id := mdstore.ID(fmt.Sprintf("node-kid%04d", i))
		files[mdstore.NodePath(mdstore.Path(enginetest.Bench), id)] = fmt.Appendf(nil,
			"---\nid: %s\ntitle: Kid\ntype: execution\nstatus: implementing\nparentId: root\ncreatedAt: %d\n"+
				"---\n\n## Problem\n\nIt does not work at all, and nobody knows why.\n", id, i+1)
	}
	w := newWorld(t, files)
	w.follow()
	paths := []string{"/plan?below=root", "/plan?status=pending", "/plan?status=problem"}
	for _, v := range w.site.views() {
		paths = append(paths, strings.NewReplacer("{$}", "", "{id}", "root").Replace(v.path))
	}
	for _, path := range paths {
		if _, said := w.get(path); len(said) > most {
			t.Errorf("%s: %d bytes", path, len(said))
		}
	}
	p := newBrowser(t).open(w, "/plan")
	shown := `new Set([...document.querySelectorAll("#tree li[data-id^=node-kid]")].map((x) => x.dataset.id)).size`
	all := `document.querySelectorAll("#tree li[data-id^=node-kid]").length`
	for range 2 {
		p.eval(`document.querySelector("[data-more]").click()`)
		p.until(`document.querySelectorAll("[data-more]").length < 2`)
	}
	p.until(fmt.Sprintf("%s === %d", shown, kids))
	p.until(fmt.Sprintf("%s === %d && !document.querySelector('[data-more]')", all, kids))
	w.do("node_update", map[string]any{"nodeId": "node-kid0007", "title": "Another title"})
	p.sees("Another title")
	p.until(fmt.Sprintf("%s === %d && %s === %d", shown, kids, all, kids))
}
