package web

import (
	"bytes"
	"slices"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"
	"golang.org/x/net/html/atom"

	"arbor/mdstore/pattern"
)

// detailsTag matches the tags of what a reader may expand.
var detailsTag = pattern.Of(`(?i)<(/?)(details|summary)(?:\s[^<>]*)?>`)

// htmlAsText returns HTML that shows the source text of HTML. Within a line it leaves out known tags without
// attributes, such as <b>. Details stay, and are open.
func htmlAsText(source []byte, n ast.Node) []byte {
	if line, ok := n.(*ast.RawHTML); ok {
		text := line.Segments.Value(source)
		if atom.Lookup(bytes.ToLower(bytes.Trim(text, "</> "))) != 0 {
			return nil
		}
		return util.EscapeHTML(text)
	}
	block := n.(*ast.HTMLBlock)
	text := block.Lines().Value(source)
	if block.HasClosure() {
		text = append(text, block.ClosureLine.Value(source)...)
	}
	var out []byte
	at := 0
	for _, m := range detailsTag().FindAllSubmatchIndex(text, -1) {
		out = append(out, paragraphOf(text[at:m[0]])...)
		switch name, end := bytes.ToLower(text[m[4]:m[5]]), m[3] > m[2]; {
		case end:
			out = slices.Concat(out, []byte("</"), name, []byte(">"))
		case string(name) == "details":
			out = append(out, "<details open>"...)
		default:
			out = append(out, "<summary>"...)
		}
		at = m[1]
	}
	return append(out, paragraphOf(text[at:])...)
}

// paragraphOf returns a text as a paragraph of HTML; nothing for a blank one.
func paragraphOf(text []byte) []byte {
	if text = bytes.TrimSpace(text); len(text) == 0 {
		return nil
	}
	text = bytes.ReplaceAll(util.EscapeHTML(text), []byte("\n"), []byte("<br>\n"))
	return slices.Concat([]byte("<p>"), text, []byte("</p>\n"))
}
