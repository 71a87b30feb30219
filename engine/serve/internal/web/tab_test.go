package web

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// A client with only the cookie can read, but cannot change or approve anything, whatever tab it names.
func TestACookieAloneChangesNothing(t *testing.T) {
	w := newWorld(t, nil)
	ws, first, _ := w.plan()
	if code, said := w.get("/node/" + first); code != http.StatusOK || !strings.Contains(said, "Do Design") {
		t.Fatalf("the cookie opens no page: %d %s", code, said)
	}
	for path, body := range map[string]string{
		"/do/node_update": `{"workspaceId":"` + ws + `","nodeId":"` + first + `","requirement":"Evil"}`, "/do/approve": `{"id":"x"}`,
		"/do/env_register": `{"uri":"file:///","trust":"full"}`, "/do/undo": `{}`, "/join": `{}`,
	} {
		for _, tab := range []string{"", "none", "undefined", strings.Repeat("A", 26)} {
			code, said := w.send(w.guest, http.MethodPost, path, body, "Content-Type", "application/json", "Origin", w.server.URL,
				"Sec-Fetch-Site", "same-origin", tabHeader, tab)
			if code != http.StatusForbidden || !strings.Contains(said, "TAB_UNKNOWN") {
				t.Errorf("%s with the tab %q: %d %s", path, tab, code, said)
			}
		}
		if code, _ := w.send(http.DefaultClient, http.MethodPost, path, body, "Content-Type", "application/json", tabHeader, w.tab); code != http.StatusUnauthorized {
			t.Errorf("%s with the tab alone: %d", path, code)
		}
	}
	if _, said := w.get("/node/" + first); strings.Contains(said, "Evil") {
		t.Error("the node changed")
	}
}

// The browser sends the cookie also to a server on another port, which can change nothing with it. The person's own
// tabs still work, also after a reload, and so does a new tab, which asks the others.
func TestAServerOfAnotherPortDecidesNothing(t *testing.T) {
	w := newWorld(t, nil)
	b := newBrowser(t)
	w.follow()
	ws, first, _ := w.plan()
	p := b.open(w, "/node/"+first)
	var mu sync.Mutex
	stolen := ""
	evil := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		stolen = r.Header.Get("Cookie")
		out.Header().Set("Content-Type", "text/html")
	}))
	t.Cleanup(evil.Close)
	visitor := b.tab(evil.URL)
	visitor.goTo(evil.URL + "/")
	mu.Lock()
	cookie := stolen
	mu.Unlock()
	if !strings.Contains(cookie, "arbor-") {
		t.Fatalf("the browser sends %q: the test is about nothing", cookie)
	}
	if got := visitor.eval(`sessionStorage.getItem("tab")`); got != nil {
		t.Errorf("the other port reads the tab's text %v", got)
	}
	code, said := w.send(http.DefaultClient, http.MethodPost, "/do/node_update", `{"workspaceId":"`+ws+`","nodeId":"`+first+`","title":"Evil"}`,
		"Content-Type", "application/json", "Cookie", cookie, "Origin", w.server.URL, "Sec-Fetch-Site", "same-origin")
	if code != http.StatusForbidden {
		t.Errorf("with the cookie it gets %d %s", code, said)
	}
	log := func(p *page, text string) {
		p.click("[name=event]")
		p.write(text)
		p.click("#log button")
		p.until(`document.querySelector("main").innerText.includes(` + quoted(text) + `)`)
	}
	p.visit("/node/" + first)
	p.front()
	log(p, "after a reload")
	other := b.tab(w.server.URL)
	other.goTo(w.server.URL + "/node/" + first)
	log(other, "in a new tab")
}
