package web

import (
	"fmt"
	"strings"

	"arbor/mdstore/pattern"
)

// Footnotes have ids, which differ between the texts of a page.

// footnoteID is the form of the id of a footnote or of its mark.
var footnoteID = pattern.Of(`^t[0-9]+-fn(ref[0-9]*)?:[0-9]+$`)

// idPrefix begins the ids of the n-th text of a page.
func idPrefix(n int) string { return fmt.Sprintf("t%d-", n) }

var (
	footnoteStart = pattern.Of(`^\[\^([^\]\s]+)\]:`)
	footnoteMark  = pattern.Of(`\[\^([^\]\s]+)\]`)
)

// footnotesIn returns the footnotes in a text by their labels, as Markdown.
func footnotesIn(text string) map[string]string {
	lines := map[string][]string{}
	label := ""
	for line := range strings.Lines(text) {
		if m := footnoteStart().FindStringSubmatch(line); m != nil {
			if label = m[1]; lines[label] != nil {
				label = "" // the first one counts
			}
		} else if strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "    ") && !strings.HasPrefix(line, "\t") {
			label = ""
		}
		if label != "" {
			lines[label] = append(lines[label], line)
		}
	}
	all := make(map[string]string, len(lines))
	for label, of := range lines {
		all[label] = strings.Join(of, "")
	}
	return all
}

// withFootnotes adds to a text the footnotes of other texts of the node that it uses.
func withFootnotes(text string, of map[string]string) string {
	if len(of) == 0 || !strings.Contains(text, "[^") {
		return text
	}
	own, added := footnotesIn(text), map[string]bool{}
	parts := []string{text}
	for _, m := range footnoteMark().FindAllStringSubmatch(text, -1) {
		if note := of[m[1]]; note != "" && own[m[1]] == "" && !added[m[1]] {
			added[m[1]] = true
			last := len(parts) - 1
			parts[last] = strings.TrimRight(parts[last], "\n")
			parts = append(parts, note)
		}
	}
	return strings.Join(parts, "\n\n")
}

// isFootnote reports whether an id is that of a footnote or of its mark.
func isFootnote(id string) bool { return footnoteID().MatchString(id) }
