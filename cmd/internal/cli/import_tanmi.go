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

func newImportTanmi(sh *shell) *cobra.Command {
	zone := ""
	tanmi := &cobra.Command{
		Use: "tanmi DIR", Short: "Import workspaces of TanmiWorkspace 1.x",
		Long: `DIR is the folder of one workspace (workspace.json, graph.json, ...), a folder
of several workspaces and their archive, or the project that contains a
.tanmi-workspace. Statuses and times are kept. A file that cannot be read
completely is copied unchanged to imported/ in the new workspace, and reported.
If there is no vault, one is created here.`,
		Example: "arbor import tanmi ../old/.tanmi-workspace --dry-run\narbor import tanmi ../old/.tanmi-workspace",
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(cmd *cobra.Command, words []string) error { return importTanmi(cmd.Context(), sh, words[0], zone) },
	}
	tanmi.Flags().StringVar(&zone, "zone", "", "the time `ZONE` of its logs, as Europe/Paris; UTC if not given")
	must(tanmi.RegisterFlagCompletionFunc("zone", cobra.NoFileCompletions))
	sh.writes(tanmi)
	return tanmi
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

// importTanmi imports the workspaces in the folder from. If one of them would be refused, it writes nothing.
func importTanmi(ctx context.Context, sh *shell, from, zone string) error {
	all, warnings, err := readTanmi(sh, from, zone)
	if err != nil {
		return err
	}
	v, err := sh.open(ctx, Create)
	if err != nil {
		return err
	}
	out := imported{Warnings: append([]string{}, warnings...)}
	out.Success, out.DryRun = true, sh.flags.dryRun
	for _, w := range warnings {
		sh.say("%s", w)
	}
	for _, ws := range all {
		if _, err := v.Engine.Import(ctx, ws, true); err != nil {
			return err
		}
	}
	for _, ws := range all {
		done, err := v.Engine.Import(ctx, ws, sh.flags.dryRun)
		if err != nil {
			return err
		}
		if out.add(ws, done); !sh.flags.json {
			reportImport(sh, ws, done)
		}
	}
	if sh.flags.json {
		return sh.json(out)
	}
	if sh.flags.dryRun {
		sh.say("dry run: nothing was written")
	}
	return sh.unprinted
}

// readTanmi reads the workspaces to import. The strings are warnings.
func readTanmi(sh *shell, from, zone string) ([]plan.Import, []string, error) {
	var place *time.Location
	if zone != "" {
		var err error
		if place, err = time.LoadLocation(zone); err != nil {
			return nil, nil, usagef("--zone is %q, which names no time zone; Europe/Paris, Asia/Shanghai and UTC do", zone)
		}
	}
	root, err := os.OpenRoot(resolve(sh.dir(), from))
	if err != nil {
		return nil, nil, errs.New(errs.InvalidPath,
			"%s is no folder that can be read (%v); give the folder that holds workspace.json, or the one above", from, err)
	}
	defer root.Close()
	found, err := sh.sys.Vaults.Find(sh.place())
	if err != nil && !isCode(err, errs.VaultNotFound) {
		return nil, nil, err
	}
	return sh.sys.Tanmi(root.FS(), filepath.Base(found.Vault), place)
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

// reportImport prints one workspace that was imported.
func reportImport(sh *shell, ws plan.Import, done *plan.Outcome) {
	switch {
	case sh.flags.quiet:
		sh.print(render.Visible(string(ws.ID)))
	case done.DryRun:
		sh.onScreen(sh.diff(done.Diff()))
	default:
		facts := counted(len(ws.Nodes), "node") + ", " + counted(len(done.Files), "file")
		if ws.Archived {
			facts += ", archived"
		}
		sh.print(render.Visible(fmt.Sprintf("%s imported: %s (%s)", ws.ID, ws.Name, facts)))
	}
	sh.adapted(done.Adapted)
}
