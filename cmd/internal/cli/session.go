package cli

import (
	"context"

	"github.com/spf13/cobra"

	"arbor/engine/ops"
)

func newSession(sh *shell) *cobra.Command {
	cmd := &cobra.Command{
		Use: "session", Short: "Bind a session to a workspace, so that calls need not name it",
		Long: `A session is a name of your choice, given by --session or ARBOR_SESSION; each
shell or assistant has its own. Without a verb it tells what the session is bound
to.`,
		Example: "export ARBOR_SESSION=alice\narbor session bind Login\narbor session",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, words []string) error {
			if len(words) > 0 {
				return unknownCommand(cmd, words[0])
			}
			return runSessionStatus(cmd.Context(), &sessionOptions{shell: sh})
		},
	}
	cmd.AddCommand(newSessionBind(sh, nil), newSessionUnbind(sh, nil), newSessionStatus(sh, nil))
	return cmd
}

type sessionOptions struct{ *shell }

// named returns the session, or says how to name one.
func (sh *shell) namedSession() (string, error) {
	if s := sh.session(); s != "" {
		return s, nil
	}
	return "", usagef("no session is named; --session NAME or ARBOR_SESSION names one")
}

type sessionBindOptions struct {
	*shell
	in ops.SessionBindIn
}

func newSessionBind(sh *shell, run func(context.Context, *sessionBindOptions) error) *cobra.Command {
	if run == nil {
		run = runSessionBind
	}
	opt := &sessionBindOptions{shell: sh}
	cmd := &cobra.Command{
		Use: "bind WS", Short: "Make a workspace the default of the session",
		Long:              "A session has one workspace; binding it again moves it.",
		Example:           "arbor session bind Login --session alice",
		Args:              args(0, 1, "one workspace"),
		ValidArgsFunction: sh.completeWorkspaces,
		RunE: func(cmd *cobra.Command, words []string) error {
			if err := sh.workspaceWord(words); err != nil {
				return err
			}
			if opt.in.WorkspaceID = sh.flags.workspace; opt.in.WorkspaceID == "" {
				return usagef("arbor session bind needs a workspace")
			}
			var err error
			if opt.in.SessionID, err = sh.namedSession(); err != nil {
				return err
			}
			return run(cmd.Context(), opt)
		},
	}
	cmd.Flags().StringVar(&opt.in.NodeID, "node", "", "the session's focus: a `NODE`")
	must(cmd.RegisterFlagCompletionFunc("node", sh.completeNodes(nil, -1)))
	sh.writes(cmd)
	return cmd
}

func runSessionBind(ctx context.Context, opt *sessionBindOptions) error {
	opt.in.Write = opt.write()
	out, err := call(ctx, opt.shell, ops.SessionBind, opt.in)
	if err != nil {
		return err
	}
	if err := opt.wrote(out, out.Wrote, ""); err != nil || opt.flags.json || opt.flags.quiet || out.DryRun || len(out.Rules) == 0 {
		return err
	}
	p := opt.page()
	p.rules(out.Rules, out.RulesHash)
	return p.print()
}

func newSessionUnbind(sh *shell, run func(context.Context, *sessionOptions) error) *cobra.Command {
	if run == nil {
		run = runSessionUnbind
	}
	opt := &sessionOptions{shell: sh}
	cmd := &cobra.Command{
		Use: "unbind", Short: "Forget what the session is bound to, and what it has seen", Example: "arbor session unbind --session alice",
		Long:              "The workspace itself does not change. What the session has claimed is given back.",
		Args:              args(0, 0, ""),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, _ []string) error { return run(cmd.Context(), opt) },
	}
	sh.writes(cmd)
	return cmd
}

func runSessionUnbind(ctx context.Context, opt *sessionOptions) error {
	id, err := opt.namedSession()
	if err != nil {
		return err
	}
	out, err := call(ctx, opt.shell, ops.SessionUnbind, ops.SessionUnbindIn{SessionIn: ops.SessionIn{SessionID: id}, Write: opt.write()})
	if err != nil {
		return err
	}
	return opt.wrote(out, out.Wrote, "")
}

func newSessionStatus(sh *shell, run func(context.Context, *sessionOptions) error) *cobra.Command {
	if run == nil {
		run = runSessionStatus
	}
	opt := &sessionOptions{shell: sh}
	return &cobra.Command{
		Use: "status", Short: "Tell what the session is bound to", Example: "arbor session status --session alice",
		Long:              "When it is bound to nothing, the workspaces that it could be bound to are listed.",
		Args:              args(0, 0, ""),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, _ []string) error { return run(cmd.Context(), opt) },
	}
}

func runSessionStatus(ctx context.Context, opt *sessionOptions) error {
	id, err := opt.namedSession()
	if err != nil {
		return err
	}
	out, err := call(ctx, opt.shell, ops.SessionStatus, ops.SessionIn{SessionID: id})
	if err != nil {
		return err
	}
	if opt.flags.json {
		return opt.json(out)
	}
	if !out.Bound && opt.flags.quiet {
		return nil
	}
	if !out.Bound {
		bound := "is bound to nothing"
		if out.LostWorkspaceID != "" {
			bound = "is bound to " + out.LostWorkspaceID + ", which is gone"
		}
		opt.say("session %s %s; arbor session bind WS binds it to one of:", id, bound)
		var rows [][]cell
		for _, w := range out.AvailableWorkspaces {
			rows = append(rows, []cell{{text: w.ID, sgr: "2"}, {text: w.Name}})
		}
		return opt.bounded(lines(opt.table([]string{"ID", "NAME"}, rows)), "workspaces", "arbor ws --all brings the rest")
	}
	if opt.flags.quiet {
		return opt.print(out.WorkspaceID)
	}
	p := opt.page()
	p.line("session " + id + " is bound to " + out.WorkspaceName + "  " + out.WorkspaceID)
	if out.FocusedNodeID != "" {
		p.line("focus " + out.FocusedNodeID)
	}
	if len(out.Rules) > 0 {
		p.heading("Rules")
		p.items(out.Rules)
	}
	if err := p.print(); err != nil {
		return err
	}
	opt.hint(out.Hint)
	return nil
}
