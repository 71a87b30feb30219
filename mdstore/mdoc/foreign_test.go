package mdoc

import (
	"strings"
	"testing"
)

func TestForeignTitleAndDescription(t *testing.T) {
	for _, c := range []struct{ name, src, title, description string }{
		{"YAML", "---\ntitle: T\ndescription: \"D: d\"\n---\n# H\n", "T", "D: d"},
		{"YAML name and summary", "---\nname: N\nsummary: S\n---\n# H\n", "N", "S"},
		{"YAML with a byte order mark", "\ufeff---\r\ntitle: T\r\n---\r\n", "T", ""},
		{"YAML that is none", "---\nname: skill\ndescription: Use when: asked # 3\n---\n", "skill", "Use when: asked # 3"},
		{"YAML ended by dots", "---\ntitle: T\n...\n# H\n", "T", ""},
		{"YAML with an indented delimiter", "---\ndescription: |\n  a\n  ---\n  b\ntitle: T\n---\n# H\n", "T", "a --- b"},
		{"YAML with a folded text", "---\ndescription: >-\n  several\n  lines\n---\n# H\n", "H", "several lines"},
		{"YAML with a list for a title", "---\ntitle: [a]\n---\n# H\n", "H", ""},
		{"YAML with a number for a title", "---\ntitle: 2026\n---\n# H\n", "2026", ""},
		{"YAML by its name", "---yaml\ntitle: T\n---\n# H\n", "T", ""},
		{"TOML", "+++\ntitle = \"T\"\ndescription = 'D'\ndraft = true\n[params]\nx = 1\n+++\n# H\n", "T", "D"},
		{"TOML by its name", "---toml\nname = \"T\"\n---\n# H\n", "T", ""},
		{"TOML with a number for a title", "+++\ntitle = 1\n+++\n# H\n", "H", ""},
		{"TOML that is none", "+++\ntitle = \n+++\n# H\n", "H", ""},
		{"JSON", "{\n\"title\": \"T\", \"summary\": \"S\", \"x\": [1]\n}\n\n# H\n", "T", "S"},
		{"JSON between semicolons", ";;;\n{\"title\": \"T\"}\n;;;\n# H\n", "T", ""},
		{"JSON that is none", "{\n\"title\": T\n}\n\n# H\n", "H", ""},
		{"none", "text\n\n# H *i*  \n\n# Second\n", "H *i*", ""},
		{"none, underlined", "Two\nlines\n=====\n", "Two lines", ""},
		{"none, in a fence", "```\n# no\n```\n", "", ""},
		{"unterminated", "---\ntitle: T\n\n# H\n", "H", ""},
		{"empty", "", "", ""},
		{"level 2 alone", "## H\n", "", ""},
		{"not UTF-8", "---\ntitle: a\xffb\x00\n---\n", "a?b?", ""},
		{"too much front matter", "---\ntitle: T\nx: " + strings.Repeat("x", maxFrontMatterBytes) + "\n---\n# H\n", "H", ""},
		{"too much TOML", "+++\ntitle = \"T\"\nx = \"" + strings.Repeat("x", maxFrontMatterBytes) + "\"\n+++\n# H\n", "H", ""},
		{"deep TOML keys", "+++\na" + strings.Repeat(".a", 30000) + " = 1\n+++\n# H\n", "H", ""},
		{"deep TOML tables", "+++\n[a" + strings.Repeat(".a", 30000) + "]\n+++\n# H\n", "H", ""},
		{"deep TOML inline tables", "+++\na = " + strings.Repeat("{a = ", 10000) + "1\n+++\n# H\n", "H", ""},
		{"TOML with many dots in a text", "+++\ntitle = \"" + strings.Repeat(".", 100) + "\"\n+++\n# H\n", strings.Repeat(".", 100), ""},
		{"too deep", "---\ntitle: T\n---\n" + strings.Repeat(">", 100) + "\n# H\n", "T", ""},
		{"too deep without a title", strings.Repeat(">", 100) + "\n\n# H\n", "", ""},
		{"too long", "---\ntitle: T\n---\n" + strings.Repeat("x\n", MaxBytes), "T", ""},
		{"a bomb", "---\na: &a [x,x]\nb: &b [*a,*a]\ntitle: T\n---\n", "T", ""},
		{"deep JSON", "{\n\"x\": " + strings.Repeat("[", 30000) + "\n}\n\n# H\n", "H", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := ReadForeign([]byte(c.src)); got.Title != c.title || got.Description != c.description {
				t.Errorf("got %q, want %q and %q", got, c.title, c.description)
			}
		})
	}
}
