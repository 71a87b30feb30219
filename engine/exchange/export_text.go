package exchange

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"arbor/context/render"
	"arbor/mdstore"
	"arbor/statemachine"
)

// writeCSV writes a row for each node, below a row with the names of the columns.
func writeCSV(p Plan) (string, error) {
	var b strings.Builder
	head := []string{"id", "parentId", "title", "type", "status"}
	for _, f := range mdstore.AllFields() {
		head = append(head, f.Key)
	}
	row(&b, append(head, "ticked", "createdAt", "updatedAt", "requirement", "criteria", "conclusion", "note"))
	for _, n := range p.Nodes {
		parent, h := string(n.Parent), p.View.HeadOn(n, "")
		if n.ID == mdstore.Root {
			parent = ""
		}
		all := []string{string(n.ID), parent, n.Title, string(n.Type), string(n.Status)}
		for _, f := range mdstore.AllFields() {
			all = append(all, strings.ReplaceAll(h.Text(f), "\n", ", "))
		}
		row(&b, append(all, n.Ticked, moment(n.CreatedAt), moment(n.UpdatedAt), n.Requirement(),
			n.Doc().Text(mdstore.SecCriteria), n.Conclusion(), n.Note()))
	}
	return b.String(), nil
}

// row writes a row of RFC 4180, whose lines end with a line feed.
func row(b *strings.Builder, values []string) {
	for i, v := range values {
		if i > 0 {
			b.WriteByte(',')
		}
		v = inert(v)
		if strings.ContainsAny(v, ",\"\r\n") || strings.TrimSpace(v) != v {
			v = `"` + strings.ReplaceAll(v, `"`, `""`) + `"`
		}
		b.WriteString(v)
	}
	b.WriteByte('\n')
}

// inert returns a cell that no spreadsheet takes for a formula: an apostrophe stands before = + - @, a tab or a line
// end at its beginning, except before a number.
func inert(v string) string {
	if v == "" || !strings.ContainsRune("=+-@\t\r\n", rune(v[0])) {
		return v
	}
	if _, err := strconv.ParseFloat(v, 64); err == nil {
		return v
	}
	return "'" + v
}

// moment returns a time in milliseconds in the form of RFC 3339, "" for none.
func moment(ms int64) string {
	if ms == 0 {
		return ""
	}
	return time.UnixMilli(ms).UTC().Format(time.RFC3339)
}

// writeMarkdown writes a document with a list: an item for each node, with its texts below it.
func writeMarkdown(p Plan) (string, error) {
	var b strings.Builder
	w := p.View.Workspace()
	fmt.Fprintf(&b, "# %s\n", render.EscapeMarkdown(render.Visible(w.Name)))
	if w.Goal != "" {
		fmt.Fprintf(&b, "\n%s\n", render.EscapeMarkdown(render.Visible(w.Goal)))
	}
	gap(&b)
	level := map[mdstore.ID]int{} // of the items; those that match may lack their parents
	for _, n := range p.Nodes {
		if n.ID == mdstore.Root {
			writeTexts(&b, "", n)
			continue
		}
		up, _ := p.View.Ancestors(n.ID)
		for _, a := range up {
			level[n.ID] = max(level[n.ID], level[a.ID])
		}
		indent := strings.Repeat("  ", level[n.ID])
		level[n.ID]++
		box := "[ ]"
		if n.Status == statemachine.Completed {
			box = "[x]"
		}
		fmt.Fprintf(&b, "%s- %s %s", indent, box, render.EscapeMarkdown(render.Visible(n.Title)))
		marks := n.Marks()
		if n.Status != statemachine.Completed && n.Status != statemachine.Initial(n.Type) {
			marks = append([]string{string(n.Status)}, marks...)
		}
		if len(marks) > 0 {
			fmt.Fprintf(&b, " (%s)", render.EscapeMarkdown(render.Visible(strings.Join(marks, ", "))))
		}
		b.WriteByte('\n')
		writeTexts(&b, indent+"  ", n)
	}
	return b.String(), nil
}

// gap ends what stands before with one blank line.
func gap(b *strings.Builder) {
	if !strings.HasSuffix(b.String(), "\n\n") {
		b.WriteByte('\n')
	}
}

// writeTexts writes the texts of a node, each line behind an indent.
func writeTexts(b *strings.Builder, indent string, n *mdstore.Node) {
	for _, s := range []struct{ name, text string }{{"", n.Requirement()}, {"Criteria", n.Doc().Text(mdstore.SecCriteria)},
		{"Conclusion", n.Conclusion()}, {"Note", n.Note()}} {
		text := strings.Trim(strings.ReplaceAll(s.text, "\r\n", "\n"), "\n")
		if strings.TrimSpace(text) == "" {
			continue
		}
		if s.name != "" {
			text = s.name + ":\n\n" + text
		}
		gap(b)
		for line := range strings.SplitSeq(text, "\n") {
			b.WriteString(strings.TrimRight(indent+line, " ") + "\n")
		}
		b.WriteByte('\n')
	}
}
