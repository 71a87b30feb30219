package cli

import (
	"github.com/spf13/cobra"

	"arbor/engine/ops"
)

func newSession(sh *shell) *cobra.Command {
	c := sessionStatusCommand(sh)
	c.op = "session_status"
	c.help = ops.Help{
		Use: "session", Summary: "bind a session to a workspace, so that calls need not name it",
		Text: `A session is a name of your choice, given by --session or ARBOR_SESSION; each
shell or assistant has its own. Without a verb it prints what the session is
bound to.`,
		Example: "export ARBOR_SESSION=alice\narbor session bind Login\narbor session",
	}
	return sh.command(c)
}

func sessionBindCommand(sh *shell) command {
	return command{show: showing(sh, func(sh *shell, out *ops.SessionBindOut) error {
		err := sh.wrote(out, out.Wrote, "")
		if err != nil || sh.flags.json || sh.flags.quiet || out.DryRun || len(out.Rules) == 0 {
			return err
		}
		p := sh.page()
		p.rules(out.Rules, out.RulesHash)
		return p.print()
	})}
}

func sessionStatusCommand(sh *shell) command {
	return command{show: showing(sh, showSession)}
}

func showSession(sh *shell, out *ops.SessionStatusOut) error {
	id := sh.session()
	switch {
	case !out.Bound && sh.flags.quiet:
		return nil
	case !out.Bound:
		bound := "is bound to nothing"
		if out.LostWorkspaceID != "" {
			bound = "is bound to " + out.LostWorkspaceID + ", which is gone"
		}
		sh.say("session %s %s; arbor session bind WS binds it to one of:", id, bound)
		var rows [][]cell
		for _, w := range out.AvailableWorkspaces {
			rows = append(rows, []cell{{text: w.ID, sgr: "2"}, {text: w.Name}})
		}
		return sh.bounded(lines(sh.table([]string{"ID", "NAME"}, rows)), "workspaces", "arbor ws --all brings the rest")
	case sh.flags.quiet:
		return sh.print(out.WorkspaceID)
	}
	p := sh.page()
	p.line("session " + id + " is bound to " + out.WorkspaceName + "  " + out.WorkspaceID)
	if out.FocusedNodeID != "" {
		p.line("focus " + out.FocusedNodeID)
	}
	p.rules(out.Rules, "")
	if err := p.print(); err != nil {
		return err
	}
	sh.hint(out.Hint)
	return nil
}
