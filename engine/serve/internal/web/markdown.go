package web

import (
	"bytes"
	"html/template"
	"slices"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	tasks "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
	"golang.org/x/net/html/atom"

	"arbor/mdstore/pattern"
)

// markdown makes HTML of texts. Anyone may have written them, so it shows HTML in them as text, and its output must
// also pass through sanitized.
var markdown = sync.OnceValue(func() goldmark.Markdown {
	return goldmark.New(
		goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)),
			extension.Strikethrough, extension.TaskList),
		goldmark.WithParserOptions(parser.WithInlineParsers(util.Prioritized(wikiLinks{}, 150))),
		goldmark.WithRendererOptions(html.WithHardWraps(), renderer.WithNodeRenderers(util.Prioritized(ours{}, 1))))
})

// ours renders pictures as links, because loading them from other hosts would tell that the text was read; the boxes of
// tasks with a label for screen readers; and HTML as text.
type ours struct{}

func (ours) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(tasks.KindTaskCheckBox, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering && n.(*tasks.TaskCheckBox).IsChecked {
			_, _ = w.WriteString(`<input type="checkbox" checked disabled aria-label="done"> `)
		} else if entering {
			_, _ = w.WriteString(`<input type="checkbox" disabled aria-label="to do"> `)
		}
		return ast.WalkContinue, nil
	})
	text := func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			_, _ = w.Write(htmlAsText(source, n))
		}
		return ast.WalkSkipChildren, nil
	}
	r.Register(ast.KindHTMLBlock, text)
	r.Register(ast.KindRawHTML, text)
	r.Register(ast.KindImage, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch to := n.(*ast.Image).Destination; {
		case n.Parent().Kind() == ast.KindLink:
		case entering:
			_, _ = w.WriteString(`<a href="`)
			_, _ = w.Write(util.EscapeHTML(util.URLEscape(to, true)))
			_, _ = w.WriteString(`">`)
		default:
			_, _ = w.WriteString("</a>")
		}
		return ast.WalkContinue, nil
	})
}

// htmlAsText returns HTML that shows the source text of HTML. Within a line it leaves out known tags without
// attributes, such as <b>.
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
	text = bytes.ReplaceAll(util.EscapeHTML(bytes.TrimSpace(text)), []byte("\n"), []byte("<br>\n"))
	return slices.Concat([]byte("<p>"), text, []byte("</p>\n"))
}

// rendered returns a text as HTML. nodes returns the address of a node, for links in the form that Obsidian writes.
func rendered(source string, nodes func(id string) string) template.HTML {
	var b bytes.Buffer
	known := parser.NewContext()
	known.Set(nodesOf, nodes)
	if err := markdown().Convert([]byte(source), &b, parser.WithContext(known)); err != nil {
		return template.HTML(template.HTMLEscapeString(source))
	}
	return template.HTML(sanitized(b.Bytes()))
}

// nodesOf is the key of the function nodes in the context of a parser.
var nodesOf = parser.NewContextKey()

// wikiLinks reads [[node-…]] and [[node-…|words]], and paths that end in a node's folder, as links to nodes. Other
// links stay as they are.
type wikiLinks struct{}

var wikiLink = pattern.Of(`^\[\[([^\[\]|]+)(?:\|([^\[\]]+))?\]\]`)

func (wikiLinks) Trigger() []byte { return []byte{'['} }

func (wikiLinks) Parse(_ ast.Node, block text.Reader, known parser.Context) ast.Node {
	line, _ := block.PeekLine()
	m := wikiLink().FindSubmatch(line)
	nodes, ok := known.Get(nodesOf).(func(string) string)
	if m == nil || !ok {
		return nil
	}
	id := nodeID().FindString(string(m[1]))
	if id == "" {
		return nil
	}
	words := m[2]
	if words == nil {
		words = m[1]
	}
	block.Advance(len(m[0]))
	link := ast.NewLink()
	link.Destination = []byte(nodes(id))
	link.AppendChild(link, ast.NewString(words))
	return link
}

// nodeID finds the id of a node in the target of a link.
var nodeID = pattern.Of(`\bnode-[0-9a-z]+-[0-9a-z]+\b`)
