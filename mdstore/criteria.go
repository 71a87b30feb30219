package mdstore

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"arbor/mdstore/mdoc"
	"arbor/mdstore/pattern"
	"arbor/statemachine"
)

// A Criterion is a task box of a node: of its criteria, or of its requirement.
type Criterion struct {
	N    int    `json:"n"`
	Text string `json:"text"`
	Done bool   `json:"done"`
	In   string `json:"in,omitempty" only:"rarely"` // "" for the section of the criteria

	Box mdoc.Box `json:"-"`
}

// inRequirement is the In of the boxes of a requirement.
const inRequirement = "requirement"

// criteriaOf returns the task boxes of a node's document, numbered from 1: those of the sections of criteria in the
// order of the file, then those of the requirement.
func criteriaOf(d *mdoc.Doc) (all []Criterion) {
	all = append(boxesIn(d, SecCriteria, ""), boxesIn(d, SecRequirement, inRequirement)...)
	for i := range all {
		all[i].N = i + 1
	}
	return all
}

func boxesIn(d *mdoc.Doc, section, in string) (all []Criterion) {
	for _, b := range d.Boxes(section) {
		all = append(all, Criterion{Text: b.Text, Done: b.Done, In: in, Box: b})
	}
	return all
}

// Criteria returns the task boxes of the node: see CriteriaOf.
func (n *Node) Criteria() []Criterion { return criteriaOf(n.Doc()) }

// ticked returns how many of the criteria are ticked, as "2/5"; "" for none.
func ticked(all []Criterion) string {
	done := 0
	for _, c := range all {
		if c.Done {
			done++
		}
	}
	if len(all) == 0 {
		return ""
	}
	return strconv.Itoa(done) + "/" + strconv.Itoa(len(all))
}

// OpenBoxes returns how many boxes are not ticked: of the criteria, and of the requirement. It needs no document.
func (n *Node) OpenBoxes() (criteria, requirement int) { return n.open[0], n.open[1] }

func openOf(all []Criterion) (open [2]int) {
	for _, c := range all {
		switch {
		case c.Done:
		case c.In == "":
			open[0]++
		default:
			open[1]++
		}
	}
	return open
}

// CriteriaText returns the text of the sections of criteria with the numbers of the boxes.
func (n *Node) CriteriaText() string { return n.Doc().Numbered(SecCriteria) }

// CutNumber returns the text of a box in a line of CriteriaText, and any other line as it is.
func CutNumber(line string) string {
	_, text, ok := strings.Cut(line, "] ")
	number, text, ok2 := strings.Cut(text, ". ")
	if _, err := strconv.Atoi(number); !ok || !ok2 || err != nil {
		return line
	}
	return text
}

// PlainCriteria reports whether the sections of criteria hold nothing but boxes below each other, of one line each.
func (n *Node) PlainCriteria() bool {
	lines := 0
	for line := range strings.Lines(n.Doc().Text(SecCriteria)) {
		if strings.TrimSpace(line) != "" {
			lines++
		}
	}
	boxes := n.Doc().Boxes(SecCriteria)
	return lines == len(boxes) && !slices.ContainsFunc(boxes, func(b mdoc.Box) bool { return !b.Top })
}

// CodeCriteriaOpen is the code of a completed node with open criteria.
const CodeCriteriaOpen = "CRITERIA_OPEN"

// criteriaOpen reports open criteria of a node that is completed, unless its log says that a person has forced that.
func criteriaOpen(n *Node) []mdoc.Diagnostic {
	open := slices.DeleteFunc(n.Criteria(), func(c Criterion) bool { return c.Done || c.In != "" })
	if n.Status != statemachine.Completed || len(open) == 0 {
		return nil
	}
	for _, l := range lastLogged(n) {
		if _, why, forced := strings.Cut(l.Why, Forced); forced && strings.Contains(why, "open") {
			return nil
		}
	}
	var numbers []string
	for _, c := range open {
		numbers = append(numbers, strconv.Itoa(c.N))
	}
	line, col := n.Doc().ItemPosition(open[0].Box.Span)
	const form = "status is completed, but criteria are open: %s; tick what holds, or reopen the node"
	return []mdoc.Diagnostic{{File: n.Doc().Name(), Line: line, Col: col, Code: CodeCriteriaOpen,
		Text: fmt.Sprintf(form, strings.Join(numbers, ", "))}}
}

// tick matches the ticked box of a list item in any line of a text.
var tick = pattern.Of(`(?m)^([ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+)\[[xX]\]([ \t])`)

// Unticked returns a text with all of its boxes open, so that texts that differ only in their ticks become equal.
func Unticked(text string) string {
	if !strings.Contains(text, "]") {
		return text
	}
	return tick().ReplaceAllString(text, "$1[ ]$2")
}

// CutBox returns a text without the mark of a list and the box before it. given reports whether there was a box, and
// done whether it was ticked.
func CutBox(text string) (rest string, done, given bool) {
	m := boxed().FindStringSubmatch(text)
	return m[2], strings.EqualFold(m[1], "[x]"), m[1] != ""
}

var boxed = pattern.Of(`(?s)^\s*(?:[-*+]\s+)?(?:(\[[ xX]\])\s+)?(.*)$`)

// Boxed returns the text of a list item with its box.
func Boxed(text string, done bool) string {
	if done {
		return "[x] " + text
	}
	return "[ ] " + text
}

// unboxed returns the text by which items of criteria are matched: without the box.
func unboxed(item string) string {
	return strings.TrimPrefix(Unticked("- "+item), "- ")
}
