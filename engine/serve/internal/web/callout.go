package web

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"arbor/mdstore/pattern"
)

// callouts gives a quote that begins with [!note], as Obsidian and GitHub have it, a title: the words behind that, or
// else the kind.
type callouts struct{}

var calloutMark = pattern.Of(`^\s*\[!([A-Za-z][\w-]*)\][+-]?[ \t]*(.*?)\s*$`)

func (callouts) Transform(p *ast.Paragraph, reader text.Reader, _ parser.Context) {
	quote := p.Parent()
	if quote == nil || quote.Kind() != ast.KindBlockquote || quote.FirstChild() != ast.Node(p) {
		return
	}
	first := p.Lines().At(0)
	m := calloutMark().FindSubmatch(first.Value(reader.Source()))
	if m == nil {
		return
	}
	quote.SetAttributeString(calloutKind, strings.ToUpper(string(m[1][:1]))+strings.ToLower(string(m[1][1:])))
	quote.SetAttributeString(calloutTitle, bytes.Clone(m[2]))
	rest := text.NewSegments()
	for i := 1; i < p.Lines().Len(); i++ {
		rest.Append(p.Lines().At(i))
	}
	if p.SetLines(rest); rest.Len() == 0 {
		quote.RemoveChild(quote, p)
	}
}

// The attributes of a quote that is a callout.
const (
	calloutKind  = "callout"
	calloutTitle = "title"
)

// titled adds the title to a callout, and does nothing for other quotes.
func titled(quote *ast.Blockquote) {
	kind, is := quote.AttributeString(calloutKind)
	if !is {
		return
	}
	title, bold := ast.NewParagraph(), ast.NewEmphasis(2)
	bold.AppendChild(bold, ast.NewString([]byte(kind.(string))))
	title.AppendChild(title, bold)
	if words, _ := quote.AttributeString(calloutTitle); len(words.([]byte)) > 0 {
		title.AppendChild(title, ast.NewString(append([]byte(": "), words.([]byte)...)))
	}
	quote.InsertBefore(quote, quote.FirstChild(), title)
	quote.RemoveAttributes()
}
