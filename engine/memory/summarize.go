package memory

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// A unit is what a summary takes whole or leaves out: a sentence, a list, or a block of code.
type unit struct {
	text  string
	block int // units of one paragraph have the same
	whole bool
	score float64
}

// Summarize returns the sentences of a text that say most, in their order, up to ratio of its characters, one at least.
// Lists and blocks of code are in it whole or not at all. It is "" only for a text without a character that shows.
func Summarize(text string, ratio float64) string {
	units := unitsOf(text)
	order := make([]int, len(units))
	for i := range units {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(units[b].score, units[a].score) })
	room := int(ratio * float64(utf8.RuneCountInString(text)))
	var taken []int
	for _, i := range order {
		if n := utf8.RuneCountInString(units[i].text); n <= room {
			room -= n + 1
			taken = append(taken, i)
		}
	}
	if len(taken) == 0 && len(order) > 0 {
		first := slices.IndexFunc(order, func(i int) bool { return !units[i].whole })
		taken = []int{order[max(first, 0)]}
	}
	slices.Sort(taken)
	var out strings.Builder
	for n, i := range taken {
		switch {
		case n == 0:
		case units[i].block != units[taken[n-1]].block:
			out.WriteString("\n\n")
		case !strings.HasSuffix(out.String(), "。") && !strings.HasSuffix(out.String(), "！") && !strings.HasSuffix(out.String(), "？"):
			out.WriteString(" ")
		}
		out.WriteString(units[i].text)
	}
	return out.String()
}

var (
	headingLine = regexp.MustCompile(`^ {0,3}#{1,6}\s`)
	fenceLine   = regexp.MustCompile("^ {0,3}(```+|~~~+)")
	listLine    = regexp.MustCompile(`^ {0,3}([-*+]|\d{1,9}[.)])\s`)
	sentenceEnd = regexp.MustCompile(`[.!?…]+["'”’)\]]*\s+|[。！？]+[”’」』）]*\s*`)
)

// unitsOf divides a text and says how much each unit tells: how frequent its terms are, in headings twice, and more for the
// first unit below a heading and of the text. A text of nothing but headings is of them.
func unitsOf(text string) (units []unit) {
	var headings []unit
	var lines []string // of the block that is read
	fence, list, after, block := "", false, true, 0
	first := map[int]bool{}
	end := func(code bool) {
		s := strings.Trim(strings.Join(lines, "\n"), "\r\n")
		if lines = nil; strings.TrimSpace(s) == "" {
			return
		}
		block++
		first[len(units)], after = after, false
		for s != "" && !code && !list {
			cut := sentenceEnd.FindStringIndex(s)
			if cut == nil {
				break
			}
			units = append(units, unit{text: strings.TrimSpace(s[:cut[1]]), block: block})
			s = s[cut[1]:]
		}
		if strings.TrimSpace(s) != "" {
			units = append(units, unit{text: strings.TrimRight(s, " \t\r\n"), block: block, whole: code || list})
		}
		list = false
	}
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSuffix(line, "\r")
		switch f := strings.TrimSpace(fenceLine.FindString(line)); {
		case fence != "":
			if lines = append(lines, line); f != "" && strings.HasPrefix(f, fence) && strings.Trim(line, " \t"+fence[:1]) == "" {
				end(true)
				fence = ""
			}
		case f != "":
			end(false)
			fence, lines = f, append(lines, line)
		case headingLine.MatchString(line):
			end(false)
			after = true
			headings = append(headings, unit{text: strings.TrimSpace(line), block: -len(headings), whole: true})
		case strings.TrimSpace(line) == "":
			end(false)
		default:
			if listLine.MatchString(line) && !list {
				end(false)
				list = true
			}
			lines = append(lines, line)
		}
	}
	end(fence != "")
	frequency := map[string]int{}
	for _, u := range slices.Concat(units, headings, headings) {
		for _, w := range terms(u.text) {
			frequency[w]++
		}
	}
	if len(units) == 0 {
		units = headings
	}
	for i := range units {
		all := terms(units[i].text)
		for _, w := range all {
			units[i].score += math.Log(float64(1 + frequency[w]))
		}
		if units[i].score /= float64(len(all) + 4); first[i] {
			units[i].score *= 1.5
		}
	}
	return units
}
