package web

import (
	"html/template"
	"strings"

	"arbor/mdstore"
)

// These limits bound the work for one text: everybody who opens a text makes the server render it. Real texts stay far
// below them.
const (
	mostSquared = 50_000_000 // of the marks of each paragraph, squared: links and emphasis cost that much
	mostCells   = 200_000    // of tables, as short rows are filled up
	mostDeep    = 100        // quotes and items within each other
)

// costly reports whether a text would cost more to render than a page may. It counts too much rather than too little.
func costly(source string) bool {
	if len(source) > mdstore.MaxFileSize {
		return true
	}
	squared, cells, marks, columns := 0, 0, 0, 0
	notes := strings.Count(source, "[^")
	for line := range strings.Lines(source) {
		rest, deep := inner(line)
		if deep > mostDeep {
			return true
		}
		blank := strings.TrimSpace(rest) == ""
		if blank || begins(line) {
			squared, marks, columns = squared+marks*marks, 0, 0
		}
		if blank {
			continue
		}
		for i := range len(line) {
			if c := line[i]; c == '[' || c == '*' || c == '_' || c == '~' {
				marks++
			}
		}
		if cells += columns; strings.Contains(rest, "-") && strings.Trim(rest, "|-: \t\r\n>") == "" {
			columns = 1 + strings.Count(rest, "|")
		}
	}
	return squared+marks*marks+notes*notes > mostSquared || cells > mostCells
}

// inner returns what a line has after the marks of quotes and items, and how many of these there are.
func inner(line string) (rest string, deep int) {
	for {
		rest = strings.TrimLeft(line, " \t")
		if after, quoted := strings.CutPrefix(rest, ">"); quoted {
			line, deep = after, deep+1
			continue
		}
		item := strings.TrimLeft(rest, "0123456789")
		if len(item) < 2 || item[1] != ' ' && item[1] != '\t' || !strings.ContainsRune("-+*.)", rune(item[0])) {
			return rest, deep
		}
		line, deep = item[2:], deep+1
	}
}

// begins reports whether a line is certainly not the continuation of a paragraph: an item that is not far to the right.
func begins(line string) bool {
	item := strings.TrimLeft(line, " ")
	return len(line)-len(item) <= 3 && len(item) > 2 && strings.ContainsRune("-+*", rune(item[0])) && item[1] == ' ' &&
		strings.TrimSpace(item[2:]) != ""
}

// asIs shows the source of a text.
func asIs(source string) template.HTML {
	return template.HTML("<pre><code>" + template.HTMLEscapeString(source) + "</code></pre>")
}
