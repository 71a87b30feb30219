package web

import (
	"bytes"
	"fmt"
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
			extension.NewFootnote(extension.WithFootnoteIDPrefixFunction(prefixOf))),
		goldmark.WithParserOptions(parser.WithInlineParsers(util.Prioritized(wikiLinks{}, 150)),
			parser.WithParagraphTransformers(util.Prioritized(callouts{}, 50)),
			parser.WithASTTransformers(util.Prioritized(allShown{}, 900))),
		goldmark.WithRendererOptions(html.WithHardWraps(), renderer.WithNodeRenderers(util.Prioritized(ours{}, 1))))
})

// ours renders pictures as links, because loading them from other hosts would tell that the text was read; the boxes of
// tasks with a label for screen readers; the words and comments of code; and HTML as text.
type ours struct{}

func (ours) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(tasks.KindTaskCheckBox, box)
	r.Register(tasks.KindFootnoteBacklink, backlink)
	text := func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			_, _ = w.Write(htmlAsText(source, n))
		}
		return ast.WalkSkipChildren, nil
	}
	r.Register(ast.KindFencedCodeBlock, code)
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

// prefixOf returns what begins the ids of a node's document.
func prefixOf(n ast.Node) []byte {
	prefix, _ := n.OwnerDocument().Meta()[prefixMeta].([]byte)
	return prefix
}

// backlink renders the link from a footnote back to a mark, if there is one.
func backlink(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	back := n.(*tasks.FootnoteBacklink)
	if !entering || back.RefCount == 0 {
		return ast.WalkContinue, nil
	}
	which := ""
	if back.RefIndex > 0 {
		which = fmt.Sprint(back.RefIndex)
	}
	_, err := fmt.Fprintf(w, ` <a href="#%sfnref%s:%d">↩</a>`, prefixOf(n), which, back.Index)
	return ast.WalkContinue, err
}

// box renders the box of a task. One that can be ticked has the number of its line.
func box(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	checked, label, state := "", "to do", " disabled"
	if n.(*tasks.TaskCheckBox).IsChecked {
		checked, label = " checked", "done"
	}
	if boxes, _ := n.OwnerDocument().Meta()[boxesMeta].(bool); boxes {
		label = string(util.EscapeHTML(bytes.TrimSpace(wordsIn(n.Parent(), source))))
		state = fmt.Sprintf(` data-line="%d"`, bytes.Count(source[:n.Parent().Lines().At(0).Start], []byte("\n")))
	}
	_, err := fmt.Fprintf(w, `<input type="checkbox"%s%s aria-label="%s"> `, checked, state, label)
	return ast.WalkContinue, err
}

// wordsIn returns the words below a node, such as those of a picture's description.
func wordsIn(n ast.Node, source []byte) (words []byte) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			words = append(words, t.Segment.Value(source)...)
		}
		words = append(words, wordsIn(c, source)...)
	}
	return words
}
