package web

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every word of a text is on the page: those of raw HTML as text, footnotes also if the text does not use them. Details
// are open.
func TestAllWordsAreShown(t *testing.T) {
	for text, want := range map[string]string{
		"<details><summary>Timeline</summary>\n\nMay.\n\n</details>": "<details open=\"\"><summary><p dir=\"auto\">Timeline</p>\n</summary>" +
			"<p dir=\"auto\">May.</p>\n</details>",
		"<p align=\"center\">\nThe harvest\n</p>": "<p dir=\"auto\">&lt;p align=&#34;center&#34;&gt;<br>\nThe harvest<br>\n&lt;/p&gt;</p>",
		"</details>x":                `<p dir="auto">x</p>`,
		"<details>\n\nx":             "<details open=\"\"><p dir=\"auto\">x</p>\n</details>",
		"see https://example.org/x.": `<p dir="auto">see <a href="https://example.org/x" rel="nofollow noreferrer">https://example.org/x</a>.</p>`,
		"fast[^a]\n\n[^a]: Below 2 s.": "<p dir=\"auto\">fast<sup>1</sup></p>\n\n<hr>\n<ol dir=\"auto\">\n<li>\n" +
			"<p dir=\"auto\">Below 2 s. </p>\n</li>\n</ol>",
		"x\n\n[^b]: Fast.": "<p dir=\"auto\">x</p>\n\n<hr>\n<ol dir=\"auto\">\n<li>\n<p dir=\"auto\">Fast. </p>\n</li>\n</ol>",
	} {
		got := strings.TrimSpace(strings.ReplaceAll(string(rendered(text, linker{})), "\u00a0", " "))
		if got != want {
			t.Errorf("%s\n is %q\nwant %q", text, got, want)
		}
	}
}

// In an export, links by path and by name lead to the pages of nodes, definitions count for the whole file, pictures
// of the vault are copied, and text gets its direction from its words.
func TestTextsOfAnExport(t *testing.T) {
	w := newWorld(t, nil)
	ws, first, second := w.plan()
	w.do("node_update", map[string]any{"workspaceId": ws, "nodeId": first, "title": "خطة الحديقة",
		"requirement": "[by path](../" + filepath.Base(filepath.Dir(w.file(second))) + "/Node.md#log), [[" + second + "|by id]], " +
			"[no node](../x/Node.md), [the spec][1], ![a *map*](map.png), ![none](none.png), ![out](../../../../map.png)",
		"note": "x\n\n[1]: https://example.org/spec"})
	if err := os.WriteFile(filepath.Join(filepath.Dir(w.file(first)), "map.png"), []byte("\x89PNG"), 0o666); err != nil {
		t.Fatal(err)
	}
	written := w.export()
	text := written[fileOf("node", first)]
	for _, want := range []string{
		`<h1 dir="auto">خطة الحديقة</h1>`,
		`<a href="` + fileOf("node", second) + `" rel="nofollow noreferrer">by path</a>`,
		`<a href="` + fileOf("node", second) + `" rel="nofollow noreferrer">by id</a>, no node, `,
		`<a href="https://example.org/spec" rel="nofollow noreferrer">the spec</a>, <img src="picture-`, `alt="a map">, none, out`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %s:\n%s", want, text)
		}
	}
	pictures := 0
	for name, data := range written {
		if pictureName.MatchString(name) && data == "\x89PNG" && strings.Contains(text, name) {
			pictures++
		}
	}
	if pictures != 1 {
		t.Errorf("%d pictures are written", pictures)
	}
}

// An export of a damaged workspace lists what is damaged, and has the rest.
func TestAnExportListsDamage(t *testing.T) {
	w := newWorld(t, nil)
	_, first, second := w.plan()
	for file, data := range map[string]string{
		w.file(first):  "\xff\xfe",
		w.file("root"): "---\nid: [\n---\n",
	} {
		if err := os.WriteFile(file, []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	written := w.export()
	if text := written["check.html"]; !strings.Contains(text, first) || !strings.Contains(text, "NOT_UTF8") {
		t.Errorf("the list of damage is %s", text)
	}
	if written[fileOf("node", second)] == "" || !strings.Contains(written["index.html"], "check.html") {
		t.Errorf("the export lacks a page")
	}
}

// export returns the files of an export by their names.
func (w *world) export() map[string]string {
	w.t.Helper()
	written := map[string]string{}
	err := w.site.Export(w.t.Context(), "Website", "en", "", func(name string, data []byte) error {
		written[name] = string(data)
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return written
}
