package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"arbor/context/render"
	"arbor/engine/ops"
	"arbor/mdstore/mdoc"
)

func checkCommand(sh *shell) command {
	in, sarif := &ops.WorkspaceCheckIn{}, false
	c := command{in: in, list: true}
	c.flags = func(cmd *cobra.Command) {
		cmd.Flags().BoolVar(&sarif, "sarif", false, "print a SARIF 2.1.0 document")
	}
	c.check = func(*cobra.Command) error {
		if sarif && (in.Fix || sh.flags.json) {
			return usagef("--sarif is a report of its own: give neither --fix nor --json with it")
		}
		return nil
	}
	c.show = showing(sh, func(sh *shell, out *ops.WorkspaceCheckOut) error {
		var err error
		switch {
		case sh.flags.json:
			err = sh.json(out)
		case sarif:
			err = sh.json(newSARIF(sh, out.Diagnostics))
			sh.say("%s", summary(in, out))
		default:
			err = showCheck(sh, in, out)
		}
		if err == nil && len(out.Diagnostics) > 0 {
			err = errFound
		}
		return err
	})
	return c
}

func showCheck(sh *shell, in *ops.WorkspaceCheckIn, out *ops.WorkspaceCheckOut) error {
	if out.DryRun || !sh.flags.quiet {
		sh.onScreen(sh.diff(out.Diff))
	}
	done := "fixed"
	if out.DryRun {
		done = "would fix"
	}
	for _, d := range out.Fixed {
		sh.say("%s %s (%s)", done, located(sh, d).String(), d.Fix)
	}
	if !sh.flags.quiet {
		var all []string
		for _, d := range out.Diagnostics {
			all = append(all, diagnosticLine(sh, d))
		}
		sh.bounded(all, "diagnostics")
	}
	sh.say("%s", summary(in, out))
	return sh.unprinted
}

// summary says in a line how much was found and what can be done about it.
func summary(in *ops.WorkspaceCheckIn, out *ops.WorkspaceCheckOut) string {
	fixable := 0
	for _, d := range out.Diagnostics {
		if d.Fix != "" {
			fixable++
		}
	}
	s := counted(len(out.Diagnostics), "diagnostic") + " in " + counted(out.Checked, "file")
	switch {
	case in.Fix && len(out.Diagnostics) > 0 && !out.DryRun:
		s += "; these need a repair by hand"
	case fixable > 0 && !in.Fix:
		s += fmt.Sprintf("; arbor check --fix repairs %d of them", fixable)
	}
	return s
}

// located returns a diagnostic with its file as seen from where the command runs. Where a whole line or file is
// meant, the numbers are 1: programs that read such lines want all of them.
func located(sh *shell, d mdoc.Diagnostic) mdoc.Diagnostic {
	d.File = sh.shown(sh.absolute(d.File))
	d.Line, d.Col = max(1, d.Line), max(1, d.Col)
	return d
}

// diagnostic returns a diagnostic as one line, file:line:col: code: text, and what repairs it.
func diagnosticLine(sh *shell, d mdoc.Diagnostic) string {
	repair := "by hand"
	if d.Fix != "" {
		repair = "--fix: " + render.Visible(d.Fix)
	}
	return render.Visible(located(sh, d).String()) + sh.style().Paint("2", " ("+repair+")")
}
