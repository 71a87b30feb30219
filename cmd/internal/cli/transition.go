package cli

import (
	"context"
	"slices"
	"strings"

	"arbor/engine/ops"
	"arbor/statemachine"
)

// A verb is how one action reads at the command line. The state machine says what it does.
type verb struct {
	do                     statemachine.Action
	summary, text, example string
	aliases                string
	concludes              bool // takes a conclusion
}

var verbs = []verb{
	{do: statemachine.Start, summary: "begin the work of a node",
		text:    "The focus moves to the node, and pending ancestors go into monitoring.",
		example: `arbor start "Sign-in endpoint"`, aliases: "begin"},
	{do: statemachine.Submit, summary: "submit the work of a node for validation",
		text:    "The node is validated next: complete it, or fail it.",
		example: `arbor submit node-mj2hz4gy`, concludes: true},
	{do: statemachine.Complete, summary: "complete a node with its conclusion",
		text: `The conclusion is what the rest of the tree learns of the work: the result, not
the way to it. It is required unless the node has one already. A planning node
is complete when all its children are finished. The node's problem is cleared.`,
		example: `arbor complete node-mj2hz4gy -m "Done; 5 tries a minute"
arbor complete node-mj2hz4gy -F conclusion.md
git log -1 --format=%B | arbor complete node-mj2hz4gy -
arbor complete . -e`, aliases: "done close", concludes: true},
	{do: statemachine.Fail, summary: "give a node up, with the reason as its conclusion",
		text:    "A failed node can be taken up again with retry.",
		example: `arbor fail node-mj2hz4gy -m "The provider closed its API"`, concludes: true},
	{do: statemachine.Retry, summary: "take a failed node up again",
		text:    "The focus moves to the node.",
		example: `arbor retry node-mj2hz4gy --reason "There is a new API"`},
	{do: statemachine.Reopen, summary: "reopen a finished node",
		text:    "The focus moves to the node. Below a completed or cancelled ancestor, --cascade\nreopens the ancestors as well.",
		example: `arbor reopen node-mj2hz4gy --reason "The limit is wrong" --cascade`},
	{do: statemachine.Cancel, summary: "cancel a planning node, with the reason as its conclusion",
		text:    "What lies below it is frozen until the node is reopened. The node's problem is\ncleared.",
		example: `arbor cancel node-mj2hz4gy -m "The customer has single sign-on"`, concludes: true},
}

func transitionCommand(sh *shell, v verb) command {
	c := concluding(sh, &ops.NodeTransitionIn{Action: string(v.do)})
	c.help = ops.Help{
		Use: string(v.do) + " NODE", Summary: v.summary, Aliases: v.aliases,
		Text: v.text + "\n\n" + from(v.do), Example: v.example,
	}
	if v.concludes {
		c.help.Use += " [-]"
	} else {
		c.without = []string{"conclusion"}
	}
	c.nodes = func(n *ops.TreeNode) bool {
		allowed := statemachine.Allowed(statemachine.Type(n.Type), statemachine.Status(n.Status))
		return slices.Contains(allowed, v.do)
	}
	return c
}

// from lists the statuses from which an action leads, and where to, as the rows of the state machine have it.
func from(do statemachine.Action) string {
	var parts []string
	for _, r := range statemachine.Rules() {
		if r.Do == do && !r.Automatic {
			parts = append(parts, string(r.Type)+" node: "+string(r.From)+" → "+string(r.To))
		}
	}
	return strings.Join(parts, "\n")
}

// concluding returns the command of a transition.
func concluding(sh *shell, in *ops.NodeTransitionIn) command {
	c := command{op: "node_transition", in: in}
	c.start = func(ctx context.Context) (string, error) {
		n, err := sh.read(ctx, in.NodeID)
		if err != nil {
			return "", err
		}
		return n.Node.Conclusion, nil
	}
	c.show = showing(sh, func(sh *shell, out *ops.NodeTransitionOut) error {
		err := sh.wrote(out, out.Wrote, "")
		if a := out.Archived; a != nil && len(a.Rules)+len(a.Docs) > 0 {
			sh.say("archived into the workspace: %d rules, %d docs", len(a.Rules), len(a.Docs))
		}
		return err
	})
	return c
}

// transitionByName is node transition NODE ACTION: every action under the name that the other front ends have for it.
func transitionByName(sh *shell) command {
	c := concluding(sh, &ops.NodeTransitionIn{})
	c.offers = func(ctx context.Context, words []string) (all []offer) {
		switch len(words) {
		case 0:
			return nodeOffers(nil)(ctx, sh)
		case 1:
			for _, a := range nodeNamed(ctx, sh, words[0]).Allowed {
				all = append(all, offer{word: a})
			}
		}
		return all
	}
	return c
}
