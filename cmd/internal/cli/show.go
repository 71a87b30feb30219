package cli

import (
	"fmt"
	"strings"

	"arbor/context/render"
	"arbor/engine/ops"
)

func showCommand(sh *shell) command {
	return command{list: true, show: showing(sh, showNode)}
}

const logLines = 20 // entries of a log that a page shows

func showNode(sh *shell, out *ops.NodeGetOut) error {
	n := out.Node
	if sh.flags.quiet {
		return sh.print(render.Visible(n.ID))
	}
	p := sh.page()
	p.title(n.Title, n.ID)
	facts := []string{n.Type, p.style.PaintStatus(n.Status, render.SignOf(n.Status, p.style.ASCII)) + " " + n.Status}
	if n.Role != "" {
		facts = append(facts, n.Role)
	}
	if n.ParentID != "" {
		facts = append(facts, "below "+n.ParentID)
	}
	if n.Isolated {
		facts = append(facts, "isolated")
	}
	p.facts(facts)
	if len(n.Allowed) > 0 {
		p.line("can: " + strings.Join(n.Allowed, ", "))
	}
	if whose := whose(n.Claim); whose != "" {
		p.line(whose)
	}
	p.diagnostics(n.Diagnostics)
	for _, f := range textFields {
		p.section(strings.ToUpper(f.name[:1])+f.name[1:], f.of(&n))
	}
	p.docs("Docs", n.Docs)
	p.docs("References", refsOf(n.References))
	p.problem(n.Problem)
	entries, hidden := n.Log, 0
	if len(entries) > logLines && !sh.flags.all {
		hidden = len(entries) - logLines
		entries = entries[hidden:]
	}
	p.log(entries, hidden, "--all brings them")
	if len(n.Children) > 0 {
		p.heading("Children")
		kids, more := n.Children, 0
		if len(kids) > listLines/4 && !sh.flags.all {
			kids, more = kids[:listLines/4], len(kids)-listLines/4
		}
		p.items(kids)
		if more > 0 {
			p.line(fmt.Sprintf("%d more; --all brings them", more))
		}
	}
	p.file(n.Path, n.Version)
	if err := p.print(); err != nil {
		return err
	}
	if len(n.Allowed) == 0 { // why not
		sh.hint(out.Hint)
	}
	return nil
}
