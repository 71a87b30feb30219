package mdoc

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestPieces(t *testing.T) {
	src := "<!-- a\n- [ ] hidden -->\nintro\n\n# Plan\n\n- [x] One\n  more\n\n  ```\n  - [ ] code\n  ```\n  1. Two\n- [?]\n" +
		"- > - [ ] quoted\n- | a | b |\n  |---|---|\n  | - x | 1 |\n\nEnd\n---\n[d]: /url\n- [/] Last"
	all, ok := Pieces(src)
	var b strings.Builder
	for _, p := range all {
		fmt.Fprintf(&b, "%d %d %q %q %d\n", p.Kind, p.Level, p.Mark, p.Text, p.Line)
	}
	want := `3 0 "" "<!-- a\n- [ ] hidden -->" 1
0 0 "" "intro" 3
1 1 "" "Plan" 5
2 1 "x" "One\nmore" 7
0 1 "" "` + "```\\n- [ ] code\\n```" + `" 10
2 2 "" "Two" 13
2 1 "" "[?]" 14
0 0 "" "> - [ ] quoted" 15
0 0 "" "| a | b |\n|---|---|\n| - x | 1 |" 16
1 2 "" "End" 20
0 0 "" "[d]: /url" 22
2 1 "/" "Last" 23
`
	if got := b.String(); !ok || got != want {
		t.Errorf("Pieces(%q)\n got %s\nwant %s", src, got, want)
	}
}

// No word of a text is missing in its pieces.
func TestPiecesHaveEveryWord(t *testing.T) {
	line := rapid.SampledFrom([]string{"w", "- w", "  - w", "    - w", "\t- w", "* [x] w", "1. w", "10) w", "# w", "## w #", "w\n===", "---",
		"```", "~~~ w", "> w", "> - w", "<!-- w", "w -->", "<div>w", "</div>", "| w | w |", "|---|---|", "[w]: /w", "", "", "  w", "    w", "-", "- -", "- - w",
		"-\tw", "- ```w", "- <!-- w -->", "***", "\\", "w  ", "[^1]: w", "- [ ]", "- [-] w", "  # w", "-\r", "1) # w", "+ > w"})
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(line, 0, 14).Draw(t, "lines")
		for i, n := 0, 0; i < len(lines); i++ {
			for strings.Contains(lines[i], "w") {
				lines[i] = strings.Replace(lines[i], "w", fmt.Sprintf("q%d", n), 1)
				n++
			}
		}
		src := strings.Join(lines, "\n")
		all, ok := Pieces(src)
		if !ok {
			t.Fatalf("Pieces(%q) is beyond a limit", src)
		}
		got := ""
		last := 0
		for _, p := range all {
			got += " " + p.Text
			if p.Line < last {
				t.Fatalf("Pieces(%q): the lines go back: %v", src, all)
			}
			last = p.Line
		}
		words := func(s string) string {
			return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r != 'q' && (r < '0' || r > '9') }), " ")
		}
		var want []string
		for _, w := range strings.Fields(words(src)) {
			if strings.HasPrefix(w, "q") {
				want = append(want, w)
			}
		}
		for _, w := range want {
			if !strings.Contains(" "+words(got)+" ", " "+w+" ") {
				t.Fatalf("Pieces(%q) lacks %s: %+v", src, w, all)
			}
		}
	})
}

// Comments of Obsidian are comments, also within items; %% within a line, in code, or without an end is text.
func TestCommentsOfObsidian(t *testing.T) {
	for text, want := range map[string]string{
		"- a\n%%\n- hidden\n%%\n- b\n":                            "item a, comment, item b",
		"- a\n\n  %% kanban:settings\n  ```\n  {}\n  ```\n  %%\n": "item a, comment",
		"%% all of it %%\n\n- b\n":                                "comment, item b",
		"- a %%not%% b\n":                                         "item a %%not%% b",
		"```\n%%\n- x\n%%\n```\n- b\n":                            "text, item b",
		"- a\n\n%%\n- shown\n":                                    "item a, text, item shown",
		"%%\r\n- hidden\r\n%% words\r\n":                          "comment, text",
		"- [ ] 买牛奶\n%%\n~~~\n%%\n- [x] שלום\n":                    "item 买牛奶, comment, item שלום",
	} {
		pieces, ok := Pieces(text)
		var got []string
		for _, p := range pieces {
			switch p.Kind {
			case CommentPiece:
				got = append(got, "comment")
			case ItemPiece:
				got = append(got, "item "+p.Text)
			default:
				got = append(got, "text")
			}
		}
		if s := strings.Join(got, ", "); !ok || s != want {
			t.Errorf("%q has %s; want %s", text, s, want)
		}
	}
}
