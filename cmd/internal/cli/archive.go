package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"arbor/engine/ops"
)

// A moveVerb moves a workspace into the archive or out of it.
type moveVerb struct {
	name, short, long string
	call              func(context.Context, *shell) (*ops.WorkspaceMoveOut, error)
}

var (
	archiveVerb = moveVerb{"archive", "Move a workspace into the archive",
		"It can be read there, and nothing in it can be changed until it is restored.",
		func(ctx context.Context, sh *shell) (*ops.WorkspaceMoveOut, error) {
			return call(ctx, sh, ops.WorkspaceArchive, ops.WorkspaceMoveIn{In: sh.in(), Match: sh.match(), Write: sh.write()})
		}}
	restoreVerb = moveVerb{"restore", "Take a workspace out of the archive",
		"Its folder moves back, and it is active again.",
		func(ctx context.Context, sh *shell) (*ops.WorkspaceMoveOut, error) {
			return call(ctx, sh, ops.WorkspaceRestore, ops.WorkspaceMoveIn{In: sh.in(), Match: sh.match(), Write: sh.write()})
		}}
)

type workspaceMoveOptions struct {
	*shell
	verb moveVerb
}

func newWorkspaceMove(sh *shell, verb moveVerb, run func(context.Context, *workspaceMoveOptions) error) *cobra.Command {
	if run == nil {
		run = runWorkspaceMove
	}
	opt := &workspaceMoveOptions{sh, verb}
	cmd := &cobra.Command{
		Use: verb.name + " [WS]", Short: verb.short, Long: verb.long,
		Example:           "arbor ws " + verb.name + " Login",
		Args:              args(0, 1, "one workspace"),
		ValidArgsFunction: sh.completeWorkspaces,
		RunE: func(cmd *cobra.Command, words []string) error {
			if err := sh.workspaceWord(words); err != nil {
				return err
			}
			return run(cmd.Context(), opt)
		},
	}
	sh.matches(cmd)
	return cmd
}

func runWorkspaceMove(ctx context.Context, opt *workspaceMoveOptions) error {
	out, err := opt.verb.call(ctx, opt.shell)
	if err != nil {
		return err
	}
	return opt.wrote(out, out.Wrote, "")
}

type workspaceDeleteOptions struct {
	*shell
	in  ops.WorkspaceDeleteIn
	yes bool
}

const confirmLong = `At a terminal it asks first, unless there is --yes; elsewhere nobody is asked.
What is deleted lies in the vault's trash (.local/trash) until you empty it.`

func newWorkspaceDelete(sh *shell, run func(context.Context, *workspaceDeleteOptions) error) *cobra.Command {
	if run == nil {
		run = runWorkspaceDelete
	}
	opt := &workspaceDeleteOptions{shell: sh}
	cmd := &cobra.Command{
		Use: "delete WS", Short: "Move a workspace to the trash", Aliases: []string{"rm", "remove"},
		Long:              confirmLong,
		Example:           "arbor ws delete Login --dry-run\narbor ws delete Login --force --yes",
		Args:              args(0, 1, "one workspace"),
		ValidArgsFunction: sh.completeWorkspaces,
		RunE: func(cmd *cobra.Command, words []string) error {
			if err := sh.workspaceWord(words); err != nil {
				return err
			}
			opt.in.WorkspaceID = sh.flags.workspace
			return run(cmd.Context(), opt)
		},
	}
	cmd.Flags().BoolVar(&opt.in.Force, "force", false, "also an active one with open nodes")
	cmd.Flags().BoolVarP(&opt.yes, "yes", "y", false, "do not ask")
	sh.matches(cmd)
	return cmd
}

func runWorkspaceDelete(ctx context.Context, opt *workspaceDeleteOptions) error {
	if opt.in.WorkspaceID == "" {
		return usagef("arbor ws delete needs the workspace by name: it never guesses which one to delete")
	}
	opt.in.Write, opt.in.Match = opt.write(), opt.match()
	if !opt.yes && !opt.in.DryRun && opt.term.in {
		plan := opt.in
		plan.DryRun = true
		would, err := call(ctx, opt.shell, ops.WorkspaceDelete, plan)
		if err != nil {
			return err
		}
		if err := opt.confirm(ctx, fmt.Sprintf("Move the workspace %s with %s to the trash?", opt.in.WorkspaceID, counted(would.DeletedCount, "node"))); err != nil {
			return err
		}
	}
	out, err := call(ctx, opt.shell, ops.WorkspaceDelete, opt.in)
	if err != nil {
		return err
	}
	return opt.wrote(out, out.Wrote, "")
}
