package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"arbor/engine/ops"
	"arbor/statemachine"
)

type transitionOptions struct {
	*shell
	in   ops.NodeTransitionIn
	text textSource
}

// A verb is how one action reads at the command line. What it does is the state machine's to say.
type verb struct {
	do               statemachine.Action
	short, long, how string
	aliases          []string
	text             bool // takes a conclusion
}

var verbs = []verb{
	{do: statemachine.Start, short: "Begin the work of a node",
		long: "The focus moves to the node, and ancestors that were waiting go into monitoring.",
		how:  `arbor start "Sign-in endpoint"`, aliases: []string{"begin"}},
	{do: statemachine.Submit, short: "Hand a node's work in for validation",
		long: "The node is validated next: complete it, or fail it.",
		how:  `arbor submit node-mj2hz4gy`, text: true},
	{do: statemachine.Complete, short: "Complete a node with its conclusion",
		long: `The conclusion is what the rest of the tree learns of the work: what came of it,
not how it went. It is required unless the node has one already. A planning node
is complete when all its children are over. The node's problem is cleared.`,
		how: `arbor complete node-mj2hz4gy -m "Done; 5 tries a minute"
arbor complete node-mj2hz4gy -F conclusion.md
git log -1 --format=%B | arbor complete node-mj2hz4gy -
arbor complete . -e`, aliases: []string{"done", "close"}, text: true},
	{do: statemachine.Fail, short: "Give a node up, with the reason as its conclusion",
		long: "A failed node can be taken up again with retry.",
		how:  `arbor fail node-mj2hz4gy -m "The provider closed its API"`, text: true},
	{do: statemachine.Retry, short: "Take a failed node up again",
		long: "The focus moves to the node.",
		how:  `arbor retry node-mj2hz4gy --reason "There is a new API"`},
	{do: statemachine.Reopen, short: "Reopen a node that was over",
		long: "The focus moves to the node. Below a completed or cancelled ancestor, --cascade\nreopens the ancestors as well.",
		how:  `arbor reopen node-mj2hz4gy --reason "The limit is wrong" --cascade`},
	{do: statemachine.Cancel, short: "Cancel a planning node, with the reason as its conclusion",
		long: "What lies below it is frozen until the node is reopened. The node's problem is\ncleared.",
		how:  `arbor cancel node-mj2hz4gy -m "The customer has single sign-on"`, text: true},
}

func transitions(sh *shell) []*cobra.Command {
	var all []*cobra.Command
	for _, v := range verbs {
		all = append(all, newTransition(sh, v, nil))
	}
	return all
}

func newTransition(sh *shell, v verb, run func(context.Context, *transitionOptions) error) *cobra.Command {
	if run == nil {
		run = runTransition
	}
	opt := &transitionOptions{shell: sh, in: ops.NodeTransitionIn{Action: string(v.do)}}
	use, words := string(v.do)+" NODE", args(1, 1, "a NODE")
	if v.text {
		use, words = use+" [-]", args(1, 2, "a NODE", "- for stdin")
	}
	cmd := &cobra.Command{
		Use: use, Short: v.short, Long: v.long + "\n\n" + from(v.do), Example: v.how, Aliases: v.aliases,
		Args:              words,
		ValidArgsFunction: sh.completeNodes(func(n *ops.TreeNode) bool { return allows(n, v.do) }, 1),
		RunE: func(cmd *cobra.Command, words []string) error {
			opt.in.NodeID = words[0]
			if v.text {
				if err := opt.text.parsed(cmd, words[1:]); err != nil {
					return err
				}
			}
			if w := opt.text.word; w != nil && *w != "-" {
				return usagef("the conclusion is given as %q; text goes after -m, and - reads it from stdin", *w)
			}
			return run(cmd.Context(), opt)
		},
	}
	if v.text {
		opt.text.flags(cmd, "the conclusion")
	}
	transitionFlags(sh, cmd, &opt.in)
	return cmd
}

func transitionFlags(sh *shell, cmd *cobra.Command, in *ops.NodeTransitionIn) {
	cmd.Flags().StringVar(&in.Reason, "reason", "", "the `REASON`, for the log")
	cmd.Flags().BoolVar(&in.Cascade, "cascade", false, "reopen completed or cancelled ancestors")
	must(cmd.RegisterFlagCompletionFunc("reason", cobra.NoFileCompletions))
	mayBeEmpty(cmd, "reason")
	sh.matches(cmd)
}

// from tells from which statuses an action leads where, as the state machine's rows have it.
func from(do statemachine.Action) string {
	var parts []string
	for _, r := range statemachine.Rules() {
		if r.Do == do && !r.Automatic {
			parts = append(parts, string(r.Type)+" node: "+string(r.From)+" → "+string(r.To))
		}
	}
	return strings.Join(parts, "\n")
}

func allows(n *ops.TreeNode, do statemachine.Action) bool {
	for _, a := range statemachine.Allowed(statemachine.Type(n.Type), statemachine.Status(n.Status)) {
		if a == do {
			return true
		}
	}
	return false
}

func runTransition(ctx context.Context, opt *transitionOptions) error {
	var err error
	if opt.in.NodeID, err = opt.node(ctx, opt.in.NodeID); err != nil {
		return err
	}
	opt.in.In, opt.in.Write, opt.in.Match = opt.shell.in(), opt.write(), opt.match()
	opt.in.Conclusion, err = opt.text.read(ctx, opt.shell, func() (string, error) {
		n, err := call(ctx, opt.shell, ops.NodeGet, ops.NodeGetIn{In: opt.in.In, NodeID: opt.in.NodeID})
		if err != nil {
			return "", err
		}
		return n.Node.Conclusion, nil
	})
	if err != nil {
		return err
	}
	out, err := call(ctx, opt.shell, ops.NodeTransition, opt.in)
	if err != nil {
		return err
	}
	if a := out.Archived; a != nil && len(a.Rules)+len(a.Docs) > 0 {
		defer opt.say("archived into the workspace: %d rules, %d docs", len(a.Rules), len(a.Docs))
	}
	return opt.wrote(out, out.Wrote, "")
}

// newTransitionByName is node transition NODE ACTION: every action under the name that the other front ends have for it.
func newTransitionByName(sh *shell, run func(context.Context, *transitionOptions) error) *cobra.Command {
	if run == nil {
		run = runTransition
	}
	opt := &transitionOptions{shell: sh}
	var actions []string
	for _, a := range statemachine.Actions() {
		actions = append(actions, string(a))
	}
	cmd := &cobra.Command{
		Use: "transition NODE ACTION [-]", Short: "Move a node along its life cycle",
		Long:    "The actions are " + strings.Join(actions, ", ") + ";\neach is a command of its own as well.",
		Example: `arbor node transition node-mj2hz4gy complete -m "Done"`,
		Args:    args(2, 3, "a NODE and an ACTION", "- for stdin"),
		ValidArgsFunction: func(cmd *cobra.Command, words []string, prefix string) ([]string, cobra.ShellCompDirective) {
			if len(words) == 1 {
				return sh.completeActions(cmd, words[0])
			}
			return sh.completeNodes(nil, 1)(cmd, words, prefix)
		},
		RunE: func(cmd *cobra.Command, words []string) error {
			opt.in.NodeID, opt.in.Action = words[0], words[1]
			if err := opt.text.parsed(cmd, words[2:]); err != nil {
				return err
			}
			return run(cmd.Context(), opt)
		},
	}
	opt.text.flags(cmd, "the conclusion")
	transitionFlags(sh, cmd, &opt.in)
	return cmd
}
