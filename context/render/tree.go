package render

import (
	"strconv"
	"strings"

	"arbor/mdstore"
)

// A TreeRow is one node of a drawn tree. Rows are in the order of a walk from the top: a node, then all below it.
type TreeRow struct {
	Depth int    // 0 at the top of the tree; at most one more than that of the row above
	ID    string // in a form to be copied
	mdstore.Head
	Focus   bool
	Problem bool   // has an open problem
	Damaged bool   // its file cannot be read
	Blocked bool   // it waits for dependencies
	By      string // the claim's owner; "" if unclaimed
	Hidden  int    // nodes below this one that have no row
}

// A Style says how a tree is drawn. The zero Style is a box drawing without colours and without a limit of width.
type Style struct {
	Markdown bool // a nested list instead of a box drawing; the other fields do not matter then
	ASCII    bool // no character beyond ASCII except in titles
	Color    bool // with SGR sequences, for a terminal
	Width    int  // columns that a line may take; 0 for no limit
}

const (
	widestAlign  = 56 // columns of connectors and title; ids of wider rows are not aligned
	narrowTitle  = 12 // columns that a title has at least
	hiddenColumn = "\x00"
)

// Tree draws the rows: one line each, and one more if rows below a node are hidden. Every line ends with a line feed.
// It returns "" for no rows. The result has no control characters except line feeds and the style's own colours,
// whatever titles hold.
func Tree(rows []TreeRow, style Style) string {
	if style.Markdown {
		return markdownTree(rows)
	}
	lines := treeLines(rows, style)
	align := 0
	for _, l := range lines {
		if w := l.width(); w <= widestAlign {
			align = max(align, w)
		}
	}
	var b strings.Builder
	for _, l := range lines {
		l.write(&b, style, align)
	}
	return b.String()
}

// A treeLine is a row with its place in the drawing.
type treeLine struct {
	row   TreeRow
	lead  string // connectors
	sign  string
	title string
	head  int // columns before the title
	wide  int // columns of the title
}

func (l treeLine) width() int { return l.head + l.wide }

// treeLines adds a row for hidden nodes, finds the rows that are the last of their siblings, and gives each its
// connectors.
func treeLines(rows []TreeRow, style Style) []treeLine {
	rows = withHidden(rows)
	p := style.pieces()
	last := lastOnes(rows)
	lines := make([]treeLine, 0, len(rows))
	var stems []string // of the ancestors below the top, by depth
	for i, r := range rows {
		depth := max(0, r.Depth)
		l := treeLine{row: r, sign: SignOf(r.Status, style.ASCII), title: Visible(r.Title)}
		if r.ID == hiddenColumn {
			l.sign, l.title = p.more, strconv.Itoa(r.Hidden)+" more"
		}
		if depth > 0 {
			stems = append(stems, make([]string, max(0, depth-1-len(stems)))...)[:depth-1]
			branch, stem := p.branch, p.stem
			if last[i] {
				branch, stem = p.end, p.blank
			}
			l.lead = strings.Join(stems, "") + branch
			stems = append(stems, stem)
		} else {
			stems = stems[:0]
		}
		l.head, l.wide = depth*p.columns+Columns(l.sign)+1, Columns(l.title)
		lines = append(lines, l)
	}
	return lines
}

// withHidden returns the rows with one more row after a node and its descendants if some of these are hidden.
func withHidden(rows []TreeRow) []TreeRow {
	out := make([]TreeRow, 0, len(rows))
	var open []TreeRow // rows with hidden descendants whose other descendants may still come
	closeTo := func(depth int) {
		for len(open) > 0 && open[len(open)-1].Depth >= depth {
			r := open[len(open)-1]
			open = open[:len(open)-1]
			out = append(out, TreeRow{Depth: r.Depth + 1, ID: hiddenColumn, Hidden: r.Hidden})
		}
	}
	for _, r := range rows {
		closeTo(r.Depth)
		out = append(out, r)
		if r.Hidden > 0 {
			open = append(open, r)
		}
	}
	closeTo(-1)
	return out
}

// lastOnes returns, for each row, whether it is the last sibling.
func lastOnes(rows []TreeRow) []bool {
	last := make([]bool, len(rows))
	var follows []bool // by depth: whether a later row has the same parent
	for i := len(rows) - 1; i >= 0; i-- {
		d := max(0, rows[i].Depth)
		last[i] = d >= len(follows) || !follows[d]
		for len(follows) <= d {
			follows = append(follows, false)
		}
		follows = follows[:d+1]
		follows[d] = true
	}
	return last
}

func (l treeLine) write(b *strings.Builder, style Style, align int) {
	marks := MarksOf(l.row, style.ASCII)
	id := Visible(l.row.ID)
	if l.row.ID == hiddenColumn {
		id = ""
	}
	tail := 0
	if id != "" {
		tail = 2 + Columns(id)
	}
	for _, m := range marks {
		tail += 2 + Columns(m.Text)
	}
	if style.Width > 0 {
		if room := max(narrowTitle, style.Width-tail-l.head); l.wide > room {
			l.title = Truncate(l.title, room, style.ASCII)
			l.wide = Columns(l.title)
		}
		align = min(align, style.Width-tail)
	}
	pad := max(0, align-l.width())
	if id == "" {
		pad = 0
	}
	b.WriteString(style.Paint(dim, l.lead) + style.PaintStatus(l.row.Status, l.sign) + " ")
	b.WriteString(style.Paint(l.titleColor(), l.title) + strings.Repeat(" ", pad))
	if id != "" {
		b.WriteString("  " + style.Paint(dim, id))
	}
	for _, m := range marks {
		b.WriteString("  " + style.Paint(m.SGR, m.Text))
	}
	b.WriteByte('\n')
}

func (l treeLine) titleColor() string {
	switch {
	case l.row.ID == hiddenColumn, l.row.Status == "cancelled":
		return dim
	case l.row.Focus:
		return bold
	}
	return ""
}

// A Mark is a remark on a node, in words as well as a sign. SGR is the parameter that it is painted with.
type Mark struct{ Text, SGR string }

// MarksOf returns the remarks on a node, the most urgent first.
func MarksOf(r TreeRow, ascii bool) []Mark {
	arrow := "← "
	if ascii {
		arrow = "<- "
	}
	var out []Mark
	for _, m := range []struct {
		on bool
		Mark
	}{
		{r.Focus, Mark{arrow + "focus", cyan}},
		{r.Problem, Mark{"! problem", yellow}},
		{r.Damaged, Mark{"!! damaged", red}},
		{r.Blocked, Mark{"blocked", yellow}},
	} {
		if m.on {
			out = append(out, m.Mark)
		}
	}
	for _, m := range r.Marks() {
		out = append(out, Mark{Visible(m), dim})
	}
	if r.By != "" {
		out = append(out, Mark{"claimed by " + Visible(r.By), cyan})
	}
	return out
}

func markdownTree(rows []TreeRow) string {
	var b strings.Builder
	for _, r := range withHidden(rows) {
		b.WriteString(strings.Repeat("  ", max(0, r.Depth)))
		if r.ID == hiddenColumn {
			b.WriteString("- " + strconv.Itoa(r.Hidden) + " more\n")
			continue
		}
		box := "[ ]"
		if done := "[x]"; SignOf(r.Status, true) == done { // the sign that is a ticked box in Markdown too
			box = done
		}
		b.WriteString("- " + box + " " + EscapeMarkdown(Visible(r.Title)) + " " + codeSpan(r.ID) + " ")
		b.WriteString(EscapeMarkdown(Visible(string(r.Status))))
		for _, m := range MarksOf(TreeRow{Problem: r.Problem, Damaged: r.Damaged, Blocked: r.Blocked}, true) {
			b.WriteString(", " + strings.TrimLeft(m.Text, "! "))
		}
		for _, m := range r.Marks() {
			b.WriteString(", " + EscapeMarkdown(Visible(m)))
		}
		if r.By != "" {
			b.WriteString(", claimed by " + EscapeMarkdown(Visible(r.By)))
		}
		if r.Focus {
			b.WriteString(", **focus**")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func codeSpan(id string) string { return "(`" + strings.ReplaceAll(Visible(id), "`", "'") + "`)" }
