package web

import (
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every link of an export leads to one of its files. It has no scripts and no controls.
func TestAnExportIsWholeAndStill(t *testing.T) {
	w := newWorld(t, nil)
	ws, first, second := w.plan()
	w.do("node_transition", map[string]any{"workspaceId": ws, "nodeId": first, "action": "start"})
	w.do("node_update", map[string]any{"workspaceId": ws, "nodeId": second, "note": "See [there](https://example.org)"})
	w.do("memory_save", map[string]any{"workspaceId": ws, "slot": "what_we.decided", "text": "We use Postgres"})
	w.do("session_start", map[string]any{"workspaceId": ws, "name": "Monday"})
	for _, language := range []string{"en", "zh"} {
		written := map[string]string{}
		err := w.site.Export(t.Context(), "Website", language, "", func(name string, data []byte) error {
			if _, ok := written[name]; ok {
				t.Errorf("%s is written twice", name)
			}
			written[name] = string(data)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if written["index.html"] == "" || len(written) < 9 {
			t.Errorf("the export has %d files", len(written))
		}
		for name, text := range written {
			if strings.HasSuffix(name, ".css") {
				continue
			}
			if meta, link := strings.Index(text, "Content-Security-Policy"), strings.Index(text, "<link"); meta < 0 || meta > link {
				t.Errorf("%s has no policy before what it loads", name)
			}
			for _, no := range []string{"<script", "<form", "<button", "<textarea", "draggable", "vscode://", w.engine.Place()} {
				if strings.Contains(text, no) {
					t.Errorf("%s has %s", name, no)
				}
			}
			for _, m := range regexp.MustCompile(`(?:href|src)="([^"]*)"`).FindAllStringSubmatch(text, -1) {
				to, err := url.PathUnescape(strings.ReplaceAll(m[1], "&#43;", "+"))
				if err != nil || strings.HasPrefix(to, "#") || strings.HasPrefix(to, "data:") || strings.HasPrefix(to, "https://example.org") {
					continue
				}
				if _, ok := written[to]; !ok {
					t.Errorf("%s has a link to %q, which is not written", name, to)
				}
			}
		}
	}
}

// A script in a file of an export does not run, though the file has its colours.
func TestAnExportRunsNothing(t *testing.T) {
	w := newWorld(t, nil)
	b := newBrowser(t)
	w.plan()
	dir := t.TempDir()
	err := w.site.Export(t.Context(), "Website", "en", "", func(name string, data []byte) error {
		evil := `<script>window.ran = 1</script><img src="x" onerror="window.ran = 1"><p id="evil" style="color: red" onclick="window.ran = 1">evil</p></main>`
		return os.WriteFile(filepath.Join(dir, name), []byte(strings.Replace(string(data), "</main>", evil, 1)), 0o666)
	})
	if err != nil {
		t.Fatal(err)
	}
	p := b.tab("")
	p.goTo("file://" + filepath.ToSlash(dir) + "/index.html")
	p.sees("evil")
	if got := p.eval(`document.styleSheets.length`); got != 1.0 {
		t.Errorf("%v style sheets are loaded", got)
	}
	p.eval(`document.querySelector("#evil").click()`)
	if got := p.eval(`String(window.ran) + document.querySelector("#evil").style.color`); got != "undefined" {
		t.Errorf("what was written ran: %v", got)
	}
	p.size(390, 844)
	p.click("nav a|Check") // there is no script: a phone shows all views
	p.until(`document.querySelector("h1")?.innerText === "Check" && document.documentElement.scrollWidth <= 390 &&
		document.querySelector("h1").getBoundingClientRect().top > document.querySelector(".brand").getBoundingClientRect().bottom`)
	if dir := os.Getenv("ARBOR_LOOK"); dir != "" {
		p.picture(filepath.Join(dir, "export-phone.png"))
	}
}
