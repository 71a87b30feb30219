package web

import (
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// vectors are texts that call hit() if a page treats them as markup or script.
var vectors = []string{
	`<script>hit()</script>`,
	`</textarea><script>hit()</script>`,
	`"><script>hit()</script>`,
	`'-hit()-'`,
	`<img src=x onerror=hit()>`,
	`<svg onload=hit()>`,
	`<svg><script>hit()</script></svg>`,
	`<svg><animate onbegin=hit() attributeName=x dur=1s>`,
	`<body onload=hit()>`,
	`<iframe src="javascript:parent.hit()"></iframe>`,
	`<iframe srcdoc="<script>parent.hit()</script>"></iframe>`,
	`<object data="javascript:hit()"></object>`,
	`<embed src="javascript:hit()">`,
	`<link rel=stylesheet href="data:text/css,*{background:url(javascript:hit())}">`,
	`<meta http-equiv=refresh content="0;url=javascript:hit()">`,
	`<base href="https://evil.test/">`,
	`<details open ontoggle=hit()>x</details>`,
	`<input autofocus onfocus=hit()>`,
	`<video><source onerror=hit()></video>`,
	`<a href="javascript:hit()" id=click>x</a>`,
	`[x](javascript:hit())`,
	`[x](JaVaScRiPt:hit())`,
	`[x](java&#115;cript:hit())`,
	"[x](java\tscript:hit())",
	`[x](vbscript:hit())`,
	`[x](data:text/html,<script>hit()</script>)`,
	`[x](data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9aGl0KCk+)`,
	`[x](file:///etc/passwd "a\" onmouseover=hit() b=\"")`,
	`![x](x "a" onerror=hit())`,
	`![x](javascript:hit())`,
	`![tracking](https://evil.test/pixel.png)`,
	`<javascript:hit()>`,
	`<style>*{background:url("javascript:hit()")}</style>`,
	`<p style="background:url(javascript:hit())">x</p>`,
	"```\"><script>hit()</script>\nx\n```",
	`{{"<script>hit()</script>"}} {{hit}} <math><mtext><table><mglyph><style><img src=x onerror=hit()>`,
}

// Texts of a vault execute nothing anywhere on the page, and load nothing from other hosts. The console stays empty; it
// would also show what the page's policy refused.
func TestTextsExecuteNothing(t *testing.T) {
	if len(vectors) != 36 {
		t.Fatalf("there are %d vectors", len(vectors))
	}
	w := newWorld(t, nil)
	b := newBrowser(t)
	w.follow()
	all := strings.Join(vectors, "\n\n")
	ws := w.do("workspace_init", map[string]any{"name": `<script>hit()</script>`, "goal": all})["workspaceId"].(string)
	var last string
	for _, v := range vectors {
		title := strings.NewReplacer("\n", " ", "\t", " ").Replace(v)
		out := w.do("node_create", map[string]any{"workspaceId": ws, "parentId": "root", "type": "execution", "title": title, "requirement": all})
		last = out["nodeId"].(string)
		w.post("/do/log_append", map[string]any{"workspaceId": ws, "nodeId": last, "event": title})
		w.post("/do/node_update", map[string]any{"workspaceId": ws, "nodeId": last, "docs": []map[string]string{{"path": title, "description": title}}})
		w.post("/do/memory_save", map[string]any{"workspaceId": ws, "slot": title, "text": all})
	}
	for _, v := range vectors {
		w.post("/do/workspace_update_rules", map[string]any{"workspaceId": ws, "action": "add", "rule": v})
	}
	w.post("/do/node_update", map[string]any{"workspaceId": ws, "nodeId": last, "note": all, "conclusion": all})
	w.post("/do/memory_save", map[string]any{"workspaceId": ws, "slot": "all", "text": all})
	for i, v := range vectors { // also as names of files, if there are any and the file system allows
		if w.dir == "" {
			break
		}
		name := strings.NewReplacer("/", "_", "\n", " ").Replace(v)
		_ = os.WriteFile(filepath.Join(filepath.Dir(w.file(last)), name+".md"), []byte(v), 0o666)
		_ = os.MkdirAll(filepath.Join(filepath.Dir(filepath.Dir(w.file(last))), string(rune('a'+i%26))+name), 0o777)
	}
	p := b.tab(w.server.URL)
	p.call("Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": `window.hit = () => { window.wasHit = true; console.error("hit") }`}, nil)
	p.goTo(w.server.URL + "/#token=" + w.site.Invite())
	p.until(`!!document.querySelector("nav")`)
	p.said() // the shell came with 401
	for _, path := range []string{"/", "/plan", "/board", "/node/" + last, "/activity", "/memory", "/slot/all", "/sessions", "/check",
		"/search?q=hit", "/search?q=" + url.QueryEscape(vectors[2]), "/plan?filter=" + url.QueryEscape(vectors[2])} {
		p.goTo(w.server.URL + path)
		p.eval(`(() => { for (const e of document.querySelectorAll("details")) e.open = true;
			for (const a of document.querySelectorAll(".text a")) { a.target = "_blank"; if (!/^(https?|mailto):/.test(a.href)) console.error("a link to " + a.href) }
			for (const e of document.querySelectorAll("main script, main iframe, main object, main embed, main style, main link, main base, main img, main svg:not(.parts, .days), main [style]")) console.error("an element " + e.outerHTML);
			for (const e of document.querySelectorAll("main *")) for (const a of e.attributes) if (a.name.startsWith("on")) console.error("an attribute " + a.name) })()`)
		if path == "/node/"+last {
			p.click("[data-edit=requirement]")
			p.until(`!!document.querySelector(".editing")`)
			p.click("main a|What an assistant gets")
			p.until(`document.querySelector("form:has([name=budget]) ~ pre")`)
		}
		p.eval(`new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))`)
		for _, said := range p.said() {
			t.Errorf("%s: the console says: %s", path, said)
		}
	}
}

// Pictures of other hosts would reveal that a text was read, so they become links.
func TestPicturesAreLinks(t *testing.T) {
	for text, want := range map[string]string{
		`![a cat](https://example.org/cat.png)`:                            `<p dir="auto"><a href="https://example.org/cat.png" rel="nofollow noreferrer">a cat</a></p>`,
		`[![a cat](https://example.org/cat.png)](https://example.org/all)`: `<p dir="auto"><a href="https://example.org/all" rel="nofollow noreferrer">a cat</a></p>`,
		`![a cat](cat.png)`: `<p dir="auto">a cat</p>`,
		`[x](/do/undo)`:     `<p dir="auto">x</p>`,
	} {
		if got := strings.TrimSpace(string(rendered(text, linker{}))); got != want {
			t.Errorf("%s\n is %s\nwant %s", text, got, want)
		}
	}
}

func TestLinksOfObsidianLeadToNodes(t *testing.T) {
	nodes := linker{node: func(target string) string {
		id := regexp.MustCompile(`node-[a-z]+-[0-9]+`).FindString(target)
		if id == "" {
			return ""
		}
		return look{Language: "en"}.item("node", "ws-1", id)
	}}
	for text, want := range map[string]string{
		`see [[node-abc-123|the queue]]`:        `<p dir="auto">see <a href="/node/node-abc-123?ws=ws-1" rel="nofollow noreferrer">the queue</a></p>`,
		`[[node-abc-123]]`:                      `<p dir="auto"><a href="/node/node-abc-123?ws=ws-1" rel="nofollow noreferrer">node-abc-123</a></p>`,
		`[[Receipts (node-abc-123)/Node|r<b>]]`: `<p dir="auto"><a href="/node/node-abc-123?ws=ws-1" rel="nofollow noreferrer">r&lt;b&gt;</a></p>`,
		`[[Some page]] and [x][[y]`:             `<p dir="auto">[[Some page]] and [x][[y]</p>`,
	} {
		if got := strings.TrimSpace(string(rendered(text, nodes))); got != want {
			t.Errorf("%s\n is %s\nwant %s", text, got, want)
		}
	}
}
