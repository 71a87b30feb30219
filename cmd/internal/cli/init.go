package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"arbor/engine/ops"
	"arbor/mdstore"
)

type initOptions struct {
	*shell
	in   ops.WorkspaceInitIn
	docs []string // PATH:DESC
}

func newInit(sh *shell, run func(context.Context, *initOptions) error) *cobra.Command {
	if run == nil {
		run = runInit
	}
	opt := &initOptions{shell: sh}
	cmd := &cobra.Command{
		Use: "init NAME --goal GOAL", Short: "Make a workspace, and the vault if there is none",
		Long: `The workspace goes into the vault that is found from here upwards, or that --vault
or ARBOR_VAULT names. Where there is none, the folder .tanmi-workspace is made
here. A vault for this folder although there is one above:
arbor init NAME --goal GOAL --vault .tanmi-workspace`,
		Example: `arbor init Login --goal "Users sign in with a password"
arbor init Login --goal "..." --rule "No new dependencies" --doc docs/api.md:"the endpoints"`,
		SuggestFor:        []string{"create", "setup"},
		Args:              args(1, 1, "a NAME"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, words []string) error {
			opt.in.Name = words[0]
			for _, d := range opt.docs {
				opt.in.Docs = append(opt.in.Docs, splitDoc(d))
			}
			return run(cmd.Context(), opt)
		},
	}
	cmd.Flags().StringVarP(&opt.in.Goal, "goal", "g", "", "what the work is for (required)")
	cmd.Flags().StringArrayVar(&opt.in.Rules, "rule", nil, "a `RULE` that everybody working here must follow; may be repeated")
	cmd.Flags().StringArrayVar(&opt.docs, "doc", nil, "a document as `PATH:DESC`; may be repeated")
	must(cmd.RegisterFlagCompletionFunc("goal", cobra.NoFileCompletions))
	must(cmd.RegisterFlagCompletionFunc("rule", cobra.NoFileCompletions))
	sh.writes(cmd)
	return cmd
}

func runInit(ctx context.Context, opt *initOptions) error {
	if opt.in.Goal == "" {
		return usagef("arbor init needs --goal GOAL: what the work is for, in one line")
	}
	opt.in.Write = opt.write()
	mode := Create
	if opt.in.DryRun {
		mode = Pretend
	}
	out, err := callIn(ctx, opt.shell, mode, ops.WorkspaceInit, opt.in)
	if err != nil {
		return err
	}
	if opt.vault.Made && !opt.in.DryRun {
		opt.say("made the vault %s", opt.vault.Found.Vault)
	}
	return opt.wrote(out, out.Wrote, out.WorkspaceID)
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
