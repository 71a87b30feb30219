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
	in    ops.WorkspaceCheckIn
	sarif bool
}

func newCheck(sh *shell, run func(context.Context, *checkOptions) error) *cobra.Command {
	if run == nil {
		run = runCheck
	}
	opt := &checkOptions{shell: sh}
	cmd := &cobra.Command{
		Use: "check [WS]", Short: "List everything that is wrong in the vault, with file and line", Aliases: []string{"lint", "doctor"},
		Long: `One line each: file:line:col: code: text, as editors and CI read it, and what --fix
does about it, or that it is to be mended by hand. The exit code is 6 when there are
any. --fix mends what can be mended without losing text: it prints the diff and what
it mended, and then what remains; --fix --dry-run writes nothing. Paths in the diff
are those below the vault, in lines those from where the command runs. With WS only
that workspace is looked at, and not what concerns the vault as a whole:
sessions.json, workspaces that share an id, files between the workspaces. --sarif
prints a SARIF 2.1.0 document, for code review in pull requests.`,
		Example:           "arbor check\narbor check --fix --dry-run\narbor check || exit 1\narbor check --sarif > arbor.sarif",
		Args:              args(0, 1, "one workspace"),
		ValidArgsFunction: sh.completeWorkspaces,
		RunE: func(cmd *cobra.Command, words []string) error {
			if err := sh.workspaceWord(words); err != nil {
				return err
			}
			if opt.sarif && (opt.in.Fix || sh.flags.json) {
				return usagef("--sarif is a report of its own: give neither --fix nor --json with it")
			}
			return run(cmd.Context(), opt)
		},
	}
	cmd.Flags().BoolVar(&opt.in.Fix, "fix", false, "mend what can be mended without losing text")
	cmd.Flags().BoolVar(&opt.sarif, "sarif", false, "print a SARIF 2.1.0 document")
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
	if opt.sarif {
		err = opt.json(opt.newSARIF(out.Diagnostics))
		opt.say("%s", opt.summary(out))
	} else {
		err = opt.report(out)
	}
	if err == nil && len(out.Diagnostics) > 0 {
		err = errFound
	}
	return err
}

func (opt *checkOptions) report(out *ops.WorkspaceCheckOut) error {
	if opt.flags.json {
		return opt.json(out)
	}
	if out.DryRun || !opt.flags.quiet {
		if err := opt.onScreen(opt.diff(out.Diff)); err != nil {
			return err
		}
	}
	done := "fixed"
	if out.DryRun {
		done = "would fix"
	}
	for _, d := range out.Fixed {
		opt.say("%s %s (%s)", done, opt.located(d).String(), d.Fix)
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
	opt.say("%s", opt.summary(out))
	return nil
}

// summary says in a line how much was found and what can be done about it.
func (opt *checkOptions) summary(out *ops.WorkspaceCheckOut) string {
	fixable := 0
	for _, d := range out.Diagnostics {
		if d.Fix != "" {
			fixable++
		}
	}
	s := counted(len(out.Diagnostics), "diagnostic") + " in " + counted(out.Checked, "file")
	switch {
	case opt.in.Fix && len(out.Diagnostics) > 0 && !out.DryRun:
		s += "; these are to be mended by hand"
	case fixable > 0 && !opt.in.Fix:
		s += fmt.Sprintf("; arbor check --fix mends %d of them", fixable)
	}
	return s
}

// located returns a diagnostic with its file as seen from where the command runs. Where a whole line or file is meant, the numbers are 1: programs that read
// such lines want all of them.
func (sh *shell) located(d mdoc.Diagnostic) mdoc.Diagnostic {
	if sh.vault != nil && sh.vault.Found.Vault != "" {
		d.File = sh.shown(filepath.Join(sh.vault.Found.Vault, filepath.FromSlash(d.File)))
	}
	d.Line, d.Col = max(1, d.Line), max(1, d.Col)
	return d
}

// diagnostic returns a diagnostic as one line, file:line:col: code: text, and who mends it.
func (sh *shell) diagnostic(d mdoc.Diagnostic) string {
	who := "by hand"
	if d.Fix != "" {
		who = "--fix: " + render.Visible(d.Fix)
	}
	return render.Visible(sh.located(d).String()) + sh.style().Paint("2", " ("+who+")")
}
