package importtanmi

import (
	"strings"
)

// listItems splits a body into the items of its outermost list and the lines that belong to none. Lines that are indented, or that follow
// an item without a blank line, belong to the item and keep their indentation relative to it.
func listItems(body string) (items []string, rest string) {
	var other []string
	width := 0 // of the current item's marker; 0 outside of an item
	blank := 0 // blank lines since the item's last line
	for _, line := range strings.Split(body, "\n") {
		if strings.TrimSpace(line) == "" {
			blank++
			continue
		}
		indented := line[0] == ' ' || line[0] == '\t'
		if w := marker(line); w > 0 {
			items = append(items, strings.TrimSpace(line[w:]))
			width, blank = w, 0
			continue
		}
		if width > 0 && (indented || blank == 0) {
			items[len(items)-1] += strings.Repeat("\n", blank+1) + strings.TrimRight(dedent(line, width), " \t")
			blank = 0
			continue
		}
		if blank > 0 && len(other) > 0 {
			other = append(other, "")
		}
		other = append(other, line)
		width, blank = 0, 0
	}
	kept := items[:0]
	for _, it := range items {
		if trimBlank(it) != "" {
			kept = append(kept, trimBlank(it))
		}
	}
	return kept, strings.Join(other, "\n")
}

// marker returns the length of a list marker at the start of a line with the spaces after it, 0 where there is none.
func marker(line string) int {
	n := 0
	switch {
	case line == "":
		return 0
	case line == "-" || line == "*" || line == "+": // an item without text
		return 1
	case strings.IndexByte("-*+", line[0]) >= 0:
		n = 1
	default:
		for n < len(line) && n < 9 && line[n] >= '0' && line[n] <= '9' {
			n++
		}
		if n == 0 || n == len(line) || line[n] != '.' && line[n] != ')' {
			return 0
		}
		n++
	}
	spaces := len(line[n:]) - len(strings.TrimLeft(line[n:], " \t"))
	if spaces == 0 {
		return 0
	}
	return n + min(spaces, 4)
}

// dedent cuts up to width columns of indentation; a tab counts as all of them.
func dedent(line string, width int) string {
	for i := 0; i < width && line != ""; i++ {
		switch line[0] {
		case '\t':
			return line[1:]
		case ' ':
			line = line[1:]
		default:
			return line
		}
	}
	return line
}

// tableRow returns the cells of a table's line; ok is false for any other line.
func tableRow(line string) (cells []string, ok bool) {
	s := strings.TrimSpace(line)
	if len(s) < 2 || s[0] != '|' {
		return nil, false
	}
	s = s[1:]
	var cell strings.Builder
	ended := false
	for i := 0; i < len(s); i++ {
		ended = false
		switch {
		case s[i] == '\\' && i+1 < len(s) && s[i+1] == '|':
			cell.WriteByte('|')
			i++
		case s[i] == '|':
			cells = append(cells, strings.TrimSpace(cell.String()))
			cell.Reset()
			ended = true
		default:
			cell.WriteByte(s[i])
		}
	}
	if !ended {
		cells = append(cells, strings.TrimSpace(cell.String()))
	}
	return cells, true
}

// ruler reports whether a table's line is the one below its head.
func ruler(cells []string) bool {
	for _, c := range cells {
		if c == "" || strings.Trim(c, ":-") != "" {
			return false
		}
	}
	return len(cells) > 0
}

// cellText takes back what the original does to a text that goes into a table.
func cellText(cell string) string {
	return strings.ReplaceAll(strings.ReplaceAll(cell, "<br>", "\n"), "｜", "|")
}
