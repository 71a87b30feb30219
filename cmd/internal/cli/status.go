package cli

import (
	"math"

	"github.com/spf13/cobra"

	"arbor/context/render"
	"arbor/engine/ops"
)

const (
	boardLines  = 10 // problems and diagnostics that a status names, two lines each
	aroundLines = 12 // head, headings and the blank lines between them
)

func statusCommand(sh *shell) command {
	in := &ops.WorkspaceStatusIn{}
	c := command{in: in, list: true}
	c.check = func(*cobra.Command) error {
		in.All = true // what is shown is bounded below
		return nil
	}
	c.show = showing(sh, func(sh *shell, out *ops.WorkspaceStatusOut) error {
		if sh.flags.quiet {
			return sh.print(render.Visible(out.Workspace.ID))
		}
		head, room := out.Board(math.MaxInt), 0
		if !sh.flags.all {
			head = out.Board(boardLines)
			room = listLines - aroundLines - 2*len(head.Problems) - len(head.Damaged)
		}
		rows, hidden := fit(out.Tree, room)
		style := sh.style()
		style.Markdown = in.Format == "markdown"
		if err := sh.print(render.Board(head, rows, style)); err != nil {
			return err
		}
		if hidden > 0 {
			sh.warn("%d of %d nodes are not shown; --all brings them, arbor tree NODE those below one", hidden, out.Counts.Total)
		}
		sh.hint(out.Hint)
		return nil
	})
	return c
}
