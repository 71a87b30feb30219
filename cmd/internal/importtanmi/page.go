package importtanmi

import (
	"slices"
	"strings"
)

// A page is one of the original's Markdown files: front matter, and sections that start with "## " at the start of a line.
// The forms of Arbor do not fit here: in these files a level-1 heading and an underlined one belong to the section's text.
type page struct {
	fields   []field
	before   string // text before the first section
	sections []section
}

// A field is an entry of the front matter, which the original writes line by line and without quotes.
type field struct {
	key, value string
	raw        string // its lines as they stand; the key is "" for a comment
}

// A section is a heading's text and all up to the next section.
type section struct{ title, body string }

// parsePage reads a page. standard names the sections that the original always writes, in lower case.
func parsePage(text string, standard []string) page {
	fields, body := frontMatter(text)
	before, list := splitSections(body, standard)
	return page{fields, before, list}
}

func (p page) value(key string) string {
	for _, f := range p.fields {
		if f.key == key {
			return unquote(f.value)
		}
	}
	return ""
}

// frontMatter splits a text into the entries of its front matter and the rest. Indented lines belong to the entry before.
func frontMatter(text string) ([]field, string) {
	start := strings.TrimLeft(text, " \t\n")
	first, rest, ok := strings.Cut(start, "\n")
	if !ok || strings.TrimRight(first, " \t") != "---" {
		return nil, text
	}
	var list []field
	for {
		line, after, more := strings.Cut(rest, "\n")
		if strings.TrimRight(line, " \t") == "---" {
			return list, after
		}
		if !more {
			return nil, text
		}
		rest = after
		key, value, ok := strings.Cut(line, ":")
		nested := line != "" && (line[0] == ' ' || line[0] == '\t' || line[0] == '-')
		switch {
		case strings.TrimSpace(line) == "":
		case strings.HasPrefix(line, "#"):
			list = append(list, field{raw: line})
		case len(list) > 0 && (nested || !ok):
			list[len(list)-1].raw += "\n" + line
		default:
			list = append(list, field{strings.TrimSpace(key), strings.TrimSpace(value), line})
		}
	}
}

// unquote takes the quotes off a value that a person quoted as YAML has it. What the original writes is not quoted, so a value with
// more quotes inside is a text that happens to start and end with one.
func unquote(s string) string {
	if len(s) < 2 || s[0] != s[len(s)-1] {
		return s
	}
	in := s[1 : len(s)-1]
	switch s[0] {
	case '\'':
		if !strings.Contains(strings.ReplaceAll(in, "''", ""), "'") {
			return strings.ReplaceAll(in, "''", "'")
		}
	case '"':
		if !strings.Contains(strings.ReplaceAll(in, `\"`, ""), `"`) && !strings.HasSuffix(in, `\`) {
			return strings.ReplaceAll(in, `\"`, `"`)
		}
	}
	return s
}

// splitSections cuts a body at its "## " lines. A line inside a fence is text, unless it is the only one that names a standard
// section: then the fence was left open, and the original, which knows no fences, still reads a section there.
func splitSections(body string, standard []string) (before string, list []section) {
	lines := strings.Split(body, "\n")
	outside := map[string]bool{} // the titles that stand outside of fences
	var open fence
	for _, line := range lines {
		if title, ok := sectionTitle(line); ok && open.char == 0 {
			outside[fold(title)] = true
		}
		open.pass(line)
	}

	var text []string
	flush := func() {
		s := trimBlank(strings.Join(text, "\n"))
		if len(list) == 0 {
			before = s
		} else {
			list[len(list)-1].body = s
		}
		text = nil
	}
	open = fence{}
	for _, line := range lines {
		if title, ok := sectionTitle(line); ok && (open.char == 0 || !outside[fold(title)] && slices.Contains(standard, fold(title))) {
			flush()
			list = append(list, section{title: title})
			open = fence{}
			continue
		}
		open.pass(line)
		text = append(text, line)
	}
	flush()
	return before, list
}

// sectionTitle returns the text of a section's heading.
func sectionTitle(line string) (string, bool) {
	t, ok := strings.CutPrefix(line, "## ")
	t = strings.TrimSpace(t)
	if i := len(strings.TrimRight(t, "#")); i > 0 && i < len(t) && t[i-1] == ' ' {
		t = strings.TrimSpace(t[:i])
	}
	return t, ok && t != ""
}

func fold(title string) string { return strings.ToLower(strings.TrimSpace(title)) }

// A fence is the code block that is open, if any.
type fence struct {
	char byte
	n    int
}

// pass takes notice of one line.
func (f *fence) pass(line string) {
	s := strings.TrimLeft(line, " ")
	if len(line)-len(s) > 3 || s == "" || s[0] != '`' && s[0] != '~' {
		return
	}
	n := len(s) - len(strings.TrimLeft(s, s[:1]))
	rest := s[n:]
	switch {
	case n < 3:
	case f.char == 0:
		if s[0] == '~' || strings.IndexByte(rest, '`') < 0 {
			f.char, f.n = s[0], n
		}
	case s[0] == f.char && n >= f.n && strings.TrimSpace(rest) == "":
		*f = fence{}
	}
}

// dropHint cuts the line that the original's template puts at the start of a section.
func dropHint(body string) string {
	first, rest, _ := strings.Cut(body, "\n")
	switch strings.TrimSpace(first) {
	case "> 只读，上下文必须遵循的约束", "> 读写，全局参考文档", "> 节点完成时填写",
		"> 格式：- [文件名](路径) - 说明 (状态)", "> 格式：- [文件名](路径) - 说明":
		return trimBlank(rest)
	}
	return body
}
