package app

import (
	"context"

	"arbor/cmd/internal/cli"
	"arbor/cmd/internal/setup"
	"arbor/engine/errs"
)

func primeCommand() cli.Command {
	return cli.Command{
		Use: "prime", Short: "Print how to work with the plan from a shell, and where it stands",
		Long: `Prints what an assistant needs to work from a shell: the everyday commands, then
the workspace's rules with their hash, the focus, running nodes and ready nodes.
Use it at the start of a session: a hook can print it, and arbor setup agents
writes the first part to AGENTS.md.`,
		Example: "arbor prime\narbor prime -w Login",
		Run: func(ctx context.Context, call cli.Call) error {
			atHome(call)
			e, set, err := call.Open(ctx, cli.MustExist)
			if err != nil && errs.As(err).Code != errs.VaultNotFound {
				return err
			}
			if set.Session == "" {
				set.Session = call.Getenv(claudeSession)
			}
			text, err := setup.Prime(ctx, e, set.Session, set.Workspace)
			if err != nil {
				return err
			}
			return call.Print(map[string]string{"text": text}, text)
		},
	}
}
