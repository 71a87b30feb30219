package cli

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"arbor/context/render"
	"arbor/engine/config"
	"arbor/engine/ops"
	"arbor/engine/plan"
	"arbor/mdstore"
)

// newConfigList returns the command that lists the settings in effect.
func newConfigList(sh *shell) *cobra.Command {
	origin := false
	return sh.command(command{op: "config_get", without: allParams, mode: Pretend, help: ops.Help{
		Use: "list", Summary: "list the settings in effect", Example: "arbor admin config list --origin",
		Text: "Warnings say which files and keys do not count.",
	}, flags: func(cmd *cobra.Command) {
		cmd.Flags().BoolVar(&origin, "origin", false, "with the layer, file and line that each comes from")
	}, show: showing(sh, func(sh *shell, out *ops.ConfigGetOut) error { return showConfig(sh, out, "", origin) })})
}

// configCommand returns the command of config_get. Without a vault, it shows the settings outside of vaults.
func configCommand(sh *shell) command {
	in := &ops.ConfigGetIn{}
	return command{in: in, mode: Pretend, show: showing(sh, func(sh *shell, out *ops.ConfigGetOut) error {
		if in.Key != "" && len(out.Settings) == 0 {
			return usagef("%s is not set", in.Key)
		}
		return showConfig(sh, out, in.Key, false)
	})}
}

// showConfig prints settings. If key names a single one, it prints only its value.
func showConfig(sh *shell, out *ops.ConfigGetOut, key string, origin bool) error {
	if sh.flags.json {
		return sh.json(out)
	}
	var all []string
	var rows [][]cell
	for _, n := range out.Settings {
		n.File = sh.shown(n.File)
		text := n.Key + " = " + config.Text(n.Value)
		all, rows = append(all, render.Visible(text)), append(rows, []cell{{text: text}, {text: n.From(), sgr: "2"}})
	}
	if len(all) == 1 && out.Settings[0].Key == key {
		all[0] = render.VisibleLines(config.Text(out.Settings[0].Value))
	}
	if origin {
		all = sh.table([]string{"SETTING", "FROM"}, rows)
	}
	err := sh.print(strings.Join(all, "\n"))
	for _, w := range out.Warnings {
		w.File = sh.shown(w.File)
		sh.say("warning: %s", w)
	}
	return err
}

// newConfigEdit returns the command that sets or removes keys.
func newConfigEdit(sh *shell) *cobra.Command {
	scope, user := "", false
	cmd := &cobra.Command{
		Use: "set KEY=VALUE...", Short: "Set keys in a file of settings",
		Long: `By default it changes arbor.toml in the project. Only the line of the key
changes; comments and order stay. KEY= removes the key. Settings that a clone
must not decide belong in your own file (--user); secrets belong in the
environment.`,
		Example: `arbor admin config set provider=anthropic
arbor admin config set toolsets=plan,briefing --user
arbor admin config set provider= --user`,
		ValidArgsFunction: completeKey,
	}
	scopes := []string{string(config.User), string(config.Project), string(config.Vault), string(config.Workspace)}
	cmd.Flags().StringVar(&scope, "scope", "", "whose file: `SCOPE` is user, project (the default), vault, or workspace")
	cmd.Flags().BoolVar(&user, "user", false, "your own file, as --scope user; -w WS is that of a workspace")
	must(cmd.RegisterFlagCompletionFunc("scope", choices(scopes...)))
	sh.writes(cmd)
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		of := config.Level(cmp.Or(scope, string(config.Project)))
		if user && scope == "" {
			of = config.User
		} else if sh.flags.workspace != "" && scope == "" {
			of = config.Workspace
		}
		switch {
		case !slices.Contains(scopes, string(of)):
			return unknownChoice("scope", scope, scopes)
		case user && of != config.User, sh.flags.workspace != "" && of != config.Workspace:
			return usagef("several files are named; give one of --user, --scope and -w")
		}
		out, err := editConfig(cmd.Context(), sh, of, func(file string, src []byte) (_ []byte, err error) {
			for _, word := range words {
				switch key, value, ok := strings.Cut(word, "="); {
				case !ok:
					return nil, usagef("%q sets no key; KEY=VALUE does, and KEY= takes it out", word)
				case value == "":
					src, err = config.Unset(src, key)
				default:
					src, err = config.Put(of, file, src, key, value)
				}
				if err != nil {
					return nil, err
				}
			}
			return src, nil
		})
		if err != nil {
			return err
		}
		return editedConfig(sh, out)
	}
	return cmd
}

// completeKey offers the keys that are known.
func completeKey(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var all []cobra.Completion
	for _, k := range config.Keys() {
		all = append(all, cobra.CompletionWithDesc(k.Name+"=", k.Help))
	}
	return all, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// editConfig changes the file of a level.
func editConfig(
	ctx context.Context, sh *shell, of config.Level, edit func(string, []byte) ([]byte, error),
) (*plan.Outcome, error) {
	if of == config.User || of == config.Project {
		return sh.sys.EditConfig(sh.place(), of, sh.flags.dryRun, edit)
	}
	env, err := sh.env(ctx, MustExist)
	if err != nil {
		return nil, err
	}
	var ws mdstore.ID
	if of == config.Workspace {
		v, err := env.In(ctx, sh.flags.workspace)
		if err != nil {
			return nil, err
		}
		ws = v.Workspace().ID
	}
	return env.Engine.EditConfig(ctx, ws, plan.Act{DryRun: sh.flags.dryRun}, edit)
}

// editedConfig reports what changed in a file of settings. It prints no secrets of lines around the change.
func editedConfig(sh *shell, out *plan.Outcome) error {
	w := ops.Wrote{Success: true, Changed: out.Changed(), DryRun: out.DryRun, Met: out.Collisions}
	for i := range out.Files {
		f := &out.Files[i]
		f.Path = mdstore.Path(sh.shown(sh.absolute(string(f.Path))))
		if f.New = config.Masked(f.New); f.Old != nil {
			f.Old = config.Masked(f.Old)
		}
		w.Files = append(w.Files, ops.FileDiff{Path: string(f.Path), Lines: f.Lines()})
	}
	if w.DryRun {
		w.Diff = out.Diff()
	}
	return sh.wrote(w, w, "")
}
