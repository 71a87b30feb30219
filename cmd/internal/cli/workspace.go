package cli

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/spf13/cobra"

	"arbor/context/render"
	"arbor/engine/ops"
	"arbor/mdstore"
)

// workspaceWord takes a word as the workspace, as if --workspace had named it.
func workspaceWord(sh *shell, word string) error {
	if sh.flags.workspace != "" && sh.flags.workspace != word {
		return usagef("two workspaces are named, %q and %q; one is enough", word, sh.flags.workspace)
	}
	sh.flags.workspace = word
	return nil
}

func initCommand(sh *shell) command {
	in, name, folders, git := &ops.WorkspaceInitIn{}, "", "", false
	c := command{in: in, mode: Create}
	c.flags = func(cmd *cobra.Command) {
		briefingFlags(cmd, in)
		cmd.Flags().StringVar(&name, "name", "", "the `NAME`, in place of the word")
		cmd.Flags().StringVar(&folders, "folders", "", "folders of new nodes are named by `id|title`; arbor.toml has it")
		must(cmd.RegisterFlagCompletionFunc("folders", choices("id", "title")))
		cmd.Flags().BoolVar(&git, "git", false, "also let git merge the vault's files by what they mean: arbor "+
			"admin git install")
	}
	var ctx context.Context
	c.check = func(cmd *cobra.Command) error {
		ctx = cmd.Context()
		if in.Name != "" && name != "" {
			return usagef("two names are given, %q and %q; one is enough", in.Name, name)
		}
		in.Name = cmp.Or(in.Name, name, filepath.Base(sh.dir()))
		if folders != "" && folders != "id" && folders != "title" {
			return unknownChoice("folders", folders, []string{"id", "title"})
		}
		return nil
	}
	c.show = showing(sh, func(sh *shell, out *ops.WorkspaceInitOut) error {
		if sh.vault.Made {
			sh.say("made the vault %s", sh.vault.Found.Vault)
		}
		err := sh.wrote(out, out.Wrote, out.WorkspaceID)
		if err == nil && !out.DryRun {
			err = driverOfInit(ctx, sh, git)
		}
		if err != nil || out.DryRun || sh.flags.vault == "" && folders == "" {
			return err
		}
		file, err := sh.sys.Keep(sh.place(), sh.vault.Found, folders)
		if file != "" {
			sh.say("wrote %s", sh.shown(file))
		}
		return err
	})
	return c
}

// splitDoc splits PATH:DESC at its first colon that is part of neither an address (https://) nor a drive (C:\).
func splitDoc(s string) mdstore.Ref {
	for i := range len(s) {
		if s[i] != ':' || strings.HasPrefix(s[i+1:], "//") || i == 1 && strings.IndexAny(s[i+1:], `\/`) == 0 {
			continue
		}
		return mdstore.Ref{Target: s[:i], Description: strings.TrimSpace(s[i+1:])}
	}
	return mdstore.Ref{Target: s}
}

func showWorkspaces(sh *shell, out *ops.WorkspaceListOut) error {
	var rows [][]cell
	short := shortWorkspaces(sh, out.Workspaces)
	for _, w := range out.Workspaces {
		status := cell{text: w.Status}
		if w.Damaged {
			status = cell{text: "damaged", sgr: "31"}
		}
		rows = append(rows, []cell{{text: short(w.ID), sgr: "2"}, status, {text: w.Name, sgr: "1"}, {text: goalOf(w)}})
	}
	err := sh.listed("workspaces", []string{"ID", "STATUS", "NAME", "GOAL"}, rows, out.Listed)
	if err != nil || out.Cursor != "" {
		return err
	}
	sh.hint(out.Hint)
	return nil
}

// goalOf returns the goal of a workspace in a list, after the mark of this machine's default.
func goalOf(w ops.WorkspaceHead) string {
	if w.Default {
		return strings.TrimSpace("(default)  " + w.Goal)
	}
	return w.Goal
}

func showWorkspace(sh *shell, out *ops.WorkspaceGetOut) error {
	w := out.Workspace
	if sh.flags.quiet {
		return sh.print(render.Visible(w.ID))
	}
	p := sh.page()
	n := namesOf(sh, w.ID)
	p.title(w.Name, n.id(w.ID))
	p.line(w.Goal)
	facts := []string{w.Status, counted(out.Counts.Total, "node"), out.Counts.Outcomes.String()}
	if w.FocusedNodeID != "" {
		facts = append(facts, "focus "+render.Visible(n.titled(w.FocusedNodeID)))
	}
	if n := out.Counts.Findings; n > 0 {
		facts = append(facts, counted(n, "finding"))
	}
	p.facts(facts)
	if len(w.Verify) > 0 {
		p.line("verify " + strings.Join(w.Verify, ", "))
	}
	p.diagnostics(out.Diagnostics)
	p.rules(w.Rules, w.RulesHash)
	p.docs("Docs", w.Docs)
	p.problem(out.Problem)
	p.log(out.Log, out.LogHidden, "arbor log --all shows them")
	p.file(w.Path, w.Version)
	return p.print(out.Hint)
}

func workspaceDeleteCommand(sh *shell) command {
	in := &ops.WorkspaceDeleteIn{}
	return confirmed(sh, in, &in.DryRun, ops.WorkspaceDelete, func(would *ops.WorkspaceDeleteOut) string {
		return fmt.Sprintf("Move the workspace %s with %s to the trash?", in.WorkspaceID, counted(would.DeletedCount, "node"))
	})
}

func showCollected(sh *shell, out *ops.WorkspaceGCOut) error {
	err := sh.wrote(out, out.Wrote, "")
	for _, w := range out.Kept {
		sh.say("kept %s (%s): %s", w.WorkspaceID, w.Name, w.Reason)
	}
	return err
}

func showBound(sh *shell, out *ops.SessionBindOut) error {
	err := sh.wrote(out, out.Wrote, out.SessionID)
	if err == nil && out.SessionID != "" && !sh.flags.json && !sh.flags.quiet && sh.session() == "" {
		err = sh.print(render.Visible(exports(out.SessionID)))
	}
	if err != nil || sh.flags.json || sh.flags.quiet || out.DryRun || len(out.Rules) == 0 {
		return err
	}
	p := sh.page()
	p.rules(out.Rules, out.RulesHash)
	return p.print("")
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
		short := shortWorkspaces(sh, out.AvailableWorkspaces)
		for _, w := range out.AvailableWorkspaces {
			rows = append(rows, []cell{{text: short(w.ID), sgr: "2"}, {text: w.Name}})
		}
		return sh.bounded(sh.table([]string{"ID", "NAME"}, rows), "lines", "arbor ws --all brings the rest")
	case sh.flags.quiet:
		return sh.print(out.WorkspaceID)
	}
	p := sh.page()
	n := namesOf(sh, out.WorkspaceID)
	p.line("session " + id + " is bound to " + n.titled(out.WorkspaceID))
	if out.FocusedNodeID != "" {
		p.line("focus " + n.titled(out.FocusedNodeID))
	}
	p.rules(out.Rules, "")
	return p.print(out.Hint)
}

// workspaceSetCommand sets the fields of a workspace and its briefing.
func workspaceSetCommand(*shell) command {
	in := &ops.WorkspaceUpdateIn{}
	return command{in: in, check: func(*cobra.Command) error {
		if in.Brief != nil && reflect.ValueOf(*in.Brief).IsZero() {
			in.Brief = nil
		}
		return nil
	}}
}
