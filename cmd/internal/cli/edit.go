package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"arbor/engine/check"
	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/guard"
	"arbor/mdstore/mdoc"
)

func newEdit(sh *shell) *cobra.Command {
	in := &ops.NodeGetIn{}
	return sh.command(command{op: "node_get", in: in, without: allParams, help: ops.Help{
		Use: "edit NODE", Summary: "open the file of a node in your editor, and check what was saved",
		Text: `The editor is VISUAL or EDITOR. Afterwards the command lists the fields and
sections that changed, and any problems that check finds in this node. The exit
code is 6 if the node can no longer be used.`,
		Example: `arbor edit "Sign-in endpoint"`,
	}, instead: func(ctx context.Context) (bool, error) { return true, runEdit(ctx, sh, in.NodeID) }})
}

func newWorkspaceEdit(sh *shell) *cobra.Command {
	return sh.command(command{op: "workspace_get", without: allParams, help: ops.Help{
		Use: "edit [WS]", Summary: "open the file of a workspace in your editor, and check what was saved",
		Text:    "Goal, rules, documents and the briefing are in this file: Workspace.md.",
		Example: "arbor ws edit Login",
	}, instead: func(ctx context.Context) (bool, error) { return true, runEdit(ctx, sh, "") }})
}

// An edited is what changed in a file while it was open in an editor.
type edited struct {
	NodeID      string            `json:"nodeId,omitempty"`
	WorkspaceID string            `json:"workspaceId"`
	Title       string            `json:"title"`
	Path        string            `json:"path"`
	Changed     bool              `json:"changed" usual:"true"`
	Fields      []string          `json:"fields,omitempty"`
	Sections    []string          `json:"sections,omitempty"`
	Diagnostics []mdoc.Diagnostic `json:"diagnostics,omitempty"`
}

// runEdit edits the file of a node, or that of the workspace if node is "".
func runEdit(ctx context.Context, sh *shell, node string) error {
	env, err := sh.env(ctx, MustExist)
	if err != nil {
		return err
	}
	was, err := env.WithPages(ctx, sh.flags.workspace)
	if err != nil {
		return err
	}
	ws, file := was.Workspace().ID, was.Workspace().Path
	out := edited{WorkspaceID: string(ws), Title: was.Workspace().Name}
	if node != "" {
		_, id, err := env.At(ctx, string(ws), node)
		if err != nil {
			return err
		}
		n, err := was.Known(id)
		if err != nil {
			return err
		}
		out.NodeID, out.Title, file = string(n.ID), n.Title, n.Path
	}
	if out.Path = sh.absolute(string(file)); env.Engine.Vault() == "" {
		out.Path, err = string(file), editCopy(ctx, sh, env, file)
	} else {
		err = openEditor(sh, out.Path)
	}
	if err != nil {
		return err
	}
	env.Engine.Refresh()
	found, err := ops.WorkspaceCheck(ctx, env, ops.WorkspaceCheckIn{WorkspaceID: string(ws)})
	if err != nil {
		return err
	}
	is, err := env.WithPages(ctx, string(ws))
	if err != nil {
		return err
	}
	for _, d := range view.Diff(was.State(false), is.State(false)) {
		if d.Path == file || d.From == file {
			out.Changed, out.Fields, out.Sections = true, d.Fields, d.Sections
		}
	}
	if now, ok := is.File(file); ok {
		out.NodeID, out.Title = string(now.ID), now.Title
	}
	for _, d := range found.Diagnostics {
		if mdstore.Path(d.File) == file {
			out.Diagnostics = append(out.Diagnostics, d)
		}
	}
	return showEdited(sh, out)
}

// editCopy lets a person edit a copy of a file of a vault on a server, and writes it back. The copy stays if that
// fails.
func editCopy(ctx context.Context, sh *shell, env *ops.Env, p mdstore.Path) error {
	was, err := env.Engine.RawFile(ctx, p)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp("", "arbor-text-*.md")
	if err != nil {
		return err
	}
	_, err = f.Write(was)
	if err = errors.Join(err, f.Close()); err == nil {
		err = openEditor(sh, f.Name())
	}
	text, unread := guard.ReadFile(filepath.Dir(f.Name()), filepath.Base(f.Name()), 16<<20)
	if err = cmp.Or(err, unread); err == nil {
		err = ops.SaveEdited(ctx, env, p, was, text)
	}
	if err != nil && !bytes.Equal(text, was) {
		e := *errs.As(err)
		e.Message += "; your text is in " + f.Name()
		return &e
	}
	return errors.Join(err, os.Remove(f.Name()))
}

// openEditor lets a person edit a file.
func openEditor(sh *shell, path string) error {
	if !sh.term.in && sh.getenv("VISUAL") == "" && sh.getenv("EDITOR") == "" {
		return usagef("there is no terminal, and neither VISUAL nor EDITOR names an editor; the file is %s", path)
	}
	return runEditor(sh, path)
}

func showEdited(sh *shell, out edited) error {
	if sh.flags.json {
		_ = sh.json(out)
	} else if !sh.flags.quiet {
		p := sh.page()
		p.title(out.Title, namesOf(sh, out.WorkspaceID).id(cmp.Or(out.NodeID, out.WorkspaceID)))
		switch changed := slices.Concat(out.Fields, out.Sections); {
		case !out.Changed:
			p.line("  nothing was changed")
		case len(changed) == 0:
			p.line("  changed")
		default:
			p.line("  changed: " + strings.Join(changed, ", "))
		}
		for _, d := range out.Diagnostics {
			p.write(diagnosticLine(sh, d))
		}
		_ = p.print("")
	}
	codes := check.CheckCodes()
	closed := slices.ContainsFunc(out.Diagnostics, func(d mdoc.Diagnostic) bool {
		i := slices.IndexFunc(codes, func(c check.CheckCode) bool { return c.Code == d.Code })
		return i < 0 || codes[i].Severity == check.SeverityError
	})
	if closed && sh.unprinted == nil {
		return errFound
	}
	return sh.unprinted
}
