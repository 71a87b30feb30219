package web

import (
	"path/filepath"
	"testing"
)

func TestEachViewInABrowser(t *testing.T) {
	b := newBrowser(t)
	w := newWorld(t, nil)
	w.follow()
	ws, first, _ := w.plan()
	p := b.open(w, "/")
	p.sees("A site for the shop")
	for path, want := range map[string]string{
		"/plan?ws=" + ws: "Shop", "/node/" + first + "?ws=" + ws: "Do Design", "/approvals": "Nothing waits", "/check": "Nothing is wrong",
	} {
		p.visit(path)
		p.sees(want)
		p.picture(filepath.Join("/tmp/shots", filepath.Base(path[:5])+".png"))
	}
}
