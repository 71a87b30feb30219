package importtanmi

import (
	"slices"
	"strings"

	"arbor/mdstore/pattern"
)

// A page is one of the original's Markdown files: front matter and sections.
type page struct {
	fields   map[string]string
	sections map[string]string // without outer blank lines, hints and placeholders
	odd      string            // the part of the page that is not understood; "" for none
}

// templateLines are the lines that the original writes into empty sections, and above their text.
var templateLines = []string{
	"> 只读，上下文必须遵循的约束", "> 读写，全局参考文档", "> 节点完成时填写",
	"> 格式：- [文件名](路径) - 说明 (状态)", "> 格式：- [文件名](路径) - 说明", "（暂无）",
}

var frontMatter = pattern.Of(`(?s)^(?:\n*---\n(|.*?\n)---(?:\n|$))?`)

// parsePage reads a page with the keys and section titles that the original writes; its values are not quoted. Any
// other heading belongs to the text of its section, because texts may contain headings.
func parsePage(text string, keys, titles []string) page {
	p := page{fields: map[string]string{}, sections: map[string]string{}}
	front := frontMatter().FindStringSubmatch(text)
	for _, line := range strings.Split(front[1], "\n") {
		key, value, ok := strings.Cut(line, ":")
		ok = ok && (value == "" || value[0] == ' ')
		if _, twice := p.fields[key]; ok && !twice && slices.Contains(keys, key) {
			p.fields[key] = strings.TrimSpace(value)
		} else if strings.TrimSpace(line) != "" {
			p.odd = "its front matter holds more than is known: " + line
		}
	}
	title, begun := "", map[string]bool{}
	lines := map[string][]string{}
	for _, line := range strings.Split(text[len(front[0]):], "\n") {
		heading, ok := strings.CutPrefix(strings.TrimRight(line, " "), "## ")
		if known := ok && slices.Contains(titles, heading); known && !begun[heading] {
			title, begun[heading] = heading, true
			continue
		} else if known {
			p.odd = "it has a section twice, " + heading
		}
		if s := strings.TrimSpace(line); len(lines[title]) > 0 || s != "" && !slices.Contains(templateLines, s) {
			lines[title] = append(lines[title], line)
		}
	}
	for title, ls := range lines {
		p.sections[title] = strings.TrimRight(strings.Join(ls, "\n"), " \t\n")
	}
	if p.sections[""] != "" {
		p.odd = "text stands before its first section"
	}
	return p
}

// listItems returns the items of a list, the lines that follow an item without a blank line as part of it. whole is
// false if the body holds anything else, or if an item cannot be in a list of Arbor's.
func listItems(body string) (items []string, whole bool) {
	whole = true
	open := false
	for _, line := range strings.Split(body, "\n") {
		item, ok := strings.CutPrefix(line, "- ")
		switch item = strings.TrimSpace(item); {
		case strings.TrimSpace(line) == "":
			open = false
		case ok && item != "":
			items, open = append(items, item), true
		case open && !ok:
			items[len(items)-1] += "\n" + strings.TrimRight(strings.TrimPrefix(line, "  "), " \t")
		default:
			whole = false
		}
	}
	held := slices.DeleteFunc(slices.Clone(items), func(item string) bool { return !holdsItem(item) })
	return held, whole && len(held) == len(items)
}
