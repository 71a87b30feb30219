package mdstore_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"arbor/mdstore"
)

// What stands in a node outside of the sections that Arbor knows is told apart by its headings.
func TestOwnTextsAreRead(t *testing.T) {
	const body = "> [!note] A callout\n> of two lines\n\n# Title\n\nWords.\n\n## Requirement\n\n### In it\n\nr\n\n## Ideas #tag\n\n" +
		"```md\n## No heading\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n## 备注\n\nn\n\n## Empty\n\n" +
		"## Docs\n\nA paragraph.\n\n- a.md: first\n- []()\n\n### More\n\n- later\n\n" +
		"## Log\n\n- [2026-01-01 10:00:00] [AI] created\n\n### 2025\n\n- old\n\nAppendix\n========\n\nend <!-- hidden -->\n\n## Ideas #tag\n\nagain\n"
	for _, eol := range []string{"\n", "\r\n"} {
		text := strings.ReplaceAll("---\nid: n\n---\n"+body, "\n", eol)
		n := mdstore.ParseNode(mdstore.File{Path: "ws/nodes/n/Node.md", Data: []byte(text)})
		var got []string
		for _, x := range n.OwnTexts() {
			got = append(got, fmt.Sprintf("%s: %q", x.Name, x.Text))
		}
		want := []string{`: "> [!note] A callout\n> of two lines\n\n# Title\n\nWords."`,
			`Ideas #tag: "` + "```md\\n## No heading\\n```" + `\n\n| a | b |\n|---|---|\n| 1 | 2 |"`, `Empty: ""`,
			`Docs: "A paragraph.\n\n[]()\n\n### More\n\n- later"`, `Log: "### 2025\n\n- old"`,
			`Appendix: "end <!-- hidden -->"`, `Ideas #tag: "again"`}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

// Every line of a node's body is told by some method of Node.
func TestEveryLineOfANodeIsTold(t *testing.T) {
	block := rapid.Custom(func(t *rapid.T) string {
		mark := fmt.Sprintf("w%d", rapid.IntRange(0, 1<<30).Draw(t, "word"))
		return strings.ReplaceAll(
			rapid.SampledFrom([]string{"# X\n\n", "## X\n\n", "### X\n\n", "## Note\n\nX\n\n", "## Requirement\n\n",
				"## Docs\n\n",
				"## References\n\n", "## 日志\n\n", "## Problem\n\n", "### Next Step\n\n", "## Conclusion\n\n", "X\n\n", "- X\n",
				"- [ ] X\n  more\n\n",
				"1. X: y\n\n", "> X\n\n", "```\n## X\n```\n\n", "X\n---\n\n", "<!-- X -->\n\n", "| X |\n|---|\n\n",
				"- [X](a b.md)\n", "- \n", "- []() X\n"}).
				Draw(t, "block"),
			"X",
			mark,
		)
	})
	rapid.Check(t, func(t *rapid.T) {
		text := "---\nid: n\n---\n\n" + strings.Join(rapid.SliceOfN(block, 0, 12).Draw(t, "blocks"), "")
		n := mdstore.ParseNode(mdstore.File{Path: "ws/nodes/n/Node.md", Data: []byte(text)})
		told := fmt.Sprint(n.Requirement(), n.Note(), n.Conclusion(), n.Problem(), n.Docs(), n.References(), n.Log())
		for _, x := range n.OwnTexts() {
			told += "\n" + x.Name + "\n" + x.Text
		}
		for _, word := range strings.FieldsFunc(text, func(r rune) bool {
			return !(r >= 'a' && r <= 'z' || r >= '0' &&
				r <= '9')
		}) {
			if word[0] == 'w' && !strings.Contains(told, word) {
				t.Fatalf("%s\nnothing tells %s", text, word)
			}
		}
	})
}
