package web

import (
	"regexp"
	"strings"

	"arbor/mdstore/pattern"
)

// A plainRule says what takes the place of some Markdown in a line.
type plainRule struct {
	marks func() *regexp.Regexp
	text  string
}

var plainRules = []plainRule{
	{pattern.Of(`<!--.*?(?:-->|$)`), ""},
	{pattern.Of(`<(https?://[^\s>]+)>`), "$1"},
	{pattern.Of(`\[(?:\^[^\[\]]+|!\w+)\]:?`), ""},                                   // a footnote, the kind of a callout
	{pattern.Of(`!?\[\[(?:[^\[\]|]*\|)?([^\[\]|]+)\]\]`), "$1"},                     // [[target|words]]
	{pattern.Of(`!?\[([^\[\]]*)\](?:\([^()]*(?:\)|$)|\[[^\[\]]*\])`), "$1"},         // [words](target), [words][label]
	{pattern.Of(`(^|\s)[-*+]\s+\[[ xX]\]\s`), "$1"},                                 // tasks
	{pattern.Of(`^\s*(?:>\s*)*(?:[-*+]\s+)?`), ""},                                  // quotes and items
	{pattern.Of(`(^|\s)#{1,6}(?:\s|$)`), "$1"},                                      // headings
	{pattern.Of(`\|?\s*:?-{3,}:?\s*\|[\s|:-]*|\|\s*:?-{3,}:?(?:\s|$)|^-{3,}$`), ""}, // below the head of a table
	{pattern.Of("`+"), ""},
	{pattern.Of(`(^|[^\pL\pN])(?:\*\*|__|~~)`), "$1"},
	{pattern.Of(`(?:\*\*|__|~~)($|[^\pL\pN])`), "$1"},
	{pattern.Of(`(^|[^\pL\pN*\\])\*([^\s*](?:[^*]*[^\s*\\])?)\*($|[^\pL\pN*])`), "$1$2$3"},
	{pattern.Of(`(^|[^\pL\pN_\\])_([^\s_](?:[^_]*[^\s_\\])?)_($|[^\pL\pN_])`), "$1$2$3"},
	{pattern.Of(`\\([!-/:-@\[-_{-~])`), "$1"},
}

// Where cells of a table meet, and where a row ends, also in a line that was cut there.
var (
	cellEdge = pattern.Of(`(^|\s)\|(?:\s|$)`)
	rowEdge  = pattern.Of(`^\s*\||\|(…?)\s*$`)
)

// plain returns a line of Markdown as a list shows it: without marks of headings, items, quotes, emphasis and code,
// with the words of links, and without the edges of tables. The line may be cut out of a text, or be several lines.
func plain(line string) string {
	for _, r := range plainRules {
		line = r.marks().ReplaceAllString(line, r.text)
	}
	if strings.Count(line, "|") > 1 { // one alone says something, as in a command
		line = cellEdge().ReplaceAllString(line, "$1 ")
	}
	return strings.Join(strings.Fields(rowEdge().ReplaceAllString(line, "$1")), " ")
}

const firstLineShown = 160 // bytes of the first line of a text in a list

// firstLine returns the first line of a text that says something, without Markdown, cut to what a list shows.
func firstLine(text string) string {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
			continue
		}
		if line = plain(line); len(line) > firstLineShown {
			line = strings.ToValidUTF8(line[:firstLineShown], "") + "…"
		}
		if line != "" {
			return line
		}
	}
	return ""
}
