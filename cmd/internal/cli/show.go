package cli

import (
	"fmt"
	"strconv"
	"strings"

	"arbor/context/render"
	"arbor/engine/ops"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// What a page shows without --all.
const (
	logLines   = 20 // entries of a log
	childLines = 50 // children
)

func showNode(sh *shell, out *ops.NodeGetOut) error {
	n := out.Node
	if sh.flags.quiet {
		return sh.print(render.Visible(n.ID))
	}
	p, names := sh.page(), namesOf(sh, "")
	p.title(n.Title, names.id(n.ID))
	facts := []string{string(n.Type), p.style.PaintStatus(n.Status, render.SignOf(n.Status, p.style.ASCII)) + " " + string(n.Status)}
	if n.ParentID != "" {
		facts = append(facts, "below "+render.Visible(names.titled(n.ParentID)))
	}
	for _, m := range n.AllMarks() {
		facts = append(facts, render.Visible(m))
	}
	p.facts(facts)
	for _, id := range n.BlockedBy {
		p.line("waits for " + render.Visible(names.titled(id)))
	}
	if len(n.Allowed) > 0 {
		p.line("can: " + strings.Join(n.Allowed, ", "))
	}
	p.line(whose(n.Claim))
	for _, q := range n.Questions {
		p.line("asks (" + q.Time[len("2006-01-02 "):] + " UTC): " + render.Visible(q.Text))
	}
	p.diagnostics(n.Diagnostics)
	p.own(n.Own)
	if above := n.Above(); above != "" {
		p.ownSection(mdstore.OwnText{Text: above})
	}
	p.section("## Requirement", n.Requirement)
	p.criteria(n)
	p.section("## Note", n.Note)
	for _, own := range n.OwnSections() {
		p.ownSection(own)
	}
	p.section("## Conclusion", n.Conclusion)
	p.docs("Docs", n.Docs)
	p.docs("References", refsOf(n.References, names))
	p.problem(n.Problem)
	older, further := 0, 0
	if !sh.flags.all {
		older, further = max(0, len(n.Log)-logLines), max(0, len(n.Children)-childLines)
	}
	p.log(n.Log[older:], older, "--all shows them")
	if len(n.Children) > 0 {
		p.heading("## Children")
		for _, kid := range n.Children[:len(n.Children)-further] {
			p.child(names, kid)
		}
	}
	if further > 0 {
		p.line(fmt.Sprintf("%d more; --all shows them", further))
	}
	p.file(n.Path, n.Version)
	if len(n.Allowed) > 0 { // otherwise the hint says why no action is allowed
		out.Hint = ""
	}
	return p.print(out.Hint)
}

// A page is a result to read from top to bottom: a head, and sections like those of a file in the vault.
type page struct {
	sh    *shell
	style render.Style
	b     strings.Builder
}

func (sh *shell) page() *page { return &page{sh: sh, style: sh.style()} }

// write writes one or more lines that are safe to print.
func (p *page) write(s string) { p.b.WriteString(s + "\n") }

// print prints the page and then the hint.
func (p *page) print(hint string) error {
	p.sh.print(p.b.String())
	p.sh.hint(hint)
	return p.sh.unprinted
}

func (p *page) title(title, id string) {
	p.write(p.style.Paint("1", render.Visible(title)) + p.style.Paint("2", "  "+render.Visible(id)))
}

// line writes a text of one line, or nothing if it is empty.
func (p *page) line(s string) {
	if s != "" {
		p.write(render.Visible(s))
	}
}

// facts writes facts in one line; they are safe to print, and may have colours.
func (p *page) facts(facts []string) {
	dot := " · "
	if p.style.ASCII {
		dot = ", "
	}
	p.write(strings.Join(facts, dot))
}

func (p *page) heading(h string) { p.b.WriteString("\n" + p.style.Paint("1", h) + "\n\n") }

// section writes a text under its heading, or nothing if it is empty.
func (p *page) section(heading, text string) {
	if text == "" {
		return
	}
	p.heading(heading)
	p.write(strings.TrimRight(render.VisibleLines(text), "\n"))
}

// criteria writes the task boxes of a node with their numbers: the text of its acceptance criteria, then the boxes of
// its requirement.
func (p *page) criteria(n ops.NodeInfo) {
	text := n.CriteriaText
	for _, c := range n.Criteria {
		switch line := "\n- " + mdstore.Boxed(strconv.Itoa(c.N)+". "+c.Text, c.Done); {
		case c.In != "":
			text += line + " (" + c.In + ")"
		case n.CriteriaText == "":
			text += line
		}
	}
	p.section("## "+mdstore.SecCriteria, strings.TrimLeft(text, "\n"))
}

// own writes the keys of a file that Arbor does not know.
func (p *page) own(keys mdstore.Owns) {
	for _, k := range keys {
		text := strings.ReplaceAll(render.VisibleLines(k.Text()), "\n", "\n  ")
		p.write(p.style.Paint("2", render.Visible(k.Key)+":") + " " + text)
	}
}

// ownSection writes a section that Arbor does not know. It writes the heading even if the section is empty.
func (p *page) ownSection(own mdstore.OwnText) {
	if own.Name != "" {
		p.heading("## " + render.Visible(own.Name))
	} else {
		p.write("")
	}
	if own.Text != "" {
		p.write(strings.TrimRight(render.VisibleLines(own.Text), "\n"))
	}
}

func (p *page) rules(rules []string, hash string) {
	if len(rules) == 0 {
		return
	}
	p.heading("## Rules")
	p.ruleList(rules, hash)
}

func (p *page) ruleList(rules []string, hash string) {
	p.items(rules)
	if hash != "" {
		p.write("\n" + p.style.Paint("2", hashLine+hash))
	}
}

// diagnostics writes the diagnostics of the file that the page shows.
func (p *page) diagnostics(ds []mdoc.Diagnostic) {
	for _, d := range ds {
		p.write(p.style.Paint("31", "!! "+render.Visible(d.String())))
	}
}

// items writes a list whose items may have several lines.
func (p *page) items(items []string) {
	for _, it := range items {
		p.write("- " + strings.ReplaceAll(render.VisibleLines(it), "\n", "\n  "))
	}
}

// child writes a child with its status.
func (p *page) child(n names, id string) {
	_, status := n.of(id)
	p.write("- " + p.style.PaintStatus(status, render.SignOf(status, p.style.ASCII)) + " " + render.Visible(n.titled(id)))
}

func (p *page) docs(name string, docs []mdstore.Ref) {
	if len(docs) > 0 {
		p.heading("## " + name)
	}
	for _, d := range docs {
		p.write("- " + p.docLine(d))
	}
}

func (p *page) docLine(d mdstore.Ref) string {
	s := render.Visible(d.Target)
	if d.Description != "" {
		s += ": " + render.Visible(d.Description)
	}
	if d.Expired {
		return p.style.Paint("2", s+" (expired)")
	}
	return s
}

func (p *page) problem(pr *mdstore.Problem) {
	if pr != nil {
		p.section("## Problem", pr.Text)
		p.section("### "+mdstore.NextStep, pr.NextStep)
	}
}

// log writes entries, oldest first. If earlier ones are hidden, it writes their number and rest, which says how to see
// them.
func (p *page) log(entries []mdstore.LogEntry, hidden int, rest string) {
	if len(entries) == 0 {
		return
	}
	p.heading("## Log")
	if hidden > 0 {
		p.write(p.style.Paint("2", strconv.Itoa(hidden)+" earlier entries; "+rest))
	}
	p.entries(entries)
}

func (p *page) entries(entries []mdstore.LogEntry) {
	for _, e := range entries {
		event := strings.ReplaceAll(render.VisibleLines(e.Event), "\n", "\n  ")
		if e.Time != "" || e.Operator != "" {
			who := "[" + render.Visible(inUTC(e.Time)) + "] [" + render.Visible(e.Operator) + "]"
			event = p.style.Paint("2", who) + " " + event
		}
		p.write("- " + event)
	}
}

func (p *page) file(path, version string) {
	p.write("\n" + p.style.Paint("2", render.Visible(p.sh.shown(path))+"  version "+version))
}

// counted returns a number with a noun, in the plural unless n is 1.
func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}
