package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"arbor/context/render"
	"arbor/engine/ops"
	"arbor/mdstore"
)

type showOptions struct {
	*shell
	in ops.NodeGetIn
}

func newShow(sh *shell, use string, run func(context.Context, *showOptions) error) *cobra.Command {
	if run == nil {
		run = runShow
	}
	opt := &showOptions{shell: sh}
	cmd := &cobra.Command{
		Use: use, Short: "Show one node: what its file says, and what can be done with it", Aliases: []string{"view", "cat"},
		Long: `All sections of the node, the newest entries of its log, and the actions that its
status allows. The version in the last line goes with --if-match. What somebody
needs to work on the node is more than that: arbor context. After nodes were moved
by hand, arbor list looks at every file; this looks at the node's own.`,
		Example:           "arbor show node-mj2hz4gy\narbor show \"Sign-in endpoint\"\narbor show . --json",
		Args:              args(1, 1, "a NODE"),
		ValidArgsFunction: sh.completeNodes(nil, 1),
		RunE: func(cmd *cobra.Command, words []string) error {
			opt.in.NodeID = words[0]
			return run(cmd.Context(), opt)
		},
	}
	sh.lists(cmd)
	return cmd
}

const logLines = 20 // entries of a log that a page shows

func runShow(ctx context.Context, opt *showOptions) (err error) {
	if opt.in.NodeID, err = opt.node(ctx, opt.in.NodeID); err != nil {
		return err
	}
	opt.in.In = opt.shell.in()
	out, err := call(ctx, opt.shell, ops.NodeGet, opt.in)
	if err != nil {
		return err
	}
	n := out.Node
	switch {
	case opt.flags.json:
		return opt.json(out)
	case opt.flags.quiet:
		return opt.print(render.Visible(n.ID))
	}
	p := opt.page()
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
	p.rawFacts(facts)
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
	p.references(n.References)
	p.problem(n.Problem)
	entries, hidden := n.Log, 0
	if len(entries) > logLines && !opt.flags.all {
		hidden = len(entries) - logLines
		entries = entries[hidden:]
	}
	p.log(entries, hidden, "--all brings them")
	if len(n.Children) > 0 {
		p.heading("Children")
		kids, more := n.Children, 0
		if len(kids) > listLines/4 && !opt.flags.all {
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
		opt.hint(out.Hint)
	}
	return nil
}

// rawFacts is facts for texts that have colours already.
func (p *page) rawFacts(facts []string) {
	dot := " · "
	if p.style.ASCII {
		dot = ", "
	}
	for i, f := range facts {
		if i > 0 {
			p.b.WriteString(dot)
		}
		p.b.WriteString(f)
	}
	p.b.WriteByte('\n')
}

func (p *page) references(refs []ops.Reference) {
	if len(refs) == 0 {
		return
	}
	p.heading("References")
	for _, r := range refs {
		p.b.WriteString("- " + p.docLine(mdstore.Ref{Target: r.Target, Description: r.Description, Expired: r.Expired}) + "\n")
	}
}
