package cli

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"arbor/context/render"
	"arbor/engine/ops"
	"arbor/mdstore/mdoc"
)

type checkOptions struct {
	*shell
	in ops.WorkspaceCheckIn
}

func newCheck(sh *shell, run func(context.Context, *checkOptions) error) *cobra.Command {
	if run == nil {
		run = runCheck
	}
	opt := &checkOptions{shell: sh}
	cmd := &cobra.Command{
		Use: "check [WS]", Short: "List everything that is wrong in the vault, with file and line", Aliases: []string{"lint", "doctor"},
		Long: `One line each: file:line:col: code: text, as editors and CI read it. The exit code
is 6 when there are any. --fix mends what can be mended without losing text, and
says so; --fix --dry-run shows what it would do.`,
		Example:           "arbor check\narbor check --fix --dry-run\narbor check || exit 1",
		Args:              args(0, 1, "one workspace"),
		ValidArgsFunction: sh.completeWorkspaces,
		RunE: func(cmd *cobra.Command, words []string) error {
			if err := sh.workspaceWord(words); err != nil {
				return err
			}
			return run(cmd.Context(), opt)
		},
	}
	cmd.Flags().BoolVar(&opt.in.Fix, "fix", false, "mend what can be mended without losing text")
	sh.writes(cmd)
	sh.lists(cmd)
	return cmd
}

func runCheck(ctx context.Context, opt *checkOptions) error {
	opt.in.WorkspaceID, opt.in.Write = opt.flags.workspace, opt.write()
	out, err := call(ctx, opt.shell, ops.WorkspaceCheck, opt.in)
	if err != nil {
		return err
	}
	if err := opt.report(out); err != nil {
		return err
	}
	if len(out.Diagnostics) > 0 {
		return errFound
	}
	return nil
}

func (opt *checkOptions) report(out *ops.WorkspaceCheckOut) error {
	if opt.flags.json {
		return opt.json(out)
	}
	if out.DryRun {
		if err := opt.print(opt.diff(out.Diff)); err != nil {
			return err
		}
	}
	var all []string
	for _, d := range out.Diagnostics {
		all = append(all, opt.diagnostic(d))
	}
	if !opt.flags.quiet {
		if err := opt.bounded(all, "diagnostics", "--all brings the rest"); err != nil {
			return err
		}
	}
	done := "fixed"
	if out.DryRun {
		done = "would fix"
	}
	for _, d := range out.Fixed {
		opt.say("%s %s", done, d.String())
	}
	fixable := 0
	for _, d := range out.Diagnostics {
		if d.Fix != "" {
			fixable++
		}
	}
	summary := counted(len(out.Diagnostics), "diagnostic") + " in " + counted(out.Checked, "file")
	if fixable > 0 && !opt.in.Fix {
		summary += fmt.Sprintf("; arbor check --fix mends %d of them", fixable)
	}
	opt.say("%s", summary)
	return nil
}

// diagnostic returns a diagnostic as one line, file:line:col: code: text, its file as seen from where the command runs. Where a whole
// line or file is meant, the numbers are 1: programs that read such lines want all of them.
func (opt *checkOptions) diagnostic(d mdoc.Diagnostic) string {
	if opt.vault != nil && opt.vault.Found.Vault != "" {
		d.File = opt.shown(filepath.Join(opt.vault.Found.Vault, filepath.FromSlash(d.File)))
	}
	d.Line, d.Col = max(1, d.Line), max(1, d.Col)
	line := render.Visible(d.String())
	if d.Fix != "" {
		line += opt.style().Paint("2", " (--fix: "+render.Visible(d.Fix)+")")
	}
	return line
}
