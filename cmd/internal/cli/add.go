package cli

import (
	"cmp"
	"context"
	"strings"

	"github.com/spf13/cobra"

	"arbor/engine/ops"
	"arbor/mdstore"
)

// addCommand is arbor add. With - instead of a title it adds the nodes of an outline from stdin. A person need not give
// the hash of the rules; instead the rules are shown once after each change.
func addCommand(sh *shell) command {
	in := &ops.NodeCreateIn{}
	c := command{in: in, show: showing(sh, showAdded)}
	c.check = func(cmd *cobra.Command) error {
		if in.Title == "" && in.Like == "" {
			return usagef("%s needs a TITLE, or --like NODE", cmd.CommandPath())
		}
		return nil
	}
	c.instead = func(ctx context.Context) (bool, error) {
		env, err := sh.env(ctx, MustExist)
		if err != nil {
			return false, err
		}
		if env.Operator == mdstore.OperatorHuman && in.RulesHash == "" {
			in.RulesRead = true
			sayNewRules(ctx, sh, env, in.DryRun)
		}
		if in.Title != "-" {
			return false, nil
		}
		source, err := sourceOf(ctx, sh, "-")
		if err != nil {
			return true, err
		}
		out, err := ops.Import(ctx, env, ops.ImportIn{In: in.In, From: "markdown",
			Into: cmp.Or(in.ParentID, string(mdstore.Root)), RulesHash: in.RulesHash,
			RulesRead: in.RulesRead, Cascade: in.Cascade, Write: in.Write, Source: source})
		if err != nil {
			return true, err
		}
		return true, showImported(sh, out)
	}
	return c
}

// sayNewRules shows a person the rules once after each change.
func sayNewRules(ctx context.Context, sh *shell, env *ops.Env, dryRun bool) {
	if dryRun || sh.flags.quiet || sh.flags.json {
		return
	}
	rules, _ := ops.RulesOnce(ctx, env, sh.in()) // the operation reports any error
	for i, r := range rules {
		if i == 0 {
			sh.say("the rules here, new to you:")
		}
		sh.say("- %s", strings.ReplaceAll(r, "\n", "\n  "))
	}
}
