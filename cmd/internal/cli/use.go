package cli

import (
	"context"

	"github.com/spf13/cobra"

	"arbor/context/render"
	"arbor/engine/ops"
)

func newUse(sh *shell) *cobra.Command {
	var bind string
	return sh.command(command{op: "workspace_get", help: ops.Help{
		Use: "use [WS]", Summary: "make a workspace the default of this machine",
		Text: `Commands that name no workspace use the default. A bound session or folder keeps
its own. Without WS it prints the default. With --bind, WS becomes the default
of that session or folder only.`,
		Example: "arbor use Login\narbor use\narbor use Login --bind path:.",
	}, flags: func(cmd *cobra.Command) {
		sh.writes(cmd)
		cmd.Flags().StringVar(&bind, "bind", "", "bind an `IDENT` to it: the name of a session, or path:FOLDER")
		must(cmd.RegisterFlagCompletionFunc("bind", cobra.NoFileCompletions))
	}, instead: func(ctx context.Context) (bool, error) {
		if bind == "" {
			return true, runUse(ctx, sh)
		}
		in := ops.SessionBindIn{SessionID: bind, WorkspaceID: sh.flags.workspace}
		in.DryRun = sh.flags.dryRun
		out, err := call(ctx, sh, ops.SessionBind, in)
		if err != nil {
			return true, err
		}
		return true, sh.wrote(out, out.Wrote, out.WorkspaceID)
	}})
}

func runUse(ctx context.Context, sh *shell) error {
	out, err := call(ctx, sh, ops.Use, sh.in())
	switch {
	case err != nil:
		return err
	case sh.flags.json:
		return sh.json(out)
	case out.WorkspaceID == "":
		sh.say("no workspace is the default; arbor use WS makes one")
		return nil
	case sh.flags.quiet:
		return sh.print(render.Visible(out.WorkspaceID))
	}
	defer sh.sayDry()
	return sh.print(render.Visible(namesOf(sh, out.WorkspaceID).titled(out.WorkspaceID)))
}

func showResolved(sh *shell, out *ops.WorkspaceResolveOut) error {
	if out.Changed || sh.flags.json {
		return sh.wrote(out, out.Wrote, out.WorkspaceID)
	}
	for _, text := range out.Warned {
		sh.warn("%s", text)
	}
	return sh.print(render.Visible(out.WorkspaceID))
}

// showOverview prints one line for each active workspace and returns true, if the command names no workspace and
// several are active. Otherwise it returns false.
func showOverview(ctx context.Context, sh *shell) (bool, error) {
	if sh.flags.workspace != "" {
		return false, nil
	}
	all, err := call(ctx, sh, ops.Overview, sh.in())
	if err != nil || len(*all) == 0 {
		return false, err
	}
	const hint = "arbor status WS shows one, arbor use WS makes it the default"
	if sh.flags.json {
		return true, sh.part(map[string]any{"workspaces": *all}, nil, hint)
	}
	var rows [][]cell
	heads := make([]ops.WorkspaceHead, len(*all))
	for i, g := range *all {
		heads[i] = g.WorkspaceHead
	}
	short := shortWorkspaces(sh, heads)
	for _, g := range *all {
		done, focus := g.Counts.Outcomes.String(), g.Focus
		if focus != "" {
			focus = "focus: " + focus
		}
		if g.Counts.Problems > 0 {
			focus += "  ! " + counted(g.Counts.Problems, "problem")
		}
		if n := g.Counts.Findings; g.Damaged {
			focus += "  !! damaged"
		} else if n > 0 {
			focus += "  !! " + counted(n, "finding")
		}
		rows = append(rows, []cell{{text: short(g.ID), sgr: "2"}, {text: g.Name, sgr: "1"}, {text: done}, {text: focus}})
	}
	sh.bounded(sh.table([]string{"ID", "NAME", "DONE", "FOCUS"}, rows), "lines")
	if git, err := call(ctx, sh, ops.GitStatus, struct{}{}); err == nil {
		sh.gitLine(git)
	}
	sh.hint(hint)
	return true, nil
}
