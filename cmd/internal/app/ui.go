package app

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"

	"arbor/cmd/internal/cli"
	"arbor/cmd/internal/ui"
	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/mdstore"
)

func uiCommand() cli.Command {
	var ascii bool
	return cli.Command{
		Use: "ui [WS]", Short: "Show the plan at this terminal, live, and work on it by keyboard",
		Long: `Shows the outline beside the board or one node. Changes by assistants, editors
and git pull appear within a second. You add, rename, move, start, complete, tick
and undo by keyboard, with the keys of the page in the browser, those of vi, and
arrows; ? lists them. / filters with the language of lists. $EDITOR opens with e.
A refused text stays in its line, and what you typed and did not save is in a
file when you quit. With NO_COLOR nothing is coloured. arbor watch prints changes
to a pipe instead.`,
		Example: "arbor ui\narbor ui Login\narbor ui --ascii",
		Flags: func(fs *flag.FlagSet) {
			fs.BoolVar(&ascii, "ascii", false, "draw with ASCII characters only")
		},
		Run: func(ctx context.Context, call cli.Call) error {
			if !call.Terminal || !call.Screen {
				return errs.New(errs.InvalidParams,
					"arbor ui needs a terminal; arbor status prints the plan, and arbor watch its changes")
			}
			workspace := call.Workspace
			if len(call.Words) > 0 {
				if workspace != "" && workspace != call.Words[0] {
					return errs.New(errs.InvalidParams, "%s and --workspace %s name different workspaces; give one",
						call.Words[0], workspace)
				}
				workspace = call.Words[0]
			}
			e, set, err := call.Open(ctx, cli.Lasting)
			if err != nil {
				return err
			}
			kept, err := ui.Run(ctx, ui.Options{
				Workspace: workspace, Color: call.Color, ASCII: ascii || call.ASCII,
				Env: func() *ops.Env {
					return &ops.Env{Engine: e, Session: set.Session, Client: "arbor", Caller: ops.ByDecider, Voice: ops.Shell,
						Operator: cmp.Or(set.Operator, mdstore.OperatorHuman), Names: ops.NamesLoose,
						Home: cmp.Or(call.Getenv("HOME"), call.Getenv("USERPROFILE"))}
				},
				Editor: func(file string) *exec.Cmd {
					cmd, _ := cli.Editor(call.Getenv, file)
					return cmd
				},
				Environ: os.Environ(), In: call.Stdin, Out: call.Stdout,
			})
			if kept != "" {
				fmt.Fprintf(call.Stderr, "arbor: %s\n", kept)
			}
			return err
		},
	}
}
