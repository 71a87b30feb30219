package cli

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"arbor/engine/check"
	"arbor/engine/ops"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

func newEdit(sh *shell) *cobra.Command {
	in := &ops.NodeGetIn{}
	return sh.command(command{op: "node_get", in: in, without: allParams, help: ops.Help{
		Use: "edit NODE", Summary: "open the file of a node in your editor, and check what was saved",
		Text: `The editor is VISUAL or EDITOR. When it ends, the fields and sections that
changed are listed, and what check finds in this node. The exit code is 6 where
that keeps the node from being worked with.`,
		Example: `arbor edit "Sign-in endpoint"`,
	}, instead: func(ctx context.Context) (bool, error) { return true, runEdit(ctx, sh, in.NodeID) }})
}

// An edited is what a person did to the file of a node.
type edited struct {
	NodeID      string            `json:"nodeId"`
	Title       string            `json:"title"`
	Path        string            `json:"path"`
	Changed     bool              `json:"changed"`
	Fields      []string          `json:"fields,omitempty"`
	Sections    []string          `json:"sections,omitempty"`
	Diagnostics []mdoc.Diagnostic `json:"diagnostics,omitempty"`
}

func runEdit(ctx context.Context, sh *shell, node string) error {
	env, err := sh.env(ctx, MustExist)
	if err != nil {
		return err
	}
	was, id, err := env.At(ctx, sh.flags.workspace, node)
	if err != nil {
		return err
	}
	n, err := was.Known(id)
	if err != nil {
		return err
	}
	out := edited{NodeID: string(n.ID), Title: n.Title, Path: sh.absolute(string(n.Path))}
	if err := startEditor(sh, out.Path); err != nil {
		return err
	}
	env.Engine.Refresh()
	ws := was.Workspace().ID
	found, err := ops.WorkspaceCheck(ctx, env, ops.WorkspaceCheckIn{WorkspaceID: string(ws)})
	if err != nil {
		return err
	}
	is, err := env.In(ctx, string(ws))
	if err != nil {
		return err
	}
	for _, d := range view.Diff(was.State(false), is.State(false)) {
		if d.Path == n.Path || d.From == n.Path {
			out.Changed, out.Fields, out.Sections = true, d.Fields, d.Sections
		}
	}
	if now, ok := is.File(n.Path); ok {
		out.NodeID, out.Title = string(now.ID), now.Title
	}
	for _, d := range found.Diagnostics {
		if mdstore.Path(d.File) == n.Path {
			out.Diagnostics = append(out.Diagnostics, d)
		}
	}
	return showEdited(sh, out)
}

func showEdited(sh *shell, out edited) error {
	if sh.flags.json {
		_ = sh.json(out)
	} else if !sh.flags.quiet {
		p := sh.page()
		p.title(out.Title, out.NodeID)
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

// startEditor opens a file in the editor of the environment, or in the usual one of a terminal.
func startEditor(sh *shell, file string) error {
	if !sh.term.in && sh.getenv("VISUAL") == "" && sh.getenv("EDITOR") == "" {
		return usagef("there is no terminal, and neither VISUAL nor EDITOR names an editor; the file is %s", file)
	}
	return runEditor(sh, file)
}

func newOpen(sh *shell) *cobra.Command {
	in := &ops.NodeGetIn{}
	return sh.command(command{op: "node_get", in: in, without: allParams, help: ops.Help{
		Use: "open [NODE]", Summary: "show the file of a node in Obsidian or your editor",
		Text: `Without NODE it is the file of the workspace. Where the vault lies in a vault of
Obsidian (a folder .obsidian), Obsidian shows it; else VISUAL or EDITOR does, or
VS Code in a terminal of its own.`,
		Example: "arbor open .\narbor open",
	}, instead: func(ctx context.Context) (bool, error) { return true, runOpen(ctx, sh, in.NodeID) }})
}

func runOpen(ctx context.Context, sh *shell, node string) error {
	env, err := sh.env(ctx, MustExist)
	if err != nil {
		return err
	}
	s, err := env.In(ctx, sh.flags.workspace)
	if err != nil {
		return err
	}
	file := s.Workspace().Path
	if node != "" {
		at, id, err := env.At(ctx, string(s.Workspace().ID), node)
		if err != nil {
			return err
		}
		n, err := at.Known(id)
		if err != nil {
			return err
		}
		file = n.Path
	}
	name := sh.absolute(string(file))
	with, shows := shower(sh, name)
	if with == nil {
		return startEditor(sh, name)
	}
	if said, err := with.CombinedOutput(); err != nil {
		return fmt.Errorf("%s cannot be started (%w): %s", shows, err, strings.TrimSpace(string(said)))
	}
	sh.say("%s is shown in %s", sh.shown(name), shows)
	return nil
}

// shower returns the command that shows a file in another program, which it does not wait for, and the name of that; nil
// where the editor is to open it.
func shower(sh *shell, file string) (with *exec.Cmd, shows string) {
	if opener := opener(sh); opener != nil && inObsidian(file) {
		to := "obsidian://open?path=" + strings.ReplaceAll(url.QueryEscape(file), "+", "%20")
		return exec.Command(opener[0], append(opener[1:], to)...), "Obsidian"
	}
	code, err := exec.LookPath("code")
	if err == nil && sh.getenv("TERM_PROGRAM") == "vscode" && sh.getenv("VISUAL")+sh.getenv("EDITOR") == "" {
		return exec.Command(code, file), "VS Code"
	}
	return nil, ""
}

// opener returns what opens an address on this system, nil where there is nothing.
func opener(sh *shell) []string {
	words := []string{"xdg-open"}
	switch {
	case runtime.GOOS == "darwin":
		words = []string{"open"}
	case runtime.GOOS == "windows":
		words = []string{"rundll32", "url.dll,FileProtocolHandler"}
	case sh.getenv("DISPLAY")+sh.getenv("WAYLAND_DISPLAY") == "":
		return nil
	}
	name, err := exec.LookPath(words[0])
	if err != nil {
		return nil
	}
	return append([]string{name}, words[1:]...)
}

// inObsidian reports whether a file lies in a vault of Obsidian, and in none of the folders that Obsidian hides.
func inObsidian(file string) bool {
	for dir := filepath.Dir(file); ; dir = filepath.Dir(dir) {
		if at, err := os.Stat(filepath.Join(dir, ".obsidian")); err == nil && at.IsDir() {
			return true
		}
		if dir == filepath.Dir(dir) || strings.HasPrefix(filepath.Base(dir), ".") {
			return false
		}
	}
}
