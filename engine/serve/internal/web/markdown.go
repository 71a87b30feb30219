package web

import (
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	tasks "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/util"
)

// markdown makes HTML of texts. Anyone may have written them, so it shows HTML in them as text, and its output must
// also pass through sanitized.
var markdown = sync.OnceValue(func() goldmark.Markdown {
	return goldmark.New(
		goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)),
			extension.Strikethrough, extension.TaskList, extension.Linkify,
			extension.NewFootnote(extension.WithFootnoteBacklinkHTML(""))),
		goldmark.WithParserOptions(parser.WithInlineParsers(util.Prioritized(wikiLinks{}, 150)),
			parser.WithASTTransformers(util.Prioritized(allShown{}, 900))),
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
	r.Register(ast.KindImage, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		to := n.(*ast.Image).Destination
		if _, own := n.AttributeString(pictureMark); own {
			if entering {
				_, _ = w.WriteString(`<img src="` + string(to) + `" alt="`)
				_, _ = w.Write(util.EscapeHTML(wordsIn(n, source)))
				_, _ = w.WriteString(`">`)
			}
			return ast.WalkSkipChildren, nil
		}
		switch {
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

// wordsIn returns the words of a picture's description.
func wordsIn(n ast.Node, source []byte) (words []byte) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			words = append(words, t.Segment.Value(source)...)
		}
		words = append(words, wordsIn(c, source)...)
	}
	return words
}
