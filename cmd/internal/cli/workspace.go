package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"arbor/context/render"
	"arbor/engine/ops"
)

func newWorkspaces(sh *shell) *cobra.Command {
	cmd := &cobra.Command{
		Use: "ws", Short: "List, read, change, archive and delete workspaces",
		Long: "Without a verb it lists the active workspaces.", Aliases: []string{"workspace", "workspaces"},
		Example: "arbor ws\narbor ws archive Login",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, words []string) error {
			if len(words) > 0 {
				return unknownCommand(cmd, words[0])
			}
			return runWorkspaceList(cmd.Context(), &workspaceListOptions{shell: sh})
		},
	}
	sh.lists(cmd)
	cmd.AddCommand(newWorkspaceList(sh, nil), newWorkspaceGet(sh, nil), newStatus(sh, nil), newWorkspaceUpdate(sh, nil), newRules(sh), newDocs(sh),
		newWorkspaceMove(sh, archiveVerb, nil), newWorkspaceMove(sh, restoreVerb, nil), newWorkspaceDelete(sh, nil))
	return cmd
}

// workspaceWord lets a workspace be named by the only word as well as by --workspace.
func (sh *shell) workspaceWord(words []string) error {
	if len(words) == 0 {
		return nil
	}
	if sh.flags.workspace != "" && sh.flags.workspace != words[0] {
		return usagef("two workspaces are named, %q and %q; one is enough", words[0], sh.flags.workspace)
	}
	sh.flags.workspace = words[0]
	return nil
}

type workspaceListOptions struct {
	*shell
	in ops.WorkspaceListIn
}

func newWorkspaceList(sh *shell, run func(context.Context, *workspaceListOptions) error) *cobra.Command {
	if run == nil {
		run = runWorkspaceList
	}
	opt := &workspaceListOptions{shell: sh}
	cmd := &cobra.Command{
		Use: "list", Short: "List the workspaces of the vault", Aliases: []string{"ls"},
		Long:              "One line each, oldest first: id, status, name, goal. A file that cannot be read is\nmarked as damaged; arbor check tells why.",
		Example:           "arbor ws list --status all\narbor ws list -q",
		Args:              args(0, 0, ""),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, _ []string) error { return run(cmd.Context(), opt) },
	}
	cmd.Flags().StringVar(&opt.in.Status, "status", "", "`active|archived|all`; active unless said otherwise")
	must(cmd.RegisterFlagCompletionFunc("status", choices("active", "archived", "all")))
	sh.lists(cmd)
	return cmd
}

func runWorkspaceList(ctx context.Context, opt *workspaceListOptions) error {
	out, err := call(ctx, opt.shell, ops.WorkspaceList, opt.in)
	if err != nil {
		return err
	}
	if opt.flags.json {
		return opt.json(out)
	}
	var rows [][]cell
	var ids []string
	for _, w := range out.Workspaces {
		status, sgr := w.Status, ""
		if w.Damaged {
			status, sgr = "damaged", "31"
		}
		rows = append(rows, []cell{{text: w.ID, sgr: "2"}, {text: status, sgr: sgr}, {text: w.Name, sgr: "1"}, {text: w.Goal}})
		ids = append(ids, render.Visible(w.ID))
	}
	if len(rows) == 0 {
		opt.say("no workspaces")
	}
	if opt.flags.quiet {
		return opt.bounded(ids, "workspaces", "--all brings the rest")
	}
	if err := opt.bounded(lines(opt.table([]string{"ID", "STATUS", "NAME", "GOAL"}, rows)), "lines", "--all brings the rest"); err != nil {
		return err
	}
	opt.hint(out.Hint)
	return nil
}

// lines returns the lines of a drawing.
func lines(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(s, "\n"), "\n")
}

type workspaceGetOptions struct{ *shell }

func newWorkspaceGet(sh *shell, run func(context.Context, *workspaceGetOptions) error) *cobra.Command {
	if run == nil {
		run = runWorkspaceGet
	}
	opt := &workspaceGetOptions{shell: sh}
	cmd := &cobra.Command{
		Use: "get [WS]", Short: "Show a workspace: goal, rules, documents, problem, log", Aliases: []string{"show"},
		Long:              "The version in the last line goes with --if-match.",
		Example:           "arbor ws get Login",
		Args:              args(0, 1, "one workspace"),
		ValidArgsFunction: sh.completeWorkspaces,
		RunE: func(cmd *cobra.Command, words []string) error {
			if err := sh.workspaceWord(words); err != nil {
				return err
			}
			return run(cmd.Context(), opt)
		},
	}
	return cmd
}

func runWorkspaceGet(ctx context.Context, opt *workspaceGetOptions) error {
	out, err := call(ctx, opt.shell, ops.WorkspaceGet, ops.WorkspaceGetIn{In: opt.in()})
	if err != nil {
		return err
	}
	w := out.Workspace
	switch {
	case opt.flags.json:
		return opt.json(out)
	case opt.flags.quiet:
		return opt.print(render.Visible(w.ID))
	}
	p := opt.page()
	p.title(w.Name, w.ID)
	p.line(w.Goal)
	facts := []string{w.Status, counted(out.Counts.Total, "node"), fmt.Sprintf("%d of %d done", out.Counts.Done, out.Counts.Work)}
	if w.FocusedNodeID != "" {
		facts = append(facts, "focus "+w.FocusedNodeID)
	}
	if n := out.Counts.Damaged; n > 0 {
		facts = append(facts, counted(n, "damaged file"))
	}
	p.facts(facts)
	p.diagnostics(out.Diagnostics)
	p.rules(w.Rules, w.RulesHash)
	p.docs("Docs", w.Docs)
	p.problem(out.Problem)
	p.log(out.Log, out.LogHidden, "arbor log --all brings them")
	p.file(w.Path, w.Version)
	if err := p.print(); err != nil {
		return err
	}
	opt.hint(out.Hint)
	return nil
}

type workspaceUpdateOptions struct {
	*shell
	in         ops.WorkspaceUpdateIn
	name, goal string
}

func newWorkspaceUpdate(sh *shell, run func(context.Context, *workspaceUpdateOptions) error) *cobra.Command {
	if run == nil {
		run = runWorkspaceUpdate
	}
	opt := &workspaceUpdateOptions{shell: sh}
	cmd := &cobra.Command{
		Use: "update [WS]", Short: "Rename a workspace or give it another goal", Aliases: []string{"edit", "rename"},
		Long:              "What is not given stays. The folder keeps its name: the id is in the file.",
		Example:           `arbor ws update Login --name "Sign-in" --goal "Users sign in with a passkey"`,
		Args:              args(0, 1, "one workspace"),
		ValidArgsFunction: sh.completeWorkspaces,
		RunE: func(cmd *cobra.Command, words []string) error {
			if err := sh.workspaceWord(words); err != nil {
				return err
			}
			opt.in.Name, opt.in.Goal = ifChanged(cmd, "name", opt.name), ifChanged(cmd, "goal", opt.goal)
			return run(cmd.Context(), opt)
		},
	}
	cmd.Flags().StringVar(&opt.name, "name", "", "the new `NAME`")
	cmd.Flags().StringVarP(&opt.goal, "goal", "g", "", "the new `GOAL`")
	must(cmd.RegisterFlagCompletionFunc("name", cobra.NoFileCompletions))
	must(cmd.RegisterFlagCompletionFunc("goal", cobra.NoFileCompletions))
	sh.matches(cmd)
	return cmd
}

// ifChanged returns a flag's value, nil where the flag was not given.
func ifChanged(cmd *cobra.Command, flag, value string) *string {
	if !cmd.Flags().Changed(flag) {
		return nil
	}
	return &value
}

func runWorkspaceUpdate(ctx context.Context, opt *workspaceUpdateOptions) error {
	if opt.in.Name == nil && opt.in.Goal == nil {
		return usagef("arbor ws update needs --name, --goal or both")
	}
	opt.in.In, opt.in.Write, opt.in.Match = opt.shell.in(), opt.write(), opt.match()
	out, err := call(ctx, opt.shell, ops.WorkspaceUpdate, opt.in)
	if err != nil {
		return err
	}
	return opt.wrote(out, *out, "")
}
