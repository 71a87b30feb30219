package mdoc

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// A PieceKind is a kind of Piece.
type PieceKind uint8

// The kinds of pieces.
const (
	TextPiece    PieceKind = iota // paragraphs, code, quotes, tables and HTML, verbatim
	HeadingPiece                  // a heading outside of lists
	ItemPiece                     // a list item that begins with a paragraph
	CommentPiece                  // a comment of HTML, or of Obsidian: lines between %% and %%
)

// A Piece is one part of a Markdown text.
type Piece struct {
	Kind  PieceKind
	Level int    // of a heading: 1 to 6; of an item: how many items it lies in, from 1; of others: the items around them
	Mark  string // of an item with a task box: what stands in the box, one character
	Text  string // without markers of headings, items and boxes, and without the indentation that an item demands
	Line  int    // in the text, from 1
}

// maxPieceDepth is how many items within each other are read as items; deeper ones are part of a text.
const maxPieceDepth = 32

// Pieces splits a Markdown text without front matter into headings, list items, and what stands between them, in their
// order. The first paragraph of an item is its Text; further blocks in it are pieces of their own. No line of a code
// block, quote, table or HTML block is a heading or an item. Together the pieces have every word of the text. It
// returns ok false for a text beyond the limits of a document.
func Pieces(text string) (all []Piece, ok bool) {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	if len(text) > MaxBytes || checkBody([]byte(text)) != nil {
		return nil, false
	}
	return pieces(nil, []byte(htmlComments(text)), 1, 0), true
}

// htmlComments writes blocks between %% and %% outside of fences as comments of HTML.
func htmlComments(text string) string {
	if !strings.Contains(text, "%%") {
		return text
	}
	lines := strings.SplitAfter(text, "\n")
	fence, open := "", -1
	for i, line := range lines {
		t := strings.TrimSpace(line)
		switch {
		case open >= 0:
			if strings.Contains(t, "%%") {
				lines[open] = strings.Replace(lines[open], "%%", "<!--", 1)
				lines[i] = strings.Replace(line, "%%", "-->", 1)
				open = -1
			}
		case fence != "":
			if strings.HasPrefix(t, fence) && strings.Trim(t, fence[:1]) == "" {
				fence = ""
			}
		case strings.HasPrefix(t, "```") || strings.HasPrefix(t, "~~~"):
			fence = t[:len(t)-len(strings.TrimLeft(t, t[:1]))]
		case strings.HasPrefix(t, "%%") && !strings.Contains(t[2:], "%%"):
			open = i
		case len(t) > 4 && strings.HasPrefix(t, "%%") && strings.Index(t[2:], "%%") == len(t)-4:
			lines[i] = strings.Replace(strings.Replace(line, "%%", "<!--", 1), "%%", "-->", 1)
		}
	}
	return strings.Join(lines, "")
}

// pieces adds the pieces of a text that lies in depth items and begins in the given line.
func pieces(all []Piece, src []byte, line, depth int) []Piece {
	add := func(kind PieceKind, level int, s Span) {
		if s = core(src, s); s.Len() > 0 {
			all = append(all, Piece{Kind: kind, Level: level, Text: string(src[s.Start:s.End]),
				Line: line + bytes.Count(src[:s.Start], []byte{'\n'})})
		}
	}
	blocks := parseBlocks(src, 0)
	if len(blocks) == 0 {
		add(TextPiece, depth, Span{0, len(src)})
		return all
	}
	add(TextPiece, depth, Span{0, blocks[0].span.Start}) // link definitions are no block
	for i, k := range blocks {
		if k.span.End = len(src); i+1 < len(blocks) {
			k.span.End = blocks[i+1].span.Start
		}
		switch {
		case k.kind == headingBlock && depth == 0 && k.title != "":
			add(HeadingPiece, k.level, k.lines)
			all[len(all)-1].Text = k.title
			add(TextPiece, depth, Span{k.lines.End, k.span.End})
		case k.kind == listBlock && len(k.items) > 0 && depth < maxPieceDepth:
			for j, it := range k.items {
				if it.span.End = k.span.End; j+1 < len(k.items) {
					it.span.End = k.items[j+1].span.Start
				}
				it.span = core(src, it.span)
				all = itemPieces(all, itemText(src, it), line+bytes.Count(src[:it.span.Start], []byte{'\n'}), depth)
			}
		case k.kind == htmlBlock && k.html == ast.HTMLBlockType2:
			end := bytes.Index(src[k.span.Start:k.span.End], []byte("-->"))
			if end < 0 {
				end = k.span.Len() - len("-->")
			}
			end += k.span.Start + len("-->")
			add(CommentPiece, depth, Span{k.span.Start, end})
			add(TextPiece, depth, Span{end, k.span.End})
		default:
			add(TextPiece, depth, k.span)
		}
	}
	return all
}

// itemPieces adds the pieces of an item, which has that text and lies in depth others. Of an item that does not begin
// with a paragraph, the pieces are those of what stands around it.
func itemPieces(all []Piece, text string, line, depth int) []Piece {
	src := []byte(text)
	blocks := parseBlocks(src, 0)
	if len(blocks) == 0 || blocks[0].kind != paragraphBlock || len(bytes.TrimSpace(src[:blocks[0].span.Start])) > 0 {
		return pieces(all, src, line, depth)
	}
	end := len(src)
	if len(blocks) > 1 {
		end = blocks[1].span.Start
	}
	s := core(src, Span{blocks[0].span.Start, end})
	p := Piece{Kind: ItemPiece, Level: depth + 1, Text: strings.TrimSpace(string(src[s.Start:s.End])),
		Line: line + bytes.Count(src[:s.Start], []byte{'\n'})}
	if mark, rest, ok := cutMark(p.Text); ok {
		p.Mark, p.Text = mark, rest
	}
	if p.Text == "" {
		return pieces(all, src[end:], line, depth)
	}
	return pieces(append(all, p), src[end:], line+bytes.Count(src[:end], []byte{'\n'}), depth+1)
}

// cutMark splits a text that begins with a task box; the box may have any mark of one character.
func cutMark(text string) (mark, rest string, ok bool) {
	inside, rest, ok := strings.Cut(strings.TrimPrefix(text, "["), "]")
	switch {
	case !ok || !strings.HasPrefix(text, "[") || len([]rune(inside)) != 1 || inside == "[":
		return "", text, false
	case rest == "": // an item that has nothing but its box
		return inside, "", strings.Contains(" xX", inside)
	}
	return inside, strings.TrimSpace(rest), strings.ContainsAny(rest[:1], " \t\n")
}
