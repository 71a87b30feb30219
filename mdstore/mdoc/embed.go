package mdoc

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// cleanText returns s with LF line ends and without outer blank lines. It refuses a text that no document may hold.
// adapted is as in Patch.
func cleanText(s string) (text string, adapted []string, err error) {
	b := []byte(s)
	if at, what := badText(b); at >= 0 {
		what = strings.TrimSuffix(what, " here")
		return "", nil, textError("the text has %s (line %d); remove it", what, lineNumber(b, at))
	}
	if len(s) > MaxBytes {
		return "", nil, textError("the text has %d bytes, a file may have %d", len(s), MaxBytes)
	}
	b = bytes.ReplaceAll(bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
	c := core(b, Span{0, len(b)})
	b = b[c.Start:c.End]
	if from, _ := conflict(b); from >= 0 {
		return "", nil, textError("the text holds the conflict markers of an unfinished merge from its line %d on; "+
			"remove or indent them", lineNumber(b, from))
	}
	if over := checkBody(b); over != nil {
		return "", nil, textError("the text is beyond a limit: in line %d %s", lineNumber(b, over.at), over.text)
	}
	if strings.Contains(strings.Trim(s, " \t\r\n"), "\r") {
		adapted = []string{"line ends became those of the file"}
	}
	return string(b), adapted, nil
}

func textError(format string, args ...any) *EditError {
	return &EditError{Text: fmt.Sprintf(format, args...)}
}

// Nest adapts text to stand below a heading of the given level, from 1 to 5. If text has headings of that level or a
// higher one, Nest moves all its top-level headings down together, so that the highest is one below level, but none
// below level 6. It then writes setext headings as ATX ones. It closes an open fence or HTML block, cuts outer blank
// lines, and makes all line ends LF. adapted is as in Patch. The error is an *EditError if no document may hold the
// text. Nesting a nested text changes nothing.
func Nest(text string, level int) (nested string, adapted []string, err error) {
	level = min(max(level, 1), 5)
	s, adapted, err := cleanText(text)
	if err != nil || s == "" {
		return "", nil, err
	}
	if at := leftover([]byte(s), false); at >= 0 {
		return "", nil, textError("the text holds a conflict marker of an unfinished merge in its line %d; "+
			"remove or indent it", lineNumber([]byte(s), at))
	}
	// Each round may uncover headings or blocks that were hidden before. A text needs two or three rounds.
	for range 8 {
		next, what := adaptOnce(s, level)
		if what == "" {
			return s, adapted, nil
		}
		s, adapted = next, append(adapted, what)
	}
	return "", nil, textError("the text cannot be a section: " +
		"its headings and open blocks depend on each other; simplify it")
}

// ItemText returns the text as AppendItem writes it and Items reads it back. It cuts outer blank lines and the blanks
// before the first line, and closes an open fence or HTML block. adapted is as in Patch.
func ItemText(text string) (item string, adapted []string, err error) {
	s, ends, err := cleanText(text)
	if err != nil {
		return "", nil, err
	}
	if s = strings.TrimLeft(s, " \t"); s == "" {
		return "", nil, textError("a list item needs a text")
	}
	if item, adapted, err = closeText(s); err != nil {
		return "", nil, err
	}
	src := []byte(newListStyle().list([]string{item}, "\n"))
	blocks := parseBlocks(src, 0)
	if len(blocks) != 1 || len(blocks[0].items) != 1 || itemText(src, blocks[0].items[0]) != item {
		return "", nil, textError("the text cannot be a list item: " +
			"indented behind a list marker it reads as something else; " +
			"the usual cause is a line of nothing but -, * or _")
	}
	return item, append(ends, adapted...), nil
}

// BeginsWithBlock reports whether a text begins with a code fence, or with a list or table of several lines.
func BeginsWithBlock(text string) bool {
	first, more, _ := strings.Cut(text, "\n")
	blocks := parseBlocks([]byte(text), 0)
	if len(blocks) == 0 || more == "" {
		return false
	}
	table := strings.HasPrefix(first, "|") && strings.HasPrefix(strings.TrimSpace(more), "|")
	return table || blocks[0].kind == fenceBlock || blocks[0].kind == listBlock
}

// closeText closes the block that is open at the end of a text.
func closeText(s string) (text string, adapted []string, err error) {
	last, open := openBlock([]byte(s), 0)
	if !open {
		return s, nil, nil
	}
	closer, what := closing(s, last)
	text = s + "\n" + closer
	if _, still := openBlock([]byte(text), 0); closer == "" || still {
		return "", nil, textError("the text leaves a block open that begins in its line %d; close it",
			lineNumber([]byte(s), last.span.Start))
	}
	return text, []string{what}, nil
}

// adaptOnce makes the first adaptation that s needs and describes it. what is "" if s needs none.
func adaptOnce(s string, level int) (next, what string) {
	src := []byte(s + sentinel)
	blocks := parseBlocks(src, 0)
	var levels []int // of the headings
	for _, k := range blocks {
		if k.kind == headingBlock && k.span.Start < len(s) {
			levels = append(levels, k.level)
		}
	}
	slices.Sort(levels)
	if levels = slices.Compact(levels); len(levels) > 0 && levels[0] <= level {
		n := level + 1 - levels[0]
		what = fmt.Sprintf("headings moved down by %d", n)
		if lowest := slices.DeleteFunc(levels, func(l int) bool { return l+n < 6 }); len(lowest) > 1 {
			what += fmt.Sprintf(", those of the levels %d to %d all to level 6", lowest[0], lowest[len(lowest)-1])
		}
		return demote(src, len(s), blocks, n), what
	}
	last, open := lastOpen(blocks, len(s))
	if !open {
		return s, ""
	}
	closer, what := closing(s, last)
	if closer == "" {
		return s, "" // no block that this package can close; the check of the edit decides
	}
	return s + "\n" + closer, what
}

// demote moves all top-level headings in the first size bytes of src down by n levels, at most to level 6.
func demote(src []byte, size int, blocks []block, n int) string {
	var edits []edit
	for _, k := range blocks {
		if k.kind != headingBlock || k.span.Start >= size {
			continue
		}
		level := min(k.level+n, 6)
		if k.marks >= 0 {
			edits = append(edits, edit{Span{k.marks, k.marks}, strings.Repeat("#", level-k.level)})
			continue
		}
		lines := Span{k.span.Start, min(cutEOL(src, k.lines.End), size)}
		edits = append(edits, edit{lines, strings.Repeat("#", level) + " " + atxTitle(string(src[lines.Start:lines.End]))})
	}
	out, err := splice(src[:size], edits)
	if err != nil {
		return string(src[:size])
	}
	return string(out)
}

// atxTitle turns the lines of a setext heading into the text of an ATX heading: one line. A backslash protects # signs
// at its end that a parser would read as the closing sequence.
func atxTitle(raw string) string {
	lines := strings.Split(raw, "\n")
	lines = lines[:len(lines)-1] // the underline
	for i, l := range lines {
		lines[i] = strings.Trim(l, " \t")
	}
	title := strings.Join(lines, " ")
	words := strings.TrimRight(title, "#")
	if words != title && (words == "" || strings.HasSuffix(words, " ") || strings.HasSuffix(words, "\t")) {
		title = words + `\` + title[len(words):]
	}
	return title
}

var htmlClosers = map[ast.HTMLBlockType]string{
	ast.HTMLBlockType3: "?>", ast.HTMLBlockType4: ">", ast.HTMLBlockType5: "]]>",
}

// closing returns the line that closes block k, which is open at the end of s, and the name of this adaptation. closer
// is "" if no such line closes the block.
func closing(s string, k block) (closer, what string) {
	first := strings.TrimLeft(s[k.span.Start:lineEnd([]byte(s), k.span.Start)], " ")
	switch k.kind {
	case fenceBlock:
		run := len(first) - len(strings.TrimLeft(first, first[:1]))
		return first[:run], "closed an open code fence"
	case htmlBlock:
		const what = "closed an open HTML block"
		switch k.html {
		case ast.HTMLBlockType1:
			for _, tag := range []string{"script", "pre", "style", "textarea"} {
				if len(first) > len(tag) && strings.EqualFold(first[1:1+len(tag)], tag) {
					return "</" + tag + ">", what
				}
			}
		case ast.HTMLBlockType2:
			return "-->", "closed an open HTML comment"
		}
		return htmlClosers[k.html], what
	}
	return "", ""
}
