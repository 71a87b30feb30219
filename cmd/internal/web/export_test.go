package web

import (
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// Every link of an export leads to one of its files, and nothing in it runs or asks to be changed.
func TestAnExportIsWholeAndStill(t *testing.T) {
	w := newWorld(t, nil)
	ws, first, second := w.plan()
	w.do("node_transition", map[string]any{"workspaceId": ws, "nodeId": first, "action": "start"})
	w.do("node_update", map[string]any{"workspaceId": ws, "nodeId": second, "note": "See [there](https://example.org)"})
	w.do("memory_save", map[string]any{"workspaceId": ws, "slot": "what_we.decided", "text": "We use Postgres"})
	w.do("session_start", map[string]any{"workspaceId": ws, "name": "Monday"})
	for _, language := range []string{"en", "zh"} {
		written := map[string]string{}
		err := w.site.Export(t.Context(), "Website", language, func(name string, data []byte) error {
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
			for _, no := range []string{"<script", "<form", "<button", "<textarea", "draggable", "vscode://", w.dir} {
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
