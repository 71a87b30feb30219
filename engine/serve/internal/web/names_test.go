package web

import (
	"net/http"
	"strings"
	"testing"
)

// The address of a node may have the end of its id or its title: it leads to the node. If several match, or none, the
// page has links to those that may be meant, and to the search.
func TestANodeIsFoundByTitleAndShortID(t *testing.T) {
	w := newWorld(t, nil)
	ws, first, _ := w.plan()
	another := func(title string) string {
		args := map[string]any{"workspaceId": ws, "parentId": "root", "title": title, "type": "execution"}
		return w.do("node_create", args)["nodeId"].(string)
	}
	one, two := another("Paint"), another("Paint")
	still := &http.Client{Jar: w.guest.Jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for _, ref := range []string{first[len(first)-6:], "Design", "design", first[:len(first)-1]} {
		if code, _ := w.send(still, http.MethodGet, "/node/"+ref, ""); code != http.StatusSeeOther {
			t.Errorf("/node/%s: %d", ref, code)
		}
		if _, said := w.get("/node/" + ref + "?tab=context"); !strings.Contains(said, `<article data-node="`+first+`"`) {
			t.Errorf("/node/%s: %s", ref, said)
		}
	}
	for ref, nodes := range map[string][]string{"Paint": {one, two}, "Desing": {first}, "hop": {}} {
		code, said := w.get("/node/" + ref)
		if code == http.StatusOK || !strings.Contains(said, `<a href="/search?ws=`+ws+`&amp;q=`+ref+`">`) ||
			strings.Contains(said, "{node_") {
			t.Errorf("/node/%s: %d %s", ref, code, said)
		}
		for _, id := range nodes {
			if !strings.Contains(said, `<a href="/node/`+id+`?ws=`+ws+`">Website › `) {
				t.Errorf("/node/%s lacks a link to %s: %s", ref, id, said)
			}
		}
	}
	w.do("node_delete", map[string]any{"workspaceId": ws, "nodeId": one})
	if _, said := w.get("/node/" + one); strings.Contains(said, two) {
		t.Errorf("the page of a deleted node leads to another one: %s", said)
	}
}
