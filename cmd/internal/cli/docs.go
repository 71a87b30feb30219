package cli

import (
	"context"

	"github.com/spf13/cobra"

	"arbor/context/render"
	"arbor/engine/ops"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

type docsOptions struct {
	*shell
	in ops.WorkspaceUpdateDocsIn
}

func newDocs(sh *shell) *cobra.Command {
	cmd := &cobra.Command{
		Use: "docs", Short: "Read the documents of a workspace, or change them", Aliases: []string{"doc"},
		Long: `Without a verb it lists them. The documents of the workspace are part of the
context of every node in it, unless they are expired.`,
		Example: "arbor docs\narbor docs add docs/api.md \"the endpoints\"\narbor docs expire docs/old.md",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, words []string) error {
			if len(words) > 0 {
				return unknownCommand(cmd, words[0])
			}
			return runDocs(cmd.Context(), &docsOptions{shell: sh})
		},
	}
	sh.lists(cmd)
	cmd.AddCommand(
		newDocsChange(sh, "add", "Add a document", `arbor docs add docs/api.md "the endpoints"`, nil),
		newDocsChange(sh, "remove", "Remove a document from the list; the file stays", "arbor docs remove docs/api.md", nil),
		newDocsChange(sh, "expire", "Keep a document in the list, but out of every context", "arbor docs expire docs/api.md", nil),
		newDocsChange(sh, "activate", "Bring an expired document back", "arbor docs activate docs/api.md", nil))
	return cmd
}

func runDocs(ctx context.Context, opt *docsOptions) error {
	out, err := call(ctx, opt.shell, ops.WorkspaceOwn, ops.WorkspaceGetIn{In: opt.shell.in()})
	if err != nil {
		return err
	}
	docs := out.Workspace.Docs
	if opt.flags.json {
		return opt.json(struct {
			Docs        []mdstore.Ref     `json:"docs"`
			Diagnostics []mdoc.Diagnostic `json:"diagnostics,omitempty"`
			ops.Out
		}{docs, out.Diagnostics, hinted("arbor docs add adds to them; arbor docs expire keeps one out of every context")})
	}
	opt.damage(out.Diagnostics)
	if len(docs) == 0 {
		opt.say("%s has no documents", out.Workspace.Name)
		return nil
	}
	return opt.docLines(docs, "documents")
}

// docLines prints documents or references, one a line, or their paths alone.
func (sh *shell) docLines(docs []mdstore.Ref, what string) error {
	var all []string
	p := sh.page()
	for _, d := range docs {
		if sh.flags.quiet {
			all = append(all, render.Visible(d.Target))
		} else {
			all = append(all, p.docLine(d))
		}
	}
	return sh.bounded(all, what, "--all brings the rest")
}

func newDocsChange(sh *shell, action, short, example string, run func(context.Context, *docsOptions) error) *cobra.Command {
	if run == nil {
		run = runDocsChange
	}
	opt := &docsOptions{shell: sh, in: ops.WorkspaceUpdateDocsIn{Action: action}}
	use, words := action+" PATH", args(1, 1, "a PATH")
	if action == "add" {
		use, words = "add PATH [DESC]", args(1, 2, "a PATH", "a DESC")
	}
	cmd := &cobra.Command{
		Use: use, Short: short, Example: example,
		Long: "The path is relative to the project, or an address.",
		Args: words,
		ValidArgsFunction: func(cmd *cobra.Command, words []string, prefix string) ([]string, cobra.ShellCompDirective) {
			switch {
			case len(words) > 0:
				return nil, cobra.ShellCompDirectiveNoFileComp
			case action == "add":
				return nil, cobra.ShellCompDirectiveDefault // any file
			}
			return sh.completeDocs(cmd, action, prefix)
		},
		RunE: func(cmd *cobra.Command, words []string) error {
			opt.in.Path = words[0]
			if len(words) > 1 {
				opt.in.Description = words[1]
			}
			return run(cmd.Context(), opt)
		},
	}
	sh.matches(cmd)
	return cmd
}

func runDocsChange(ctx context.Context, opt *docsOptions) error {
	opt.in.In, opt.in.Write, opt.in.Match = opt.shell.in(), opt.write(), opt.match()
	out, err := call(ctx, opt.shell, ops.WorkspaceUpdateDocs, opt.in)
	if err != nil {
		return err
	}
	return opt.wrote(out, out.Wrote, "")
}
