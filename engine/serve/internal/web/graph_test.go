package web

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"arbor/engine/enginetest"
	"arbor/mdstore"
)

// linked makes a plan with dependencies. design is done. build and text depend on nothing open, ship on both of these,
// a group on ship. x and y depend on each other, which only an editor can write.
func linked() map[mdstore.Path][]byte {
	files := enginetest.Plan("ws-a")
	add := func(id, status, more string) {
		kind := "execution"
		if strings.HasSuffix(id, "group") {
			kind = "planning"
		}
		parent := "root"
		if strings.HasSuffix(id, "child") {
			parent = "node-group"
		}
		files[mdstore.NodePath("ws-a", mdstore.ID(id))] = enginetest.Node(id,
			"title: T "+id+"\ntype: "+kind+"\nstatus: "+status+"\nparentId: "+parent+"\n"+more, "")
	}
	add("node-design", "completed", "")
	add("node-build", "implementing", "dependencies: [node-design]\ntags: [web]")
	add("node-text", "pending", "")
	add("node-ship", "pending", "dependencies: [node-build, node-text]\ntags: [web]")
	add("node-group", "pending", "dependencies: [node-ship]")
	add("node-child", "pending", "")
	add("node-x", "pending", "dependencies: [node-y]")
	add("node-y", "pending", "dependencies: [node-x, node-nowhere]")
	return files
}

// flat returns the text of a page without tags, in one line.
func flat(said string) string {
	var b strings.Builder
	for piece := range strings.SplitSeq(said, "<") {
		_, text, _ := strings.Cut(piece, ">")
		b.WriteString(text)
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

func TestTheGraphSaysInWordsWhatItDraws(t *testing.T) {
	w := newWorld(t, linked())
	_, said := w.get("/graph")
	text := flat(said)
	for _, want := range []string{
		"No open work ✓ completed T node-design",
		"Wave 1 ◐ implementing T node-build #web ○ pending T node-text",
		"Wave 2 ○ pending T node-ship #web waits for ◐ implementing T node-build, ○ pending T node-text",
		"Wave 3 ○ pending T node-group waits for ○ pending T node-ship ○ pending T node-child waits for ○ pending T node-ship",
		"Cycle: These nodes wait for each other. None can start until a dependency is removed: T node-x, T node-y",
		"Never ready ○ pending T node-y cycle waits for ○ pending T node-x, node-nowhere gone",
		"Longest chain: T node-build → T node-ship → T node-child",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the graph does not say %q:\n%s", want, text)
		}
	}
	if n := strings.Count(said, "marker-end"); n != 7 {
		t.Errorf("%d lines are drawn, want 7:\n%s", n, said)
	}
	if n := strings.Count(said, `class="loop"`); n != 2 {
		t.Errorf("%d lines of the cycle, want 2", n)
	}
}

func TestTheGraphIsFilteredAsThePlanIs(t *testing.T) {
	w := newWorld(t, linked())
	for path, want := range map[string][2][]string{
		"/graph?filter=tag:web":       {{"node-build", "node-ship", "node-text", "node-design"}, {"node-child", "node-x"}},
		"/graph?below=node-group":     {{"Graph: T node-group", "node-child", "node-ship"}, {"node-x"}},
		"/graph?filter=title:child":   {{"node-child"}, {"node-x", "node-design"}},
		"/graph?filter=title:nothing": {{"No node matches the filter"}, {"<svg", "There is no open work"}},
		"/graph?filter=is:done":       {{`role="alert">query, character 1: is:done names no state`}, {"<svg", "There is no open work"}},
		"/graph?below=node-no":        {{"That did not work"}, nil},
		"/plan?filter=tag:web":        {{`/graph?ws=ws-a&amp;filter=tag:web`, `/board?ws=ws-a&amp;filter=tag:web`}, nil},
		"/node/node-group":            {{`/graph?ws=ws-a&amp;below=node-group`}, nil},
	} {
		_, said := w.get(path)
		_, said, _ = strings.Cut(said, "<main")
		said, _, _ = strings.Cut(said, "</main>")
		for _, word := range want[0] {
			if !strings.Contains(said, word) {
				t.Errorf("%s does not say %q:\n%s", path, word, said)
			}
		}
		for _, word := range want[1] {
			if strings.Contains(said, word) {
				t.Errorf("%s says %q:\n%s", path, word, said)
			}
		}
	}
}

func TestTheGraphSpeaksChinese(t *testing.T) {
	w := newWorld(t, linked())
	_, said := w.get("/graph?lang=zh")
	for _, want := range []string{"批次 2", "等待 ◐ 执行中 T node-build", "循环", "永远无法开始"} {
		if text := flat(said); !strings.Contains(text, want) {
			t.Errorf("the graph does not say %q:\n%s", want, text)
		}
	}
}

// The graph of many nodes shows some of them, and the number of the others.
func TestALargeGraphSaysWhatItLeavesOut(t *testing.T) {
	files := enginetest.Plan("ws-a")
	const columns, rows = 40, 60
	for i := range columns * rows {
		needs := ""
		for k := range min(i/rows, 1) * 5 {
			needs += fmt.Sprintf(" - n%04d\n", (i/rows-1)*rows+(i+k)%rows)
		}
		id := fmt.Sprintf("n%04d", i)
		files[mdstore.NodePath("ws-a", mdstore.ID(id))] = enginetest.Node(id,
			"title: A node of the plan\ntype: execution\nstatus: pending\nparentId: root\ndependencies:\n"+needs, "")
	}
	w := newWorld(t, files)
	_, said := w.get("/graph")
	shown := strings.Count(said, `<li data-id="n`)
	if shown != graphNodes || len(said) > 200e3 {
		t.Errorf("%d nodes are shown, in %d bytes", shown, len(said))
	}
	text := flat(said)
	for _, want := range []string{
		fmt.Sprintf("Wave 1 and more: %d nodes", rows-waveNodes),
		fmt.Sprintf("and more: %d nodes. Use a filter, or the graph of one node, to see them.", (columns-graphNodes/waveNodes)*rows),
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the graph does not say %q:\n%.3000s", want, text)
		}
	}
}

// On a wide screen, the lines end at the nodes; on a phone, the waves are one below the other. Each node can have the
// keyboard focus, and then shows all of its text.
func TestTheGraphIsDrawn(t *testing.T) {
	w := newWorld(t, linked())
	b := newBrowser(t)
	w.follow()
	p := b.open(w, "/plan")
	p.click("a|As a graph")
	p.until(`location.pathname === "/graph" && document.readyState === "complete"`)
	p.size(1440, 900)
	ends := `[...document.querySelectorAll(".drawn > svg > path")].map((e) => { const at = document.querySelector(".drawn").getBoundingClientRect();
		const end = e.getPointAtLength(e.getTotalLength()), from = e.getPointAtLength(0);
		return [end, from].map((p) => Math.min(...[...document.querySelectorAll(".step")].map((s) => { const r = s.getBoundingClientRect();
			const x = Math.min(Math.abs(at.x + p.x - r.x), Math.abs(at.x + p.x - r.right)), y = Math.abs(at.y + p.y - r.y - r.height / 2);
			return Math.max(x, y) }))) }).flat()`
	all := p.eval(ends).([]any)
	for _, far := range all {
		if far.(float64) > 10 {
			t.Errorf("a line ends %v pixels beside any node", math.Round(far.(float64)))
		}
	}
	if len(all) != 14 {
		t.Errorf("%d ends of lines, want 14", len(all))
	}
	if dir := os.Getenv("ARBOR_LOOK"); dir != "" {
		for _, dark := range []bool{false, true} {
			p.dark(dark)
			p.picture(filepath.Join(dir, fmt.Sprintf("graph-%v.png", dark)))
		}
		p.size(390, 844)
		p.picture(filepath.Join(dir, "graph-phone.png"))
		p.size(1440, 900)
	}
	p.eval(`document.querySelector(".graph").focus()`)
	p.keys("Tab")
	p.until(`document.activeElement.matches(".step a")`)
	p.until(`document.activeElement.closest(".step").scrollHeight <= document.activeElement.closest(".step").clientHeight`)
	for _, width := range []int{390, 360} {
		p.size(width, 844)
		p.until(`getComputedStyle(document.querySelector(".drawn > svg")).display === "none"`)
		if wide := p.eval(`Math.max(document.documentElement.scrollWidth, document.querySelector(".graph").scrollWidth)`); int(wide.(float64)) > width {
			t.Errorf("it is %v wide on a screen of %d", wide, width)
		}
	}
	w.do("node_transition", map[string]any{"workspaceId": "ws-a", "nodeId": "node-build", "action": "complete", "conclusion": "built"})
	p.until(`document.querySelector('[data-id="wave-0"] [data-id="node-build"]')`)
}

// A line over several columns runs between the rows: behind a step that it does not concern, it would look like a chain.
func TestALongLineRunsBetweenTheRows(t *testing.T) {
	w := newWorld(t, nil)
	b := newBrowser(t)
	ws, first, second := w.plan()
	w.do("node_update", map[string]any{"workspaceId": ws, "nodeId": second, "dependencies": []string{first}})
	add := func(title string, after ...string) string {
		return w.do("node_create", map[string]any{"workspaceId": ws, "parentId": "root", "title": title, "type": "execution",
			"dependencies": after})["nodeId"].(string)
	}
	third := add("Third", second)
	add("Fourth", third)
	add("Far", third, first)
	p := b.open(w, "/graph")
	p.size(1440, 900)
	p.until(`document.querySelectorAll(".drawn path:not(marker path)").length === 5`)
	if crossed := p.eval(`(() => {
		const svg = document.querySelector(".drawn svg").getBoundingClientRect(), steps = [...document.querySelectorAll(".step")];
		return [...document.querySelectorAll(".drawn path:not(marker path)")].flatMap((line) => {
			const n = line.getTotalLength(), behind = new Set();
			for (let i = 6; i < n - 6; i += 2) {
				const at = line.getPointAtLength(i), x = svg.x + at.x, y = svg.y + at.y;
				for (const s of steps) {
					const r = s.getBoundingClientRect();
					if (x > r.left + 1 && x < r.right - 1 && y > r.top + 1 && y < r.bottom - 1) behind.add(s.innerText);
				}
			}
			return [...behind];
		}).join(" | ");
	})()`); crossed != "" {
		t.Errorf("lines run behind %v", crossed)
	}
}
