package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"arbor/context/render"
	"arbor/engine/ops"
)

func gitInstallCommand(sh *shell) command {
	in := &ops.GitInstallIn{}
	return driverCommand(sh, in, ops.GitInstall, "Install it?")
}

func gitUninstallCommand(sh *shell) command {
	return driverCommand(sh, &ops.GitInstallIn{}, ops.GitUninstall, "Take it out?")
}

// driverCommand returns a command that shows a diff of its changes. At a terminal it shows the diff and then asks.
func driverCommand(
	sh *shell, in *ops.GitInstallIn,
	op func(context.Context, *ops.Env, ops.GitInstallIn) (*ops.GitInstallOut, error), question string,
) command {
	shown := false
	c := confirmed(sh, in, &in.DryRun, op, func(would *ops.GitInstallOut) string {
		shown = true
		return render.VisibleLines(would.Diff) + question
	})
	c.check = func(*cobra.Command) (err error) {
		in.Program, err = sh.sys.Program()
		return err
	}
	c.show = showing(sh, func(sh *shell, out *ops.GitInstallOut) error {
		if !shown && !out.DryRun && !sh.flags.json && !sh.flags.quiet {
			sh.onScreen(sh.diff(out.Diff))
		}
		return sh.wrote(out, out.Wrote, "")
	})
	return c
}

// driverOfInit installs the merge driver after arbor init --git, and hints at it after any other arbor init.
func driverOfInit(ctx context.Context, sh *shell, install bool) error {
	if !install {
		hint, err := call(ctx, sh, ops.DriverHint, struct{}{})
		if err == nil {
			sh.hint(*hint)
		}
		return err
	}
	program, err := sh.sys.Program()
	if err != nil {
		return err
	}
	out, err := call(ctx, sh, ops.GitInstall, ops.GitInstallIn{Program: program})
	if err == nil {
		sh.say("git merges the vault's files by what they mean; %s", out.Hint)
	}
	return err
}

const sideLines = 6 // lines of each side that arbor conflicts shows

func showConflicts(sh *shell, out *ops.ConflictsOut) error {
	p := sh.page()
	for _, f := range out.Files {
		if sh.flags.quiet {
			p.line(f.Path)
			continue
		}
		if f.Title != "" {
			p.title(f.Title, namesOf(sh, "").id(f.NodeID))
		}
		p.line(sh.shown(f.Path))
		switch {
		case f.CopyOf != "":
			p.line("  a copy of " + sh.shown(f.CopyOf) + copied(f))
		case f.Gone != "":
			p.line("  " + f.Gone + " deleted it, and the other side changed it")
		case f.Settles:
			p.line("  arbor check --fix merges it: the changes do not contradict each other")
		case f.Lines:
			p.line("  its lines are in conflict; -e edits them, --ours and --theirs take a whole file")
		}
		for _, c := range f.Conflicts {
			p.line("  " + c.What)
			p.side("ours", c.Ours)
			p.side("theirs", c.Theirs)
			if f.CopyOf == "" {
				p.side("base", c.Base)
			}
		}
	}
	sh.found = out.Saves
	for _, d := range out.Saves {
		p.line(located(sh, d).String())
	}
	if len(out.Files)+len(out.Saves) == 0 && !sh.flags.quiet {
		sh.say("%s", out.Hint)
		return sh.unprinted
	}
	return p.print(out.Hint)
}

// copied returns how a copy and its file compare.
func copied(f ops.ConflictFile) string {
	switch {
	case f.Lines:
		return "; its lines differ"
	case len(f.Conflicts) == 0:
		return "; --merge joins both: they do not contradict each other"
	}
	return ""
}

// side writes the first lines of the text of one side.
func (p *page) side(name, text string) {
	all := strings.Split(strings.TrimSpace(text), "\n")
	if text == "" {
		all = []string{"(nothing)"}
	}
	for i, line := range all {
		if i == sideLines {
			p.line("            …")
			break
		}
		if i > 0 {
			name = ""
		}
		p.line("    " + name + strings.Repeat(" ", 8-len(name)) + line)
	}
}

// conflictsCommand lists the conflicts, or resolves that of a node.
func conflictsCommand(sh *shell) command {
	in := &ops.ResolveConflictIn{}
	c := command{in: in}
	c.show = showing(sh, func(sh *shell, out *ops.ResolveConflictOut) error {
		if out.Copy == "" || out.Changed || out.DryRun || sh.flags.json {
			return sh.wrote(out, out.Wrote, "")
		}
		sh.onScreen(sh.diff(out.Diff))
		sh.hint(out.Hint)
		return nil
	})
	c.flags = func(cmd *cobra.Command) {
		cmd.Flags().BoolVarP(&in.Edit, "edit", "e", false, "edit the file, with marks around what is in conflict")
	}
	c.instead = func(ctx context.Context) (bool, error) {
		if in.Target == "" && !in.Edit && !in.Ours && !in.Theirs && !in.Merge && in.Field == "" {
			out, err := call(ctx, sh, ops.Conflicts, ops.ConflictsIn{})
			if err == nil && sh.flags.json {
				err = sh.json(out)
			} else if err == nil {
				err = showConflicts(sh, out)
			}
			return true, err
		}
		if in.Target == "" {
			return true, usagef("which node? arbor conflicts lists those in conflict")
		}
		if !in.Edit || in.DryRun {
			return false, nil
		}
		env, err := sh.env(ctx, MustExist)
		if err != nil {
			return false, err
		}
		path, err := ops.MarkConflict(ctx, env, in.Target)
		if err != nil {
			return false, err
		}
		in.Target = path
		return false, openEditor(sh, sh.absolute(path))
	}
	return c
}
