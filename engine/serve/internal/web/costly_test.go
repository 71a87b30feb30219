package web

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"arbor/mdstore"
)

// A text whose rendering would take very long, or give a huge page, is shown as it is. Each of these took minutes, or
// made a thousand times its size, with a file of the largest size: one that does so again ends the test by its timeout.
// Without ARBOR_HEAVY=1 they have an eighth of that size.
func TestNoTextKeepsTheServerBusy(t *testing.T) {
	size := mdstore.MaxFileSize / 8
	if os.Getenv("ARBOR_HEAVY") != "" {
		size = mdstore.MaxFileSize
	}
	many := func(piece string) string { return strings.Repeat(piece, size/len(piece)) }
	lines := func(form string) string {
		var b strings.Builder
		for i := 0; b.Len() < size-100; i++ {
			fmt.Fprintf(&b, form, i)
		}
		return b.String()
	}
	row := strings.Repeat("a|", 200) + "\n" + strings.Repeat("-|", 200) + "\n"
	texts := []string{many("*a_ "), many("_a*b_"), many("[a]("), many("> "), many(">"), many("1. "), many("[[a]] "), many("["), many("<!--"),
		many("![a]["), many("~a~~"), many("- "), many("> *a_ "), many("*a_\n"), many("> [a](\n"), many("a*_b\\\n"),
		row + many("|\n")[:size-2*len(row)], "> " + strings.ReplaceAll(row, "\n", "\n> ") + many("|\n> ")[:size/2],
		lines("[^%d]: x[^1]\n"), lines("[a%d]: x\n") + many("[a1] ")[:100], "[^a]: x\n" + many("    x\n")[:size/2],
		many("`"), lines("`%d``"), many("<details>\n\n"), many("http://a.b "), many("a@b.c "), many("&#"), many("[^a]"), many("```\n"),
		many("# a\n"), many("- *a_\n"), "x\n" + many("     - *a_\n"), "x\n" + many("2. *a_\n"), "x\n" + many("- \n *a_\n"), "x\n" + many("-\t*a_\n"),
		"x\n" + many("---\n*a_\n"), "x\n|-|-|\n" + many("*a_\n"), many("| a "), many("\\["), many("**a** "), many("<a href='")}
	for _, text := range texts {
		text = text[:min(len(text), size)]
		v := &screen{}
		v.links.definitions, v.links.footnotes = definitionsIn(text), footnotesIn(text)
		if out := v.Markdown(text); len(out) > 64*len(text) {
			t.Errorf("%.20q… of %d bytes is shown as %d bytes", text, len(text), len(out))
		}
	}
}

// What people write is rendered, also where it is long.
func TestLongTextsAreRendered(t *testing.T) {
	row := "| [a](b) | *c* | `d_e` | 4 |\n"
	for _, text := range []string{
		strings.Repeat("- [ ] a *task* with [a link](x.md) and `code_of_it`\n", 5000),
		"| a | b | c | d |\n|---|---|---|---|\n" + strings.Repeat(row, 1000),
		strings.Repeat("A paragraph of _several_ words, **bold** and [linked](x.md).\n\n", 8000),
		strings.Repeat("> > - quoted\n", 1000), strings.Repeat("A note[^1].\n\n", 500) + "[^1]: it\n",
		"```\n" + strings.Repeat("a_b[1] * c\n", 500) + "```\n", strings.Repeat("    ", 20) + "- deep",
	} {
		if costly(text) {
			t.Errorf("%.60q… of %d bytes is not rendered", text, len(text))
		}
	}
}
