package cli

import (
	"context"

	"github.com/spf13/cobra"

	"arbor/engine/ops"
	"arbor/mdstore"
	"arbor/statemachine"
)

type addOptions struct {
	*shell
	in   ops.NodeCreateIn
	docs []string // PATH:DESC
	text textSource
}

func newAdd(sh *shell, use string, run func(context.Context, *addOptions) error) *cobra.Command {
	if run == nil {
		run = runAdd
	}
	opt := &addOptions{shell: sh}
	cmd := &cobra.Command{
		Use: use, Short: "Add a node to the tree", Aliases: []string{"new"},
		Long: `A planning node divides work among its children, an execution node does it. The
requirement says what is to be done: from -m, -F, - (stdin) or -e (your editor).
Where the workspace has rules, --rules-hash proves that they were read: arbor
rules shows it. The id of the new node is printed first, and alone with -q.`,
		Example: `arbor add "Sign-in endpoint" -m "POST /sign-in, rate limited"
arbor add "Backend" --type planning --parent root -m "All that runs on the server"
arbor add "Limits" --parent Backend --rules-hash ff280711 -F limits.md`,
		SuggestFor:        []string{"create"},
		Args:              args(1, 2, "a TITLE", "- for stdin"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, words []string) error {
			opt.in.Title = words[0]
			if err := opt.text.parsed(cmd, words[1:]); err != nil {
				return err
			}
			for _, d := range opt.docs {
				opt.in.Docs = append(opt.in.Docs, splitDoc(d))
			}
			return run(cmd.Context(), opt)
		},
	}
	fs := cmd.Flags()
	fs.StringVarP(&opt.in.ParentID, "parent", "p", string(mdstore.Root), "the planning `NODE` that it goes below")
	fs.StringVarP(&opt.in.Type, "type", "t", string(statemachine.Execution), "`planning|execution`")
	opt.text.flags(cmd, "the requirement")
	fs.StringVar(&opt.in.RulesHash, "rules-hash", "", "the `HASH` that arbor rules shows")
	fs.StringVar(&opt.in.Role, "role", "", "`info_collection|validation|summary`")
	fs.StringArrayVar(&opt.docs, "doc", nil, "a document as `PATH:DESC`; may be repeated")
	fs.BoolVar(&opt.in.Cascade, "cascade", false, "reopen completed or cancelled ancestors")
	var types, roles []string
	for _, t := range statemachine.Types() {
		types = append(types, string(t))
	}
	for _, r := range mdstore.Roles() {
		roles = append(roles, string(r))
	}
	must(cmd.RegisterFlagCompletionFunc("type", choices(types...)))
	must(cmd.RegisterFlagCompletionFunc("role", choices(roles...)))
	must(cmd.RegisterFlagCompletionFunc("rules-hash", cobra.NoFileCompletions))
	must(cmd.RegisterFlagCompletionFunc("parent", sh.completeNodes(func(n *ops.TreeNode) bool {
		return statemachine.TakesChildren(statemachine.Type(n.Type))
	}, -1)))
	sh.writes(cmd)
	return cmd
}

func runAdd(ctx context.Context, opt *addOptions) (err error) {
	if !opt.text.given() {
		return usagef("what is to be done? give the requirement with -m TEXT, -F FILE, - for stdin, or -e for your editor")
	}
	if w := opt.text.word; w != nil && *w != "-" {
		return usagef("%q is a second word; a title with spaces goes in quotes, and the requirement after -m", *w)
	}
	if opt.in.ParentID, err = opt.node(ctx, opt.in.ParentID); err != nil {
		return err
	}
	opt.in.In, opt.in.Write = opt.shell.in(), opt.write()
	if opt.in.Requirement, err = opt.text.read(ctx, opt.shell, nil); err != nil {
		return err
	}
	out, err := call(ctx, opt.shell, ops.NodeCreate, opt.in)
	if err != nil {
		return err
	}
	return opt.wrote(out, out.Wrote, out.NodeID)
}
