package web

import (
	"html"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Documents of a node that are Markdown open on the page, and only those that it lists. Pictures of the vault are shown
// from the page's own origin, and nothing in them runs. No other file is served.
func TestDocumentsAndPicturesOpenOnThePage(t *testing.T) {
	w := newWorld(t, nil)
	ws, first, _ := w.plan()
	project := filepath.Dir(w.folder())
	put := func(name, data string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	put(filepath.Join(project, "docs", "plan b.md"), "---\nkind: note\n---\n# The *other* plan\n")
	put(filepath.Join(project, "secret.md"), "secret")
	at := filepath.Dir(w.file(first))
	put(filepath.Join(at, "map.svg"), "<svg xmlns='http://www.w3.org/2000/svg'><script>hit()</script></svg>")
	put(filepath.Join(w.folder(), ".local", "x.png"), "secret")
	rel, err := filepath.Rel(project, at)
	if err != nil {
		t.Fatal(err)
	}
	w.do("node_update", map[string]any{"nodeId": first, "requirement": "![a map](map.svg) ![[map.svg]] ![out](../../../secret.md)",
		"docs": []map[string]string{{"path": "docs/plan b.md", "description": "the other plan"}, {"path": filepath.ToSlash(rel) + "/map.svg",
			"description": "a map"}, {"path": "https://example.org/x", "description": "elsewhere"}}})
	_, said := w.get("/node/" + first)
	_, list, _ := strings.Cut(said, "<h2>Documents</h2>")
	var links []string
	for _, m := range regexp.MustCompile(`<li><a href="([^"]+)"`).FindAllStringSubmatch(list, 3) {
		links = append(links, html.UnescapeString(m[1]))
	}
	if len(links) != 3 || links[2] != "https://example.org/x" {
		t.Fatalf("the documents lead to %q: %s", links, list)
	}
	if _, text := w.get(links[0]); !strings.Contains(text, "The <em>other</em> plan</h1>") || !strings.Contains(text, "kind: note") {
		t.Errorf("the document is %s", text)
	}
	if code, text := w.get("/doc/" + first + "?ws=" + ws + "&target=secret.md"); code == http.StatusOK || strings.Contains(text, ">secret<") {
		t.Errorf("a document that no node lists: %d %s", code, text)
	}
	if n := strings.Count(said, `<img src="`+links[1]+`" alt="`); n != 2 {
		t.Errorf("%d pictures are shown at %s: %s", n, links[1], said)
	}
	res, err := w.guest.Get(w.server.URL + links[1])
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if policy := res.Header.Get("Content-Security-Policy"); res.Header.Get("Content-Type") != "image/svg+xml" ||
		!strings.Contains(policy, "default-src 'none'") || !strings.Contains(policy, "sandbox") {
		t.Errorf("the picture comes with %v", res.Header)
	}
	for _, path := range []string{"/picture/.local/x.png", "/picture/" + ws + "/Workspace.md", "/picture/..%2Fsecret.md", "/picture/%2e%2e/x.png"} {
		if code, text := w.get(path); code == http.StatusOK || strings.Contains(text, "secret") {
			t.Errorf("GET %s: %d %s", path, code, text)
		}
	}
	if code, _ := w.send(&http.Client{}, http.MethodGet, links[1], ""); code != http.StatusUnauthorized {
		t.Errorf("a stranger gets the picture: %d", code)
	}
}
