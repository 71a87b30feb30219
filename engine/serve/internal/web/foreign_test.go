package web

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A page of another origin cannot read or change anything, also in a browser that is logged in.
func TestForeignPagesReadAndChangeNothing(t *testing.T) {
	w := newWorld(t, nil)
	b := newBrowser(t)
	w.follow()
	w.plan()
	b.open(w, "/plan")
	evil := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		out.Header().Set("Content-Type", "text/html")
		fmt.Fprint(out, `<!doctype html><title>evil</title><iframe name="sink"></iframe><body></body>`)
	}))
	t.Cleanup(evil.Close)
	_, port, err := net.SplitHostPort(evil.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	_, own, err := net.SplitHostPort(w.server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	// For browsers, all ports of a host are one site, so cookies are sent to all. So the hardest case is another
	// program on this machine.
	for _, origin := range []string{"http://evil.test:" + port, "http://127.0.0.1:" + port} {
		p := b.tab(origin)
		p.goTo(origin + "/")
		site := quoted(w.server.URL)
		for what, script := range map[string]string{
			"fetch":         `fetch(` + site + ` + "/plan", { credentials: "include" }).then((r) => r.text(), () => "")`,
			"fetch no-cors": `fetch(` + site + ` + "/plan", { credentials: "include", mode: "no-cors" }).then((r) => r.text(), () => "")`,
			"post text":     `fetch(` + site + ` + "/do/workspace_init", { method: "POST", credentials: "include", mode: "no-cors", headers: { "Content-Type": "text/plain" }, body: '{"name":"Evil","goal":"x"}' }).then((r) => r.text(), () => "")`,
			"post json":     `fetch(` + site + ` + "/do/workspace_init", { method: "POST", credentials: "include", headers: { "Content-Type": "application/json" }, body: '{"name":"Evil","goal":"x"}' }).then((r) => r.text(), () => "")`,
			"post form": `new Promise((done) => { const f = document.createElement("form"); f.method = "post"; f.enctype = "text/plain"; f.target = "sink"; f.action = ` + site + ` + "/do/workspace_init";
				const i = document.createElement("input"); i.name = '{"name":"Evil","goal":"'; i.value = '"}'; f.append(i); document.body.append(f); document.querySelector("iframe").onload = () => done(""); f.submit(); setTimeout(() => done(""), 3000) })`,
			"stream": `new Promise((done) => { const s = new EventSource(` + site + ` + "/events", { withCredentials: true }); s.onopen = () => done("open"); s.onerror = () => { s.close(); done("") } })`,
			"frame":  `new Promise((done) => { const f = document.createElement("iframe"); f.src = ` + site + ` + "/plan"; f.onload = () => { let text = ""; try { text = f.contentDocument?.body?.innerText || "" } catch (e) {} done(text) }; document.body.append(f) })`,
			"script": `new Promise((done) => { const s = document.createElement("script"); s.src = ` + site + ` + "/plan"; s.onload = () => done("loaded"); s.onerror = () => done(""); document.body.append(s) })`,
		} {
			if got := p.eval(script); got != "" {
				t.Errorf("%s: %s got %.200q", origin, what, got)
			}
		}
	}
	// DNS rebinding: a foreign name that resolves to this address.
	p := b.tab("")
	p.goTo("http://evil.test:" + own + "/plan")
	p.sees("HOST_REFUSED")
	if text := p.eval(`document.body.innerText`).(string); strings.Contains(text, "Design") {
		t.Errorf("by another name the page shows %s", text)
	}
	all := w.do("workspace_list", map[string]any{})
	if n := len(all["workspaces"].([]any)); n != 1 {
		t.Errorf("there are %d workspaces", n)
	}
}
