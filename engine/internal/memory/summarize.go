package memory

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"arbor/mdstore/pattern"
)

// Summarize returns the most informative sentences of a text, in their order, up to ratio of its characters: at least
// one, and none that is much less informative than the best, which may take twice the room if it stands alone. Lists
// and blocks of code are in it whole or not at all. It is "" only for a text without visible characters.
func Summarize(text string, ratio float64) string {
	units := unitsOf(text)
	best := make([]int, len(units))
	for i := range units {
		best[i] = i
	}
	slices.SortStableFunc(best, func(a, b int) int { return cmp.Compare(units[b].score, units[a].score) })
	room := int(ratio * float64(utf8.RuneCountInString(text)))
	var taken []int
	for at, i := range best {
		if slices.ContainsFunc(taken, func(t int) bool { return units[t].text == units[i].text }) {
			continue
		}
		n := utf8.RuneCountInString(units[i].text) + 2
		if alone := at == 0 && n-2 <= 2*room; (n-2 <= room || alone) && 3*units[i].score >= units[best[0]].score {
			room -= n
			taken = append(taken, i)
		}
	}
	if len(taken) == 0 && len(best) > 0 {
		taken = []int{best[max(0, slices.IndexFunc(best, func(i int) bool { return !units[i].whole }))]}
	}
	slices.Sort(taken)
	var out strings.Builder
	for n, i := range taken {
		switch {
		case n == 0:
		case units[i].block != units[taken[n-1]].block:
			out.WriteString("\n\n")
		case !strings.ContainsAny(units[taken[n-1]].text[max(0, len(units[taken[n-1]].text)-3):], "。！？"):
			out.WriteString(" ")
		}
		out.WriteString(units[i].text)
	}
	return out.String()
}

// A unit is a part that a summary takes whole or not at all: a sentence, a list, a block of code or a heading.
type unit struct {
	text  string
	block int  // the number of its paragraph
	first bool // of its paragraph
	whole bool // it is not a sentence
	score float64
}

var (
	// blocks of a text: code in a fence, a heading, a list up to a blank line, a line of a paragraph.
	blockOf = pattern.Of("(?m)^ {0,3}(?:(?:````(?s:.*?)(?:^ {0,3}````|\\z)|```(?s:.*?)(?:^ {0,3}```|\\z)|~~~(?s:.*?)(?:^ {0,3}~~~|\\z)).*" +
		`|(#{1,6}\s.*)|(?:[-*+]|\d{1,9}[.)])[ \t].*(?:\n[ \t]*\S.*)*)|^(.*\S.*)`)
	sentenceEnd = pattern.Of(`[.!?…]+["'”’)\]]*\s+|[。！？]+[”’」』）]*\s*`)
)

// unitsOf divides a text into units and weighs each by the frequency of its terms. Terms in headings count twice, the
// first sentence of a paragraph counts half as much again, and one that states a decision most. Headings are units only
// in a text of nothing else.
func unitsOf(text string) (units []unit) {
	var headings []unit
	frequency := map[string]int{}
	start, end := 0, 0 // of the paragraph that is read
	finish := func() {
		for block := start; strings.TrimSpace(text[start:end]) != ""; {
			cut := end
			if at := sentenceEnd().FindStringIndex(text[start:end] + "\n"); at != nil {
				cut = min(end, start+at[1])
			} else if at := strings.IndexByte(strings.TrimSpace(text[start:end]), '\n'); at >= 0 {
				blanks := len(text[start:end]) - len(strings.TrimLeft(text[start:end], " \t\r\n"))
				cut = start + blanks + at + 1 // lines without a full stop, as notes have them
			}
			units = append(units, unit{text: strings.TrimSpace(text[start:cut]), block: block, first: start == block})
			start = cut
		}
	}
	for _, at := range blockOf().FindAllStringSubmatchIndex(text, -1) {
		line := at[4] >= 0
		if !line || strings.Trim(text[end:at[0]], " \t\r") != "\n" {
			finish()
			start = at[0]
		}
		u := unit{text: strings.TrimRight(text[at[0]:at[1]], " \t\r\n"), block: at[0], first: true, whole: true}
		switch end = at[1]; {
		case line:
			continue
		case at[2] >= 0:
			headings = append(headings, u)
		default:
			units = append(units, u)
		}
		start = end
	}
	finish()
	for _, u := range slices.Concat(units, headings, headings) {
		for _, w := range terms(u.text) {
			frequency[w]++
		}
	}
	if len(units) == 0 {
		units = headings
	}
	for i, u := range units {
		all := terms(u.text)
		for _, w := range all {
			units[i].score += math.Log(float64(1 + frequency[w]))
		}
		switch units[i].score /= float64(len(all) + 4); {
		case u.whole:
			units[i].score *= 0.7
		case u.first:
			units[i].score *= 1.5
		}
		if decides().MatchString(u.text) {
			units[i].score *= 2.5
		}
	}
	return units
}

// decides matches sentences that state a decision, a rule or a result.
var decides = pattern.Of(`(?i)\b(decid\w+|decisions?|agreed?|agrees|cho(?:ose|se|sen)|conclu\w+|approv\w+|` +
	`reject\w+|resolv\w+|settled?|must|shall|instead of|deadline|due (?:on|by))\b|决定|選擇|选择|同意|结论|結論|必须|必須|改用|采用|採用|決め|決定`)
