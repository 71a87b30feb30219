package web

import (
	"strings"
	"testing"

	"arbor/engine/ops"
)

// Lists show texts without Markdown, also where a line was cut or lines were joined.
func TestListsShowPlainText(t *testing.T) {
	for line, want := range map[string]string{
		"## Problem":                                  "Problem",
		"[Human] problem: # No paint ## Next":         "[Human] problem: No paint Next",
		"We use **Postgres**, _not_ `MySQL`.":         "We use Postgres, not MySQL.",
		"***very*** ~~old~~ __bold__":                 "very old bold",
		"- [x] tick [this](https://example.org)":      "tick this",
		"see [[node-a|the plan]] and [[Two]]":         "see the plan and Two",
		"![a map](map.png) beside":                    "a map beside",
		"> [!note] Take care":                         "Take care",
		"| a | b | |---|:-:| | 1 | 2 |":               "a b 1 2",
		"ends in a link [words](https://exam…":        "ends in a link words",
		"snake_case_name, 2**3, *.go, cat x | wc":     "snake_case_name, 2**3, *.go, cat x | wc",
		"a note[^1] <https://example.org> \\*star\\*": "a note https://example.org *star*",
		"too. - [x] key - [ ] guide |…":               "too. key guide …",
		"issue #5 - still open <!-- hidden -->":       "issue #5 - still open",
	} {
		if got := plain(line); got != want {
			t.Errorf("plain(%q)\n got %q\nwant %q", line, got, want)
		}
	}
	for text, want := range map[string]string{
		"\n---\n\n```sql\nSELECT 1\n```":         "SELECT 1",
		"| name | age |\n|---|---|\n| ann | 7 |": "name age",
		"<!-- told -->\n### [Ways](w.md)\nmore":  "Ways",
		strings.Repeat("é", firstLineShown):      strings.Repeat("é", firstLineShown/2) + "…",
	} {
		if got := firstLine(text); got != want {
			t.Errorf("firstLine(%q)\n got %q\nwant %q", text, got, want)
		}
	}
}

// The words that were looked for stay marked where they stand in the plain text of the snippet.
func TestSnippetsArePlainAndMarked(t *testing.T) {
	w := newWorld(t, nil)
	ws, first, _ := w.plan()
	w.do("node_update", map[string]any{"workspaceId": ws, "nodeId": first,
		"note": "## Paint\n\n| colour | cost |\n|---|---|\n| **crimson** | [7 €](prices.md) |\n"})
	w.do("memory_save", map[string]any{"workspaceId": ws, "slot": "decisions", "text": "# On colours\n\nWe use *crimson*."})
	_, said := w.get("/search?q=crimson")
	if !strings.Contains(said, `<mark>crimson</mark> 7 €`) || !strings.Contains(said, `We use <mark>crimson</mark>.`) {
		t.Errorf("the results: %s", said)
	}
	if _, list := w.get("/memory"); !strings.Contains(list, ">On colours</span>") {
		t.Errorf("the list of memory: %s", list)
	}
	f := ops.Found{Snippet: "[a](b) c"}
	if got := marked(f); len(got) != 1 || got[0] != (piece{Text: "a c"}) {
		t.Errorf("without a word that was found: %v", got)
	}
}
