package importtanmi

import (
	"strings"
)

// A criterion is a line of a node's acceptance criteria.
type criterion struct {
	When string `json:"when"`
	Then string `json:"then"`
}

// An info is what an Info.md holds.
type info struct {
	id, kind, title, status string
	createdAt, updatedAt    int64
	requirement             string
	criteria                []criterion
	criteriaText            string // the criteria as they stand, where they are no plain table
	docs                    []string
	note                    string
	conclusion              string
	more                    string // sections and text that the original does not know
	fields                  string // front matter that it does not know, as YAML
}

// infoSections are the sections that the original always writes.
var infoSections = []string{"节点类型", "需求", "文档引用", "备注", "结论"}

// parseInfo reads an Info.md. Sections that stand more than once are joined.
func parseInfo(text string) *info {
	p := parsePage(text, infoSections)
	in := &info{id: p.value("id"), kind: p.value("type"), title: p.value("title"), status: p.value("status")}
	in.createdAt, _ = parseTime(p.value("createdAt"))
	in.updatedAt, _ = parseTime(p.value("updatedAt"))
	in.fields = unknownFields(p, "id", "type", "title", "status", "createdAt", "updatedAt")
	more := []string{p.before}
	for _, s := range p.sections {
		switch fold(s.title) {
		case "节点类型", "node type":
			if label := strings.TrimSpace(s.body); label != "规划节点" && label != "执行节点" {
				more = append(more, under(s.title, s.body))
			}
		case "需求", "requirement":
			in.requirement = paragraphs(in.requirement, s.body)
		case "验收标准", "acceptance criteria":
			if list, ok := criteriaTable(s.body); ok {
				in.criteria = append(in.criteria, list...)
			} else {
				in.criteriaText = paragraphs(in.criteriaText, s.body)
			}
		case "文档引用", "文档", "引用", "docs", "documents", "references":
			items, rest := listItems(dropHint(s.body))
			in.docs = append(in.docs, items...)
			more = append(more, under(s.title, rest))
		case "备注", "note", "notes":
			in.note = paragraphs(in.note, s.body)
		case "结论", "conclusion":
			in.conclusion = paragraphs(in.conclusion, dropHint(s.body))
		default:
			more = append(more, "### "+s.title+"\n\n"+s.body)
		}
	}
	in.more = paragraphs(more...)
	return in
}

// unknownFields returns the entries of the front matter without the known keys.
func unknownFields(p page, known ...string) string {
	var lines []string
entries:
	for _, f := range p.fields {
		for _, k := range known {
			if f.key == k && !strings.Contains(f.raw, "\n") {
				continue entries
			}
		}
		lines = append(lines, f.raw)
	}
	return strings.Join(lines, "\n")
}

// criteriaTable reads a table of conditions and expectations; ok is false where the body holds anything else.
func criteriaTable(body string) (list []criterion, ok bool) {
	for i, line := range strings.Split(body, "\n") {
		if strings.TrimSpace(line) == "" {
			continue
		}
		cells, row := tableRow(line)
		switch {
		case !row || len(cells) != 2:
			return nil, false
		case i == 0:
			if !strings.Contains(strings.ToUpper(cells[0]), "WHEN") && !strings.Contains(cells[0], "条件") {
				return nil, false
			}
		case i == 1 && ruler(cells):
		default:
			list = append(list, criterion{cellText(cells[0]), cellText(cells[1])})
		}
	}
	return list, true
}

// acceptance returns what stands below a requirement: its acceptance criteria, those of the graph that Info.md lacks among them.
func (in *info) acceptance(graph []criterion) string {
	list := in.criteria
	known := map[criterion]bool{}
	for _, c := range list {
		known[criterion{squeeze(c.When), squeeze(c.Then)}] = true
	}
	for _, c := range graph {
		if !known[criterion{squeeze(c.When), squeeze(c.Then)}] {
			list = append(list, c)
		}
	}
	var table strings.Builder
	if len(list) > 0 {
		table.WriteString("| WHEN | THEN |\n|---|---|\n")
	}
	for _, c := range list {
		table.WriteString("| " + cell(c.When) + " | " + cell(c.Then) + " |\n")
	}
	return under("Acceptance criteria", paragraphs(table.String(), in.criteriaText))
}

// cell returns a text as one cell of a Markdown table.
func cell(s string) string {
	s = strings.ReplaceAll(strings.TrimSpace(cleanText(s)), "|", `\|`)
	return strings.ReplaceAll(s, "\n", "<br>")
}

// squeeze returns a text without its white space and the escapes of tables, for comparisons.
func squeeze(s string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(s, "｜", "|")), "")
}
