package mdoc

import (
	"bytes"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// markdown reads block structure only: without parsers of inline elements its cost does not depend on emphasis, links
// and the like. It reads tables because they change which lines are setext headings.
var markdown = parser.NewParser(
	parser.WithBlockParsers(parser.DefaultBlockParsers()...),
	parser.WithParagraphTransformers(append(parser.DefaultParagraphTransformers(),
		util.Prioritized(extension.NewTableParagraphTransformer(), 200))...))

// A blockKind is the kind of a top-level block, as far as edits need it.
type blockKind uint8

const (
	otherBlock blockKind = iota
	headingBlock
	listBlock
	fenceBlock
	htmlBlock
	paragraphBlock
)

// A block is one child of the document. Sections and lists consist of these.
type block struct {
	kind  blockKind
	span  Span // from the start of the first line to the end of the last non-blank line, without its line end
	lines Span // headings: the whole lines, with the underline of a setext heading

	level  int    // headings
	title  string // headings
	marks  int    // headings: offset of the first # of an ATX heading, -1 for setext
	items  []item // lists
	number int    // lists: the first number of an ordered one; -1 for bullets
	boxes  []Box  // lists: the task boxes in it, of any depth; without Section and Line
	html   ast.HTMLBlockType
}

// An item is one entry of a top-level list.
type item struct {
	span   Span
	marker Span // the marker without the indentation before it
	offset int  // columns of the marker and the blanks behind it, the indentation of continuation lines
}

// outline is the block structure of a body.
type outline struct {
	blocks   []block
	headings []Heading
	sections []Section
}

// parseBlocks returns the top-level blocks of src from offset base on, in their order. Their offsets are those of src.
func parseBlocks(src []byte, base int) (blocks []block) {
	defer func() {
		if recover() != nil {
			// goldmark has a bug. Without blocks there are no sections, so that the check of every edit fails.
			blocks = nil
		}
	}()
	b := src[base:]
	// goldmark reads a list marker directly before CRLF as text. A space in place of the carriage return avoids that,
	// keeps all offsets, and does not change the block structure.
	root := markdown.Parse(text.NewReader(bytes.ReplaceAll(b, []byte("\r\n"), []byte(" \n"))))
	var nodes []ast.Node
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		at := nodePos(n)
		if at < 0 || at > len(b) {
			continue
		}
		start := base + lineStart(b, at)
		if k := len(blocks); k > 0 && blocks[k-1].span.Start == start {
			// goldmark made a table of the last lines of a paragraph. Both together are one block here.
			continue
		}
		blocks = append(blocks, block{span: Span{Start: start}, marks: -1, number: -1})
		nodes = append(nodes, n)
	}
	if !slices.IsSortedFunc(blocks, func(a, b block) int { return a.span.Start - b.span.Start }) {
		return nil
	}
	for i := range blocks {
		end := len(src)
		if i+1 < len(blocks) {
			end = blocks[i+1].span.Start
		}
		blocks[i].span = core(src, Span{blocks[i].span.Start, end})
		blocks[i].describe(src, base, nodes[i])
	}
	return blocks
}

// nodePos returns the position of a top-level node or of the first node in it that has one.
func nodePos(n ast.Node) int {
	if p := n.Pos(); p >= 0 {
		return p
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if p := nodePos(c); p >= 0 {
			return p
		}
	}
	return -1
}

// describe sets the fields that depend on the kind of the block.
func (k *block) describe(src []byte, base int, n ast.Node) {
	switch n := n.(type) {
	case *ast.Heading:
		k.kind, k.level = headingBlock, n.Level
		k.describeHeading(src, base, n)
	case *ast.List:
		k.kind = listBlock
		if n.IsOrdered() {
			k.number = n.Start
		}
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			li, ok := c.(*ast.ListItem)
			at := nodePos(c)
			if !ok || at < 0 {
				continue
			}
			k.addItem(src, base+at, li.Offset)
		}
		k.boxes = boxesOf(src, base, n)
	case *ast.FencedCodeBlock:
		k.kind = fenceBlock
	case *ast.Paragraph:
		k.kind = paragraphBlock
	case *ast.HTMLBlock:
		k.kind, k.html = htmlBlock, n.HTMLBlockType
	}
}

func (k *block) describeHeading(src []byte, base int, n *ast.Heading) {
	at := base + n.Pos()
	end := lineEnd(src, at)
	if l := n.Lines().Len(); l == 0 || base+n.Lines().At(0).Start > at {
		k.marks = at
	} else { // setext: the lines of its text, then the underline
		end = base + n.Lines().At(l-1).Stop
		if src[end-1] != '\n' {
			end = lineEnd(src, end)
		}
		end = lineEnd(src, end)
	}
	k.lines = Span{k.span.Start, end}
	var words []string
	for i := range n.Lines().Len() {
		s := n.Lines().At(i)
		words = append(words, strings.Trim(string(s.Value(src[base:])), " \t\r\n"))
	}
	k.title = strings.Join(words, " ")
}

// addItem adds the list item whose marker stands in the line at offset at. The previous item ends before that line.
func (k *block) addItem(src []byte, at, offset int) {
	start := lineStart(src, at)
	mark := start
	for mark < k.span.End && src[mark] == ' ' {
		mark++
	}
	if l := len(k.items); l > 0 {
		last := &k.items[l-1]
		last.span = core(src, Span{last.span.Start, start})
	}
	k.items = append(k.items, item{
		span:   Span{start, k.span.End},
		marker: Span{mark, mark + listMarkerLen(src[mark:k.span.End])},
		offset: offset,
	})
}

// The code below appends sentinel to a text to find out whether a block at the text's end is still open. If so, the
// heading in sentinel becomes part of that fence or HTML block.
const sentinel = "\n\n## end\n"

// openBlock returns the block that is still open at the end of src.
func openBlock(src []byte, base int) (block, bool) {
	return lastOpen(parseBlocks(slices.Concat(src, []byte(sentinel)), base), len(src))
}

// OpenAtEnd returns the line at which a block begins that is still open at the end of the document, and what it is: "a
// code fence". what is "" if there is none.
func (d *Doc) OpenAtEnd() (line int, what string) {
	may := func(mark string) bool { return bytes.Contains(d.text, []byte(mark)) }
	if d.opaque || !may("```") && !may("~~~") && !may("<") {
		return 0, ""
	}
	if open, ok := openBlock(d.text, d.parts.body); ok && open.kind != headingBlock {
		return d.lineOf(open.span.Start), open.name()
	}
	return 0, ""
}

// lastOpen returns the last block of a text that has the sentinel at offset at, and whether the block is open there.
func lastOpen(blocks []block, at int) (k block, open bool) {
	if len(blocks) == 0 {
		return block{}, false
	}
	k = blocks[len(blocks)-1]
	return k, k.kind != headingBlock || k.span.Start < at
}
