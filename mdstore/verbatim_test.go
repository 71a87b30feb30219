package mdstore_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// markdown generates texts of pieces that mean something to a parser, and of any characters but NUL.
func markdown() *rapid.Generator[string] {
	piece := rapid.OneOf(
		rapid.SampledFrom([]string{
			"# one", "## User", "## Assistant", "### three", "  ## User", "   ## User", "    ## User", "##\tUser", "## User ##", "User\n====", "User\n----", "===", "---", "***", "```", "````", "~~~", "~~~~~~",
			"```verbatim", "````verbatim\nx\n````", "```verbatim \nx\n```", "``` verbatim", "`", "``", "<!--", "-->", "<!-- a -->", "<div>", "</div>", "<pre>", "<script>", "</script>", "<?php", "?>", "<!X", ">", "<![CDATA[", "]]>",
			"- a", "-", "1. b", "* c", "  - d", "> e", "> ## User", "- ## User", ">", "    code", "\tcode", "|a|b|", "|-|-|", "[x]: /url", "[x]:", "\"title", "\\", "\\#", "&#35; a", "<a", "href=\"", "a  ", "a", "", "\r\n", "\r",
			"<<<<<<< HEAD", "=======", ">>>>>>> b", "\u2028", "\v", "\f", "\u00a0", "\ufeff", "  ", "+", "===\n", "…", "**b**", "<http://x>", "<https://x\n## User", "- a\n\n  ```", "- a\n\n      b",
		}),
		rapid.StringOfN(rapid.RuneFrom([]rune("#-=`~<>!|: \t\nab\r\\[]*_+1.")), 0, 30, -1),
		rapid.String(),
	)
	return rapid.Custom(func(t *rapid.T) string {
		parts := rapid.SliceOfN(piece, 0, 8).Draw(t, "pieces")
		s := ""
		for _, p := range parts {
			s += p + rapid.SampledFrom([]string{"\n", "\n\n", "", "\n", " ", "\r\n"}).Draw(t, "between")
		}
		return strings.ReplaceAll(strings.ToValidUTF8(s, ""), "\x00", "")
	})
}

// What is stored reads back byte for byte, also with blank lines around it, and is fenced only where it must be.
func TestVerbatimLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := markdown().Draw(t, "text")
		stored := mdstore.Verbatim(text)
		blank := rapid.StringOfN(rapid.RuneFrom([]rune(" \n")), 0, 3, -1)
		for _, s := range []string{stored, "\n" + blank.Draw(t, "before") + stored + "\n" + blank.Draw(t, "behind"), mdstore.Fenced(text)} {
			if got := mdstore.FromVerbatim(s); got != text {
				t.Fatalf("%q is stored as %q and read as %q", text, s, got)
			}
		}
		if stored != text && stored != mdstore.Fenced(text) && !strings.HasPrefix(stored, "```verbatim escaped\n\\") {
			t.Fatalf("%q is stored as %q", text, stored)
		}
	})
}

// No text can forge a heading: a document with it below a heading has that heading and the next one, and between them
// the text.
func TestVerbatimForgesNoHeading(t *testing.T) {
	open := 0
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(markdown(), 1, 4).Draw(t, "texts")
		file := "---\nx: y\n---\n"
		for _, text := range texts {
			file += "\n## Mine\n\n" + mdstore.Verbatim(text) + "\n"
		}
		file += "\n## End\n"
		d, wrong := mdoc.Parse("", []byte(file), nil)
		if len(wrong) > 0 {
			t.Fatalf("%v in\n%s", wrong, file)
		}
		open++
		sections := d.Sections()
		for i, text := range texts {
			if len(sections) != len(texts)+1 || sections[i].Title != "Mine" {
				t.Fatalf("%d sections of %d in\n%s", len(sections), len(texts)+1, file)
			}
			if got := mdstore.FromVerbatim(file[sections[i].Body.Start:sections[i].Body.End]); got != text {
				t.Fatalf("got %q, want %q in\n%s", got, text, file)
			}
		}
		for _, h := range d.Headings() {
			if h.Level == 1 {
				t.Fatalf("a heading of level 1 in\n%s", file)
			}
		}
	})
	if open == 0 {
		t.Error("no file could be read")
	}
}

func TestVerbatimExamples(t *testing.T) {
	for text, stored := range map[string]string{
		"":                          "",
		"a":                         "a",
		"### low\n\n- a\n- b":       "### low\n\n- a\n- b",
		"```go\nx\n```":             "```go\nx\n```",
		"# high":                    "```verbatim\n# high\n```",
		"a\n===":                    "```verbatim\na\n===\n```",
		"a\n":                       "```verbatim\na\n\n```",
		" a":                        "```verbatim\n a\n```",
		"```\nopen":                 "````verbatim\n```\nopen\n````",
		"<!-- x -->\na":             "```verbatim\n<!-- x -->\na\n```",
		"a\r\nb":                    "```verbatim\na\r\nb\n```",
		"```verbatim\nforged\n```":  "````verbatim\n```verbatim\nforged\n```\n````",
		"<pre>\n\nnever ends":       "```verbatim\n<pre>\n\nnever ends\n```",
		"a\rb\\":                    "```verbatim escaped\n\\a\\rb\\\\\n```",
		"<<<<<<< a\n>>>>>>> b":      "```verbatim escaped\n\\<<<<<<< a\n\\>>>>>>> b\n```",
		"inline ````` of backticks": "inline ````` of backticks",
	} {
		if got := mdstore.Verbatim(text); got != stored {
			t.Errorf("Verbatim(%q)\n got %q\nwant %q", text, got, stored)
		}
	}
	if got := mdstore.FromVerbatim("```verbatim\n# a\n```\n\nby a person\n"); got != "# a\n\nby a person" {
		t.Errorf("%q", got)
	}
}
