package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"arbor/engine"
	"arbor/engine/ops"
)

func newNodes(sh *shell) *cobra.Command {
	cmd := &cobra.Command{
		Use: "node", Short: "Read, create, change, move and delete nodes", Aliases: []string{"nodes"},
		Long: `The everyday verbs do the same without the noun: arbor add is arbor node create,
arbor show is arbor node get. A NODE is its id, a unique prefix of it, or its
exact title; "." is the focused node.`,
		Example: "arbor node update . --title \"Sign-in endpoint\"\narbor node move node-mj2hz4gy root --before node-mj2hzz01",
		Args:    cobra.ArbitraryArgs,
		RunE:    sh.runGroup,
	}
	ref := newRef(sh)
	ref.Aliases = []string{"reference"}
	cmd.AddCommand(newShow(sh, "get NODE", nil), newList(sh, nil), newTree(sh, nil), newAdd(sh, "create TITLE [-]", nil), newNodeUpdate(sh, nil), newNodeMove(sh, nil),
		newNodeDelete(sh, nil), newTransitionByName(sh, nil), newIsolate(sh, "isolate NODE", nil), ref)
	return cmd
}

// A textField is a section of a node that node update writes.
type textField struct {
	name string
	of   func(*ops.NodeInfo) string
	to   func(*ops.NodeUpdateIn) **string
}

var textFields = []textField{
	{"requirement", func(n *ops.NodeInfo) string { return n.Requirement }, func(in *ops.NodeUpdateIn) **string { return &in.Requirement }},
	{"note", func(n *ops.NodeInfo) string { return n.Note }, func(in *ops.NodeUpdateIn) **string { return &in.Note }},
	{"conclusion", func(n *ops.NodeInfo) string { return n.Conclusion }, func(in *ops.NodeUpdateIn) **string { return &in.Conclusion }},
}

func fieldNamed(name string) (textField, bool) {
	for _, f := range textFields {
		if f.name == name {
			return f, true
		}
	}
	return textField{}, false
}

type nodeUpdateOptions struct {
	*shell
	in      ops.NodeUpdateIn
	section string
	text    textSource
}

func newNodeUpdate(sh *shell, run func(context.Context, *nodeUpdateOptions) error) *cobra.Command {
	if run == nil {
		run = runNodeUpdate
	}
	opt := &nodeUpdateOptions{shell: sh}
	given := map[string]*string{}
	cmd := &cobra.Command{
		Use: "update NODE [-]", Short: "Change the title or the texts of a node", Aliases: []string{"edit", "set"},
		Long: `What is not given stays. Short texts have a flag each; a long one is named by
--section and comes from -F FILE, - (stdin) or -e (your editor, with the text as
it is now). An empty text takes the section's text away.`,
		Example: `arbor node update node-mj2hz4gy --title "Sign-in endpoint"
arbor node update . --section note -e
arbor node update . --section requirement - < requirement.md`,
		Args:              args(1, 2, "a NODE", "- for stdin"),
		ValidArgsFunction: sh.completeNodes(nil, 1),
		RunE: func(cmd *cobra.Command, words []string) error {
			opt.in.NodeID = words[0]
			opt.in.Title = ifChanged(cmd, "title", *given["title"])
			for _, f := range textFields {
				*f.to(&opt.in) = ifChanged(cmd, f.name, *given[f.name])
			}
			if err := opt.text.parsed(cmd, words[1:]); err != nil {
				return err
			}
			return run(cmd.Context(), opt)
		},
	}
	given["title"] = cmd.Flags().String("title", "", "the new `TITLE`")
	must(cmd.RegisterFlagCompletionFunc("title", cobra.NoFileCompletions))
	var names []string
	for _, f := range textFields {
		given[f.name] = cmd.Flags().String(f.name, "", "the new "+f.name+", as `TEXT`")
		must(cmd.RegisterFlagCompletionFunc(f.name, cobra.NoFileCompletions))
		mayBeEmpty(cmd, f.name)
		names = append(names, f.name)
	}
	cmd.Flags().StringVarP(&opt.section, "section", "s", "", "what -m, -F, - and -e are: `requirement|note|conclusion`")
	must(cmd.RegisterFlagCompletionFunc("section", choices(names...)))
	opt.text.flags(cmd, "the section")
	sh.matches(cmd)
	return cmd
}

func runNodeUpdate(ctx context.Context, opt *nodeUpdateOptions) (err error) {
	opt.in.In, opt.in.Write, opt.in.Match = opt.shell.in(), opt.write(), opt.match()
	if opt.in.NodeID, err = opt.node(ctx, opt.in.NodeID); err != nil {
		return err
	}
	if err := opt.readSection(ctx); err != nil {
		return err
	}
	if opt.in.Title == nil && opt.in.Requirement == nil && opt.in.Note == nil && opt.in.Conclusion == nil {
		return usagef("arbor node update needs --title, --requirement, --note, --conclusion, or --section with -m, -F, - or -e")
	}
	out, err := call(ctx, opt.shell, ops.NodeUpdate, opt.in)
	if err != nil {
		return err
	}
	return opt.wrote(out, *out, "")
}

// readSection puts the text of -m, -F, - or -e where --section says.
func (opt *nodeUpdateOptions) readSection(ctx context.Context) error {
	f, known := fieldNamed(opt.section)
	switch {
	case opt.section == "" && !opt.text.given():
		return nil
	case opt.section == "":
		return usagef("which text is it? --section requirement, note or conclusion")
	case !known:
		return usagef("there is no section %q to write; requirement, note and conclusion can be written", opt.section)
	case !opt.text.given():
		return usagef("--section %s needs its text: -m TEXT, -F FILE, - for stdin, or -e", opt.section)
	case *f.to(&opt.in) != nil:
		return usagef("the %s is given twice", opt.section)
	}
	opt.text.what = "the " + opt.section
	text, err := opt.text.read(ctx, opt.shell, func() (string, error) {
		n, err := call(ctx, opt.shell, ops.NodeGet, ops.NodeGetIn{In: opt.in.In, NodeID: opt.in.NodeID})
		if err != nil {
			return "", err
		}
		if opt.in.IfMatch == "" {
			opt.in.IfMatch = n.Node.Version // somebody else may write while the editor is open
		}
		return f.of(&n.Node), nil
	})
	*f.to(&opt.in) = &text
	return err
}

type nodeMoveOptions struct {
	*shell
	in ops.NodeMoveIn
}

func newNodeMove(sh *shell, run func(context.Context, *nodeMoveOptions) error) *cobra.Command {
	if run == nil {
		run = runNodeMove
	}
	opt := &nodeMoveOptions{shell: sh}
	cmd := &cobra.Command{
		Use: "move NODE PARENT", Short: "Give a node another parent or another place", Aliases: []string{"mv"},
		Long: `All below the node comes along. With --before or --after it gets that place among
its siblings, and no sibling's file is touched. The folders stay where they are:
the parent is in the file.`,
		Example:           "arbor node move node-mj2hz4gy root --before node-mj2hzz01",
		Args:              args(2, 2, "a NODE and its new PARENT"),
		ValidArgsFunction: sh.completeNodes(nil, 2),
		RunE: func(cmd *cobra.Command, words []string) error {
			opt.in.NodeID, opt.in.NewParentID = words[0], words[1]
			if opt.in.Before != "" && opt.in.After != "" {
				return usagef("--before and --after name one place each; one of them is enough")
			}
			return run(cmd.Context(), opt)
		},
	}
	cmd.Flags().StringVar(&opt.in.Before, "before", "", "the `SIBLING` it is to stand before")
	cmd.Flags().StringVar(&opt.in.After, "after", "", "the `SIBLING` it is to stand after")
	cmd.Flags().BoolVar(&opt.in.Cascade, "cascade", false, "reopen completed or cancelled ancestors")
	must(cmd.RegisterFlagCompletionFunc("before", sh.completeNodes(nil, -1)))
	must(cmd.RegisterFlagCompletionFunc("after", sh.completeNodes(nil, -1)))
	sh.matches(cmd)
	return cmd
}

func runNodeMove(ctx context.Context, opt *nodeMoveOptions) (err error) {
	for _, word := range []*string{&opt.in.NodeID, &opt.in.NewParentID} {
		if *word, err = opt.node(ctx, *word); err != nil {
			return err
		}
	}
	opt.in.In, opt.in.Write, opt.in.Match = opt.shell.in(), opt.write(), opt.match()
	out, err := call(ctx, opt.shell, ops.NodeMove, opt.in)
	if err != nil {
		return err
	}
	return opt.wrote(out, out.Wrote, "")
}

type nodeDeleteOptions struct {
	*shell
	in  ops.NodeDeleteIn
	yes bool
}

func newNodeDelete(sh *shell, run func(context.Context, *nodeDeleteOptions) error) *cobra.Command {
	if run == nil {
		run = runNodeDelete
	}
	opt := &nodeDeleteOptions{shell: sh}
	cmd := &cobra.Command{
		Use: "delete NODE", Short: "Move a node and all below it to the trash", Aliases: []string{"rm", "remove"},
		Long:              "References to it from other nodes are marked as expired.\n" + confirmLong,
		Example:           "arbor node delete node-mj2hz4gy --dry-run\narbor node delete node-mj2hz4gy --yes",
		Args:              args(1, 1, "a NODE"),
		ValidArgsFunction: sh.completeNodes(nil, 1),
		RunE: func(cmd *cobra.Command, words []string) error {
			opt.in.NodeID = words[0]
			return run(cmd.Context(), opt)
		},
	}
	cmd.Flags().BoolVarP(&opt.yes, "yes", "y", false, "do not ask")
	sh.matches(cmd)
	return cmd
}

func runNodeDelete(ctx context.Context, opt *nodeDeleteOptions) (err error) {
	if opt.in.NodeID, err = opt.node(ctx, opt.in.NodeID); err != nil {
		return err
	}
	opt.in.In, opt.in.Write, opt.in.Match = opt.shell.in(), opt.write(), opt.match()
	if !opt.yes && !opt.in.DryRun && opt.term.in {
		plan := opt.in
		plan.DryRun = true
		would, err := call(ctx, opt.shell, ops.NodeDelete, plan)
		if err != nil {
			return err
		}
		if err := opt.confirm(ctx, fmt.Sprintf("Move %s to the trash (%s)?", opt.in.NodeID, counted(would.DeletedCount, "node"))); err != nil {
			return err
		}
	}
	out, err := call(ctx, opt.shell, ops.NodeDelete, opt.in)
	if err != nil {
		return err
	}
	return opt.wrote(out, out.Wrote, "")
}

type isolateOptions struct {
	*shell
	in  ops.NodeIsolateIn
	off bool
}

func newIsolate(sh *shell, use string, run func(context.Context, *isolateOptions) error) *cobra.Command {
	if run == nil {
		run = runIsolate
	}
	opt := &isolateOptions{shell: sh}
	cmd := &cobra.Command{
		Use: use, Short: "Cut the context of a node off from its ancestors",
		Long:              "The context of the node and of all below it begins at the node then; the workspace's\ngoal, rules and documents stay in it. --off joins it again.",
		Example:           "arbor isolate node-mj2hz4gy\narbor isolate node-mj2hz4gy --off",
		Args:              args(1, 1, "a NODE"),
		ValidArgsFunction: sh.completeNodes(nil, 1),
		RunE: func(cmd *cobra.Command, words []string) error {
			opt.in.NodeID, opt.in.Isolate = words[0], !opt.off
			return run(cmd.Context(), opt)
		},
	}
	cmd.Flags().BoolVar(&opt.off, "off", false, "join it to its ancestors again")
	sh.matches(cmd)
	return cmd
}

func runIsolate(ctx context.Context, opt *isolateOptions) (err error) {
	if opt.in.NodeID, err = opt.node(ctx, opt.in.NodeID); err != nil {
		return err
	}
	opt.in.In, opt.in.Write, opt.in.Match = opt.shell.in(), opt.write(), opt.match()
	out, err := call(ctx, opt.shell, ops.NodeIsolate, opt.in)
	if err != nil {
		return err
	}
	return opt.wrote(out, out.Wrote, "")
}

// isCode reports whether err has that code.
func isCode(err error, code engine.Code) bool {
	e := engine.AsError(err)
	return e != nil && e.Code == code
}
