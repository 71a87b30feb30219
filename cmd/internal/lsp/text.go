package lsp

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// A text is the content of a document as the client has it, with an index of its lines. It never changes.
type text struct {
	s     string
	lines []int // where each line starts
	wide  bool  // positions count UTF-16 units, not bytes
}

func newText(s string, wide bool) *text {
	t := &text{s: s, lines: []int{0}, wide: wide}
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\n', s[i] == '\r' && (i+1 == len(s) || s[i+1] != '\n'):
			t.lines = append(t.lines, i+1)
		}
	}
	return t
}

// offset returns the place of a position in bytes. A position behind the end of its line is the end of the line, as the
// protocol says, and one behind the last line is the end of the text.
func (t *text) offset(p position) int {
	if p.Line < 0 || p.Char < 0 {
		return 0
	}
	if p.Line >= len(t.lines) {
		return len(t.s)
	}
	at, end := t.lines[p.Line], t.lineEnd(p.Line)
	if !t.wide {
		at = min(at+p.Char, end)
		for at > t.lines[p.Line] && at < len(t.s) && !utf8.RuneStart(t.s[at]) {
			at--
		}
		return at
	}
	for units := p.Char; units > 0 && at < end; {
		r, size := utf8.DecodeRuneInString(t.s[at:])
		if units -= unitsOf(r); units < 0 {
			break // inside of a character
		}
		at += size
	}
	return at
}

// lineEnd returns where a line ends, without its line end.
func (t *text) lineEnd(line int) int {
	if line+1 >= len(t.lines) {
		return len(t.s)
	}
	return t.lines[line] + len(strings.TrimRight(t.s[t.lines[line]:t.lines[line+1]], "\r\n"))
}

func unitsOf(r rune) int {
	if r > 0xffff {
		return 2
	}
	return 1
}

// position returns the position of a place in bytes.
func (t *text) position(offset int) position {
	offset = max(0, min(offset, len(t.s)))
	line := sort.Search(len(t.lines), func(i int) bool { return t.lines[i] > offset }) - 1
	if !t.wide {
		return position{line, offset - t.lines[line]}
	}
	units := 0
	for _, r := range t.s[t.lines[line]:offset] {
		units += unitsOf(r)
	}
	return position{line, units}
}

func (t *text) span(start, end int) span { return span{t.position(start), t.position(end)} }

// line returns the number of the line of a place, the text of that line up to the place, and what follows in it.
func (t *text) line(offset int) (line int, before, after string) {
	line = t.position(offset).Line
	return line, t.s[t.lines[line]:offset], t.s[offset:max(offset, t.lineEnd(line))]
}

// place returns the place of a line and column as diagnostics count them: from 1, in bytes, lines end with LF.
func (t *text) place(line, col int) (start, end int) {
	for range line - 1 {
		i := strings.IndexByte(t.s[start:], '\n')
		if i < 0 {
			break
		}
		start += i + 1
	}
	end = len(t.s)
	if i := strings.IndexByte(t.s[start:], '\n'); i >= 0 {
		end = start + i
	}
	end = start + len(strings.TrimRight(t.s[start:end], "\r"))
	return min(start+max(col-1, 0), end), end
}

// edited returns the text after a change of the client: of a range, or of the whole text if it is nil.
func (t *text) edited(in *span, with string) *text {
	if in == nil {
		return newText(with, t.wide)
	}
	start, end := t.offset(in.Start), t.offset(in.End)
	if end < start {
		start, end = end, start
	}
	return newText(t.s[:start]+with+t.s[end:], t.wide)
}

// edits returns the changes that make to of the text, by lines, so that a cursor elsewhere stays where it is.
func (t *text) edits(to string) (all []textEdit) {
	was, is := splitLines(t.s), splitLines(to)
	at := make([]int, len(was)+1)
	for i, l := range was {
		at[i+1] = at[i] + len(l)
	}
	for _, h := range hunks(was, is) {
		start, end, with := at[h.a0], at[h.a1], strings.Join(is[h.b0:h.b1], "")
		for start < end && with != "" && t.s[start] == with[0] && t.s[start] < utf8.RuneSelf && t.s[start] != '\r' {
			start, with = start+1, with[1:]
		}
		for _, eol := range []string{"\r\n", "\n"} {
			if strings.HasSuffix(t.s[start:end], eol) && strings.HasSuffix(with, eol) {
				end, with = end-len(eol), with[:len(with)-len(eol)]
				break
			}
		}
		for start < end && with != "" && t.s[end-1] == with[len(with)-1] && t.s[end-1] < utf8.RuneSelf &&
			t.s[end-1] != '\n' {
			end, with = end-1, with[:len(with)-1]
		}
		all = append(all, textEdit{Range: t.span(start, end), NewText: with})
	}
	return all
}

func splitLines(s string) []string { return strings.SplitAfter(s, "\n") }

// A hunk is a part of two lists that differs: a[a0:a1] became b[b0:b1].
type hunk struct{ a0, a1, b0, b1 int }

// mostCells bounds the table of hunks. Two middles whose table would be larger are one hunk.
const mostCells = 4_000_000

// hunks returns where two lists of lines differ.
func hunks(a, b []string) (all []hunk) {
	lo := 0
	for lo < len(a) && lo < len(b) && a[lo] == b[lo] {
		lo++
	}
	ea, eb := len(a), len(b)
	for ea > lo && eb > lo && a[ea-1] == b[eb-1] {
		ea, eb = ea-1, eb-1
	}
	if ea == lo && eb == lo {
		return nil
	}
	n, m := ea-lo, eb-lo
	if n == 0 || m == 0 || n*m > mostCells {
		return []hunk{{lo, ea, lo, eb}}
	}
	common := make([]int32, (n+1)*(m+1)) // the length of the longest common sequence of the rests
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			if a[lo+i] == b[lo+j] {
				common[i*(m+1)+j] = common[(i+1)*(m+1)+j+1] + 1
			} else {
				common[i*(m+1)+j] = max(common[(i+1)*(m+1)+j], common[i*(m+1)+j+1])
			}
		}
	}
	for i, j := 0, 0; i < n || j < m; {
		h := hunk{lo + i, lo + i, lo + j, lo + j}
		for (i < n || j < m) && (i == n || j == m || a[lo+i] != b[lo+j]) {
			if j == m || i < n && common[(i+1)*(m+1)+j] >= common[i*(m+1)+j+1] {
				i++
			} else {
				j++
			}
		}
		if h.a1, h.b1 = lo+i, lo+j; h.a1 > h.a0 || h.b1 > h.b0 {
			all = append(all, h)
		}
		for i < n && j < m && a[lo+i] == b[lo+j] {
			i, j = i+1, j+1
		}
	}
	return all
}
