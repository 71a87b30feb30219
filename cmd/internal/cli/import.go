package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"arbor/context/render"
	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/engine/plan"
)

func newImport(sh *shell) *cobra.Command {
	cmd := &cobra.Command{
		Use: "import", Short: "Bring workspaces of other programs into the vault",
		Long:    "What it reads from stays as it is.",
		Example: "arbor import tanmi ../old/.tanmi-workspace",
		RunE:    sh.runGroup,
	}
	cmd.AddCommand(newImportTanmi(sh))
	return cmd
}

type importOptions struct {
	*shell
	from string
	zone string
}

func newImportTanmi(sh *shell) *cobra.Command {
	opt := &importOptions{shell: sh}
	cmd := &cobra.Command{
		Use: "tanmi DIR", Short: "Import workspaces of TanmiWorkspace 1.x",
		Long: `DIR is the folder of one workspace (workspace.json, graph.json, ...), or a folder
that holds several and their archive, or the one above it. Statuses and times are
taken as they are. A file that is not understood as a whole is attached as it is,
below imported/ in the new workspace, and named. The vault is made here if there
is none.`,
		Example: "arbor import tanmi ../old/.tanmi-workspace --dry-run\narbor import tanmi ../old/.tanmi-workspace",
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(cmd *cobra.Command, words []string) error {
			opt.from = words[0]
			return runImportTanmi(cmd.Context(), opt)
		},
	}
	cmd.Flags().StringVar(&opt.zone, "zone", "", "the time `ZONE` of its logs, as Europe/Paris; UTC if not given")
	must(cmd.RegisterFlagCompletionFunc("zone", cobra.NoFileCompletions))
	sh.writes(cmd)
	return cmd
}

// imported is the result of an import.
type imported struct {
	Workspaces []importedWorkspace `json:"workspaces"`
	Warnings   []string            `json:"warnings"`
	ops.Wrote
}

type importedWorkspace struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Nodes    int    `json:"nodes"`
	Archived bool   `json:"archived"`
}

func runImportTanmi(ctx context.Context, opt *importOptions) error {
	all, warnings, err := opt.read()
	if err != nil {
		return err
	}
	mode := Create
	if opt.flags.dryRun {
		mode = Pretend
	}
	v, err := opt.open(ctx, mode)
	if err != nil {
		return err
	}
	out := imported{Warnings: append([]string{}, warnings...)}
	out.Success, out.DryRun = true, opt.flags.dryRun
	for _, w := range warnings {
		opt.say("%s", w)
	}
	for _, ws := range all { // nothing is written when one of them would be refused
		if _, err := v.Engine.Import(ctx, ws, true); err != nil {
			return err
		}
	}
	for _, ws := range all {
		done, err := v.Engine.Import(ctx, ws, opt.flags.dryRun)
		if err != nil {
			return err
		}
		out.add(ws, done)
		if opt.flags.json {
			continue
		}
		if err := opt.reportImport(ws, done); err != nil {
			return err
		}
	}
	if opt.flags.json {
		return opt.json(out)
	}
	if opt.flags.dryRun {
		opt.say("dry run: nothing was written")
	}
	return nil
}

// read reads what is to be imported.
func (opt *importOptions) read() ([]plan.Import, []string, error) {
	var zone *time.Location
	if opt.zone != "" {
		z, err := time.LoadLocation(opt.zone)
		if err != nil {
			return nil, nil, usagef("--zone is %q, which names no time zone; Europe/Paris, Asia/Shanghai and UTC do", opt.zone)
		}
		zone = z
	}
	root, err := os.OpenRoot(resolve(opt.dir(), opt.from))
	if err != nil {
		return nil, nil, errs.New(errs.InvalidPath,
			"%s is no folder that can be read (%v); give the folder that holds workspace.json, or the one above", opt.from, err)
	}
	defer root.Close()
	found, err := opt.sys.Vaults.Find(opt.place())
	if err != nil && !isCode(err, errs.VaultNotFound) {
		return nil, nil, err
	}
	return opt.sys.Tanmi(root.FS(), filepath.Base(found.Vault), zone)
}

func (out *imported) add(ws plan.Import, done *plan.Outcome) {
	out.Workspaces = append(out.Workspaces, importedWorkspace{string(ws.ID), ws.Name, len(ws.Nodes), ws.Archived})
	out.Changed = out.Changed || done.Changed()
	if done.DryRun {
		out.Diff += done.Diff()
	}
	out.Adapted = append(out.Adapted, done.Adapted...)
	for _, f := range done.Files {
		out.Files = append(out.Files, ops.FileDiff{
			Path: string(f.Path), To: string(f.To), Version: f.Version.String(), Lines: f.Lines(), What: f.What,
		})
	}
}

func (opt *importOptions) reportImport(ws plan.Import, done *plan.Outcome) error {
	switch {
	case opt.flags.quiet:
		return opt.print(render.Visible(string(ws.ID)))
	case done.DryRun:
		if err := opt.onScreen(opt.diff(done.Diff())); err != nil {
			return err
		}
	default:
		facts := counted(len(ws.Nodes), "node") + ", " + counted(len(done.Files), "file")
		if ws.Archived {
			facts += ", archived"
		}
		line := fmt.Sprintf("%s imported: %s (%s)", ws.ID, ws.Name, facts)
		if err := opt.print(render.Visible(line)); err != nil {
			return err
		}
	}
	for _, a := range done.Adapted {
		opt.say("adapted: %s", a)
	}
	return nil
}
