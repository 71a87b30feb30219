package mdoc

import (
	"bytes"
	"sort"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// markdown reads block structure only: without parsers of inline elements its
// cost does not depend on emphasis, links and the like. Tables are in because
// they change which lines are setext headings.
var markdown = parser.NewParser(
	parser.WithBlockParsers(parser.DefaultBlockParsers()...),
	parser.WithParagraphTransformers(append(parser.DefaultParagraphTransformers(),
		util.Prioritized(extension.NewTableParagraphTransformer(), 200))...))

// A blockKind says what a top-level block is, as far as editing asks.
type blockKind uint8

const (
	otherBlock blockKind = iota
	headingBlock
	listBlock
	fenceBlock
	htmlBlock
)

// A block is one child of the document: only those bound sections and lists, and
// only their positions are exact.
type block struct {
	kind  blockKind
	span  Span // from the start of the first line to the end of the last that is not blank, without its line end
	lines Span // headings: the whole lines, with the underline of a setext heading

	level  int    // headings
	title  string // headings
	marks  int    // headings: offset of the first # of an ATX heading, -1 for setext
	items  []item // lists
	number int    // lists: 1 for an ordered one's first number and so on; -1 for bullets
	html   ast.HTMLBlockType
}

// An item is one entry of a top-level list.
type item struct {
	span   Span
	marker Span // the marker without the indentation before it
	offset int  // columns of the marker and the blanks behind it, what continuation lines are indented by
}

// outline is the block structure of a body.
type outline struct {
	blocks   []block
	headings []Heading
	sections []Section
}

// parseBlocks returns the top-level blocks of src behind base, in their order.
func parseBlocks(src []byte, base int) (blocks []block) {
	defer func() {
		if recover() != nil {
			// The last wall. Without blocks there are no sections, and an edit
			// that finds none of what it expects is refused.
			blocks = nil
		}
	}()
	b := src[base:]
	root := markdown.Parse(text.NewReader(withoutCR(b)))
	nodes := make([]ast.Node, 0, root.ChildCount())
	blocks = make([]block, 0, root.ChildCount())
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		at := nodePos(n)
		if at < 0 || at > len(b) {
			continue
		}
		start := base + lineStart(b, at)
		if k := len(blocks); k > 0 && blocks[k-1].span.Start == start {
			// The rest of a paragraph and the table made of its end: one block.
			continue
		}
		blocks = append(blocks, block{span: Span{Start: start}, marks: -1, number: -1})
		nodes = append(nodes, n)
	}
	if !sort.SliceIsSorted(blocks, func(i, j int) bool { return blocks[i].span.Start < blocks[j].span.Start }) {
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

// withoutCR returns b with a blank in the place of each carriage return. Behind a line a blank means nothing
// to block structure, while the library takes a marker before CRLF for text.
func withoutCR(b []byte) []byte {
	if bytes.IndexByte(b, '\r') < 0 {
		return b
	}
	return bytes.ReplaceAll(b, []byte("\r\n"), []byte(" \n"))
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

// describe fills in what is particular to the kind of block.
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
	case *ast.FencedCodeBlock:
		k.kind = fenceBlock
	case *ast.HTMLBlock:
		k.kind, k.html = htmlBlock, n.HTMLBlockType
	}
}

func (k *block) describeHeading(src []byte, base int, n *ast.Heading) {
	at := base + n.Pos()
	end := lineEnd(src, at)
	if atx(src[at:end]) {
		k.marks = at
	} else if l := n.Lines().Len(); l > 0 { // setext: the lines of its text, then the underline
		end = base + n.Lines().At(l-1).Stop
		if src[end-1] != '\n' {
			end = lineEnd(src, end)
		}
		end = lineEnd(src, end)
	}
	k.lines = Span{k.span.Start, end}
	words := make([]string, 0, 1)
	for i := range n.Lines().Len() {
		s := n.Lines().At(i)
		words = append(words, strings.Trim(string(s.Value(src[base:])), " \t\r\n"))
	}
	k.title = strings.Join(words, " ")
}

// addItem adds the list item whose marker's line holds at, and ends the item before it there.
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

// atx reports whether a line that begins with # is an ATX heading.
func atx(line []byte) bool {
	n := 0
	for n < len(line) && line[n] == '#' {
		n++
	}
	return n >= 1 && n <= 6 && (n == len(line) || bytes.IndexByte([]byte(" \t\r\n"), line[n]) >= 0)
}

// sentinel is appended to a text to see whether a block at its end is still open: an
// open fence or HTML block takes the heading in.
const sentinel = "\n\n## end\n"

// openBlock returns the block that is still open at the end of src.
func openBlock(src []byte, base int) (block, bool) {
	probe := make([]byte, 0, len(src)+len(sentinel))
	probe = append(append(probe, src...), sentinel...)
	blocks := readBlocks(probe, base, nil)
	if len(blocks) == 0 {
		return block{}, false
	}
	last := blocks[len(blocks)-1]
	return last, last.kind != headingBlock || last.span.Start < len(src)
}
