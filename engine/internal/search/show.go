package search

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"arbor/mdstore"
)

// A Shown is the visible form of a hit.
type Shown struct {
	Part
	Line       int    // the line in the file, from 1, of the first matching word or of the part's beginning
	Snippet    string // one line: the text around the found words
	Matched    []string
	Highlights []Highlight
}

// A Highlight is the place of a term in a snippet, in Unicode code points.
type Highlight struct {
	Start int    `json:"start"`
	End   int    `json:"end"`
	Term  string `json:"term"`
}

// Characters, as people see them, of a snippet: altogether, and before the first word that was found.
const (
	snippetMost   = 160
	snippetBefore = 40
	lineLooked    = 4096 // bytes before it that are looked at
)

// Show returns the text to show for a part of a file. ok is false if the file no longer has the part, or the part no
// longer matches.
func (q *Query) Show(f *File, part int, data []byte) (s Shown, ok bool) {
	all := f.parts(data)
	if part >= len(all) {
		return Shown{}, false
	}
	s = Shown{Part: all[part]}
	text := string(s.Text)
	if f.planned() {
		text = withoutOwnLog(text)
	}
	c, folded, told := &scratch{}, Fold(nil, s.Text), Fold(nil, []byte(text))
	c.head(&s.Head)
	has := make([]bool, len(q.Terms))
	var first []int // the offsets at which the terms begin
	for i, t := range q.Terms {
		has[i] = t.weight(c, &s.Head, folded) > 0
		if !has[i] || t.absent || !t.text() {
			continue
		}
		s.Matched = append(s.Matched, t.Text)
		if start, _ := t.next(told, 0); start >= 0 && t.Field == "" {
			first = append(first, start)
		}
	}
	at, shown := 0, len(text)-len(strings.TrimLeft(text, " \t\r\n"))
	if len(first) > 0 {
		at = sourceOf(text, busiest(first))
		shown = at
	} else if key, begin := q.keyIn(data, &s.Head, has); key != "" {
		s.Line, s.Snippet = 1+bytes.Count(data[:begin], []byte{'\n'}), snippet(key, 0)
		return s, q.root.matches(has)
	}
	s.Line = 1 + bytes.Count(data[:min(len(data), s.At+at)], []byte{'\n'})
	s.Snippet = snippet(text, shown)
	s.Highlights = q.highlights(s.Snippet)
	return s, q.root.matches(has)
}

// planned reports whether a file may have a log: it is of the plan, a session or a state.
func (f *File) planned() bool { return f.In != InDocs && f.In != InMemory }

// withoutOwnLog returns the text of a plan's file with blanks instead of log entries that Arbor wrote by itself, and of
// headings of sections with nothing else. Offsets stay the same.
func withoutOwnLog(text string) string {
	lines := strings.SplitAfter(text, "\n")
	heading := -1
	for i, line := range lines {
		item, isItem := strings.CutPrefix(strings.TrimRight(line, "\r\n"), "- ")
		switch {
		case strings.HasPrefix(line, "#"):
			heading = i
			continue
		case isItem && mdstore.ParseLog(item).Own():
			lines[i] = blanked(line)
		case strings.TrimSpace(line) != "":
			heading = -1
		}
		if heading >= 0 && (i+1 == len(lines) || strings.HasPrefix(lines[i+1], "#")) {
			lines[heading] = blanked(lines[heading])
		}
	}
	return strings.Join(lines, "")
}

func blanked(line string) string {
	rest := strings.TrimRight(line, "\r\n")
	return strings.Repeat(" ", len(rest)) + line[len(rest):]
}

// keyIn returns the lines of the front matter of a node that hold the first key that matches, and where they begin; ""
// for none.
func (q *Query) keyIn(data []byte, h *Head, has []bool) (lines string, begin int) {
	for i, t := range q.Terms {
		key := t.Field != "" && (t.form.row != nil || !slices.Contains(Fields(), t.Field))
		if !has[i] || t.absent || !key || h.Fields == nil {
			continue
		}
		names := []string{t.Field}
		if row := t.form.row; row != nil {
			names = append([]string{row.Key}, row.Also...)
		}
		at := 0
		for line := range bytes.Lines(data[:frontEnd(data)]) {
			key, _, is := bytes.Cut(line, []byte{':'})
			switch more := bytes.HasPrefix(line, []byte{' '}) || bytes.HasPrefix(line, []byte{'-'}); {
			case lines != "" && (!more || bytes.HasPrefix(line, []byte("---"))):
				return lines, begin
			case lines != "":
				lines += string(line)
			case is && slices.Contains(names, strings.Trim(string(key), `"' `)) && !more:
				lines, begin = string(line), at
			}
			at += len(line)
		}
	}
	return lines, begin
}

// busiest returns the offset behind which most others follow within a snippet.
func busiest(all []int) (best int) {
	slices.Sort(all)
	most := 0
	for i, at := range all {
		n, _ := slices.BinarySearch(all[i:], at+snippetMost-snippetBefore)
		if n > most {
			best, most = at, n
		}
	}
	return best
}

// sourceOf returns the offset of the character that an offset in the folded text comes from.
func sourceOf(text string, offset int) int {
	var folded []byte
	for i, r := range text {
		if folded = appendFolded(folded, r, table()); len(folded) > offset {
			return i
		}
	}
	return len(text)
}

// snippet returns the text around an offset in one line, cut between words, or else between user-perceived characters.
func snippet(text string, at int) string {
	begin := 1 + strings.LastIndexByte(text[:at], '\n')
	if at-begin > lineLooked {
		for begin = at - lineLooked; !utf8.RuneStart(text[begin]); begin++ {
		}
	}
	var clusters []string
	hit, state := 0, -1
	for rest := text[begin:]; rest != "" && len(clusters) <= hit+snippetMost; {
		var cluster string
		if len(text)-len(rest) <= at {
			hit = len(clusters)
		}
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		clusters = append(clusters, cluster)
	}
	blank := func(s string) bool { return strings.TrimSpace(s) == "" }
	from := max(0, hit-snippetBefore)
	if from > 0 {
		from += max(0, slices.IndexFunc(clusters[from:hit], blank))
	}
	to := min(len(clusters), from+snippetMost)
	if to < len(clusters) {
		for i := to; i > hit+snippetBefore; i-- {
			if blank(clusters[i]) {
				to = i
				break
			}
		}
	}
	line := strings.Join(strings.Fields(strings.ToValidUTF8(strings.Join(clusters[from:to], ""), "\ufffd")), " ")
	if line == "" {
		return ""
	}
	if from > 0 {
		line = "…" + line
	}
	if to < len(clusters) {
		line += "…"
	}
	return line
}

// highlights returns the places of the terms in a snippet, in order and without overlap.
func (q *Query) highlights(snippet string) (all []Highlight) {
	folded, from := foldMap(snippet)
	edges, state := []int{0}, -1
	for rest := snippet; rest != ""; {
		_, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		edges = append(edges, len(snippet)-len(rest))
	}
	for _, t := range q.Terms {
		if t.absent || !t.text() || t.Field != "" {
			continue
		}
		for at := 0; at < len(folded); {
			start, end := t.next(folded, at)
			if start < 0 {
				break
			}
			i, found := slices.BinarySearch(edges, from[start])
			if !found {
				i--
			}
			j, _ := slices.BinarySearch(edges, from[end-1]+1)
			all = append(all, Highlight{edges[i], edges[j], t.Text})
			at = end
		}
	}
	slices.SortStableFunc(all, func(a, b Highlight) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End)) })
	behind := 0
	all = slices.DeleteFunc(all, func(h Highlight) bool {
		if h.Start < behind {
			return true
		}
		behind = h.End
		return false
	})
	for i := range all {
		all[i].Start, all[i].End = utf8.RuneCountInString(snippet[:all[i].Start]), utf8.RuneCountInString(snippet[:all[i].End])
	}
	return all
}
