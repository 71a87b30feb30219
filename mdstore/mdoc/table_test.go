package mdoc

import (
	"fmt"
	"strings"
	"testing"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
	"pgregory.net/rapid"
)

// TestTablesEqualTheExtensions compares what block structure is with our tables and with those of the library's extension, which reads their cells too.
func TestTablesEqualTheExtensions(t *testing.T) {
	theirs := parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithParagraphTransformers(append(parser.DefaultParagraphTransformers(),
			util.Prioritized(extension.NewTableParagraphTransformer(), 200))...))
	lines := []string{"a", "| a |", "a | b", "| a | b |", `a \| b`, `a \\| b`, "a|b|c", "|", "||", "| |", `|\`, `\|`, "", " ", "  a | b",
		"---", "-", "--|--", "|--", "--|", "| -- |", ":-:|-:", "| :- | -: |", ":", "::", ":|:", "-:-|-", "- -|-", " \t--|--", "   -|-", "    -|-", "\t-|-", "-|-\v", "-|\f-", "\u00a0-|-",
		"===", "# a | b", "> a | b", "> -|-", "- a | b", "  -|-", "1. a | b", "   --|--", "```", "<div>", "[a]: b", "[a]: /b", "-|-|-", "`a|b`", "a | b\\"}
	made := 0
	rapid.Check(t, func(t *rapid.T) {
		src := strings.Join(rapid.SliceOfN(rapid.SampledFrom(lines), 0, 8).Draw(t, "lines"), "\n") + rapid.SampledFrom([]string{"\n", ""}).Draw(t, "end")
		got, want := shape(markdown.Parse(text.NewReader([]byte(src)))), shape(theirs.Parse(text.NewReader([]byte(src))))
		if got != want {
			t.Fatalf("the blocks of %q\n got %s\nwant %s", src, got, want)
		}
		made += strings.Count(got, "Table")
	})
	if made < 20 {
		t.Errorf("%d tables in all documents; this compares too little", made)
	}
}

// shape tells the kinds, places and lines of the blocks below a node; of a table not what is in it.
func shape(n ast.Node) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s@%d", n.Kind(), n.Pos())
	if n.Kind().String() == "Table" {
		return b.String()
	}
	if h, ok := n.(*ast.Heading); ok {
		fmt.Fprintf(&b, "/%d", h.Level)
	}
	for i := range n.Lines().Len() {
		fmt.Fprintf(&b, " %v", n.Lines().At(i))
	}
	b.WriteByte('(')
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if c.Type() != ast.TypeInline {
			b.WriteString(shape(c))
		}
	}
	b.WriteByte(')')
	return b.String()
}
