package web

import (
	"net/http"
	"regexp"
	"strconv"
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
		"fast[^a]\n\n[^a]: Below 2 s.": `<p dir="auto">fast<sup id="t1-fnref:1"><a href="#t1-fn:1" rel="nofollow noreferrer">1</a>` +
			"</sup></p>\n\n<hr>\n<ol dir=\"auto\">\n<li id=\"t1-fn:1\">\n<p dir=\"auto\">Below 2 s. " +
			"<a href=\"#t1-fnref:1\" rel=\"nofollow noreferrer\">↩</a></p>\n</li>\n</ol>",
		"x\n\n[^b]: Fast.": "<p dir=\"auto\">x</p>\n\n<hr>\n<ol dir=\"auto\">\n<li id=\"t1-fn:1\">\n" +
			"<p dir=\"auto\">Fast.</p>\n</li>\n</ol>",
		"> [!warning]- Mind *it*\n> No way back.": "<blockquote dir=\"auto\">\n<p dir=\"auto\"><strong>Warning</strong>: Mind *it*</p>\n" +
			"<p dir=\"auto\">No way back.</p>\n</blockquote>",
		"> [!NOTE]\n> Once.": "<blockquote dir=\"auto\">\n<p dir=\"auto\"><strong>Note</strong></p>\n<p dir=\"auto\">Once.</p>\n</blockquote>",
		"> [!tip] <b>":       "<blockquote dir=\"auto\">\n<p dir=\"auto\"><strong>Tip</strong>: &lt;b&gt;</p>\n</blockquote>",
		"> plain [!note]":    "<blockquote dir=\"auto\">\n<p dir=\"auto\">plain [!note]</p>\n</blockquote>",
	} {
		got := strings.TrimSpace(strings.ReplaceAll(string((&screen{}).Markdown(text)), "\u00a0", " "))
		if got != want {
			t.Errorf("%s\n is %q\nwant %q", text, got, want)
		}
	}
}

// A footnote counts for all texts of a node. A link by the title of a node leads to it.
func TestFootnotesAndTitlesOfAnotherText(t *testing.T) {
	w := newWorld(t, nil)
	ws, first, second := w.plan()
	w.do("node_update", map[string]any{"workspaceId": ws, "nodeId": first, "requirement": "fast[^s], [[Shop|sell]], [[Shop#Log]], [[None]]",
		"note": "x\n\n[^s]: Below 2 s.\n    And above 1 s."})
	_, said := w.get("/node/" + first)
	link := `<a href="/node/` + second + `?ws=` + ws + `" rel="nofollow noreferrer">`
	for _, want := range []string{`fast<sup id="t1-fnref:1"><a href="#t1-fn:1"`, `<li id="t1-fn:1">`, `<li id="t2-fn:1">`, "And above 1 s.",
		link + "sell</a>, " + link + "Shop#Log</a>, [[None]]"} {
		if !strings.Contains(said, want) {
			t.Errorf("the page lacks %s:\n%s", want, said)
		}
	}
}

// A box is ticked where it stands: one byte of the file's text changes, whatever is around it.
func TestABoxIsTickedWhereItStands(t *testing.T) {
	w := newWorld(t, nil)
	_, first, _ := w.plan()
	text := "Intro  \n\n```\n- [ ] no box\n```\n\n1.  [ ] one\n    - [x] **two**\n* [ ] three\t\n\n> - [ ] four\n\n" +
		"- - [ ] five\n\nDo Design"
	w.saved(first, "Do Design", text)
	whole := w.says(first)
	w.saved(first, whole, strings.ReplaceAll(whole, "\n", "\r\n"))
	w.engine.Refresh()
	for i, name := range []string{"one", "two", "three", "four", "five"} {
		_, said := w.get("/node/" + first)
		boxes := regexp.MustCompile(`<input type="checkbox"( checked="")? data-line="(\d+)" aria-label="([^"]*)"/?>`).FindAllStringSubmatch(said, -1)
		version := regexp.MustCompile(`data-version="([^"]*)"`).FindStringSubmatch(said)[1]
		if len(boxes) != 5 || boxes[i][3] != name {
			t.Fatalf("the boxes are %q:\n%s", boxes, said)
		}
		line, _ := strconv.Atoi(boxes[i][2])
		before := w.says(first)
		code, answer := w.post("/tick", map[string]any{"nodeId": first, "field": "requirement", "line": line, "done": boxes[i][1] == "", "ifMatch": version})
		if code != http.StatusOK {
			t.Fatalf("%s: %d %s", name, code, answer)
		}
		if code, _ := w.post("/tick", map[string]any{"nodeId": first, "field": "requirement", "line": line, "done": true, "ifMatch": version}); code != http.StatusConflict {
			t.Errorf("%s, by an old version: %d", name, code)
		}
		was, is := "[ ]", "[x]"
		if boxes[i][1] != "" {
			was, is = is, was
		}
		at := strings.LastIndex(before[:strings.Index(before, name)], was)
		if got, want := textOfFile(w.says(first)), textOfFile(before[:at]+is+before[at+3:]); got != want {
			t.Errorf("%s: the file says\n%q\nwant\n%q", name, got, want)
		}
	}
	for line, field := range map[int]string{0: "requirement", 999: "requirement", -1: "note", 1: "title"} {
		if code, said := w.post("/tick", map[string]any{"nodeId": first, "field": field, "line": line, "done": true}); code != http.StatusUnprocessableEntity {
			t.Errorf("line %d of %s: %d %s", line, field, code, said)
		}
	}
}

// Boxes above the first heading and in a node's own sections are ticked, too. In a file of mixed line ends each line
// keeps its own.
func TestBoxesOfOwnTextsAreTicked(t *testing.T) {
	w := newWorld(t, nil)
	_, first, _ := w.plan()
	was := w.says(first)
	was = strings.Replace(was, "Do Design", "Do Design\n\r\n- [ ] in it\n- [ ] too\r", 1)
	w.saved(first, w.says(first), strings.Replace(was, "## Requirement", "- [ ] above\r\n- [ ] twice\n\n## Shopping\n\n- [ ] tea\r\n- [ ] twice\n- [ ] cups\r\n"+
		"- [ ] twice\n\n## Requirement", 1))
	w.engine.Refresh()
	for i, box := range []struct {
		field string
		line  int
		now   string
	}{
		{"0", 0, "- [x] above\r\n"}, {"1", 2, "- [x] cups\r\n"}, {"1", 3, "- [x] twice\n\n## Requirement"}, {"requirement", 2, "- [x] in it\n"},
	} {
		before := w.says(first)
		code, said := w.post("/tick", map[string]any{"nodeId": first, "field": box.field, "line": box.line, "done": true})
		now := w.says(first)
		if code != http.StatusOK || !strings.Contains(now, box.now) || strings.Replace(now, box.now, strings.Replace(box.now, "x", " ", 1), 1) != before {
			t.Fatalf("box %d: %d %s\nbefore %q\nnow    %q", i, code, said, before, now)
		}
	}
}

// A click on a box ticks it, and a box that an editor ticks is ticked on the page.
func TestBoxesAreTickedByAClick(t *testing.T) {
	w := newWorld(t, nil)
	b := newBrowser(t)
	w.follow()
	_, first, _ := w.plan()
	w.do("node_update", map[string]any{"nodeId": first, "note": "- [ ] one\n- [ ] two"})
	p := b.open(w, "/node/"+first)
	p.click(`[data-field=note] input[aria-label=one]`)
	p.until(`document.querySelector("#did").innerText.includes("Design")`)
	if said := w.says(first); !strings.Contains(said, "- [x] one\n- [ ] two") {
		t.Errorf("the file says\n%s", said)
	}
	w.saved(first, "- [ ] two", "- [x] two")
	p.until(`document.querySelector("[data-field=note] input[aria-label=two]").checked`)
}

// textOfFile returns a Node.md without its front matter, whose time changes.
func textOfFile(data string) string {
	_, text, _ := strings.Cut(data, "\r\n## ")
	return text
}

// In an export, links by path and by name lead to the pages of nodes, definitions count for the whole file, pictures
// of the vault are copied, and text gets its direction from its words.
func TestTextsOfAnExport(t *testing.T) {
	w := newWorld(t, nil)
	ws, first, second := w.plan()
	w.do("node_update", map[string]any{"workspaceId": ws, "nodeId": first, "title": "خطة الحديقة",
		"requirement": "[by path](../" + second + "/Node.md#log), [[" + second + "|by id]], " +
			"[no node](../x/Node.md), [the spec][1], ![a *map*](map.png), ![none](none.png), ![out](../../../../map.png)",
		"note": "x\n\n[1]: https://example.org/spec"})
	w.store.Put(w.path(first).Dir().Join("map.png"), []byte("\x89PNG"))
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
		if pictureName().MatchString(name) && data == "\x89PNG" && strings.Contains(text, name) {
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
	w.store.Put(w.path(first), []byte("\xff\xfe"))
	w.store.Put(w.path("root"), []byte("---\nid: [\n---\n"))
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
