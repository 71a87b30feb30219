package cli

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/statemachine"
)

func showAdded(sh *shell, out *ops.NodeCreateOut) error { return sh.wrote(out, out.Wrote, out.NodeID) }

func nodeUpdateCommand(sh *shell) command {
	in, text, section := &ops.NodeUpdateIn{}, &textSource{}, ""
	to := map[string]**string{"requirement": &in.Requirement, "note": &in.Note, "conclusion": &in.Conclusion}
	c := command{in: in, text: text}
	c.flags = func(cmd *cobra.Command) {
		cmd.Flags().StringVarP(&section, "section", "s", "", "what -m, -F, - and -e are: `requirement|note|conclusion`")
		must(cmd.RegisterFlagCompletionFunc("section", choices("requirement", "note", "conclusion")))
		text.flags(cmd, "the section")
	}
	c.check = func(*cobra.Command) error {
		switch {
		case section == "" && text.given():
			return usagef("which text is it? --section requirement, note or conclusion")
		case section == "":
			return nil
		case to[section] == nil:
			return usagef("there is no section %q to write; requirement, note and conclusion can be written", section)
		case !text.given():
			return usagef("--section %s needs its text: -m TEXT, -F FILE, - for stdin, or -e", section)
		case *to[section] != nil:
			return usagef("the %s is given twice", section)
		}
		text.what = "the " + section
		return nil
	}
	c.start = func(ctx context.Context) (string, error) {
		n, err := sh.read(ctx, in.NodeID)
		if err != nil {
			return "", err
		}
		in.IfMatch = cmp.Or(in.IfMatch, n.Node.Version) // another program may write while the editor is open
		now := map[string]string{
			"requirement": n.Node.Requirement, "note": n.Node.Note, "conclusion": n.Node.Conclusion,
		}
		return now[section], nil
	}
	c.put = func(s string) { *to[section] = &s }
	return c
}

func nodeDeleteCommand(sh *shell) command {
	in := &ops.NodeDeleteIn{}
	return confirmed(sh, in, &in.DryRun, ops.NodeDelete, func(would *ops.NodeDeleteOut) string {
		what := strings.Join(append([]string{in.NodeID}, in.Nodes...), ", ")
		return fmt.Sprintf("Move %s to the trash (%s)?", what, counted(would.DeletedCount, "node"))
	})
}

// confirmed returns a command that asks for confirmation at a terminal, with a question about the result of a dry run.
// Without a terminal it does not ask, because scripts must not hang.
func confirmed[In, Out any](
	sh *shell, in *In, dryRun *bool, op func(context.Context, *ops.Env, In) (*Out, error), question func(*Out) string,
) command {
	yes, c := false, command{in: in}
	c.flags = func(cmd *cobra.Command) { cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask") }
	c.instead = func(ctx context.Context) (bool, error) {
		if yes || *dryRun || !sh.term.in || !sh.term.err || sh.flags.json {
			return false, nil
		}
		*dryRun = true
		would, err := call(ctx, sh, op, *in)
		if *dryRun = false; err != nil {
			return false, err
		}
		agreed, err := agrees(ctx, sh, question(would))
		if err == nil && !agreed {
			err = usagef("not confirmed: nothing was changed; --yes does not ask")
		}
		return false, err
	}
	return c
}

// agrees asks a yes-or-no question at the terminal; the default is no.
func agrees(ctx context.Context, sh *shell, question string) (bool, error) {
	fmt.Fprintf(sh.sys.Stderr, "%s [y/N] ", question)
	answer, err := await(ctx, func() (string, error) {
		line, _ := bufio.NewReader(sh.sys.Stdin).ReadString('\n')
		return strings.ToLower(strings.TrimSpace(line)), nil
	})
	return answer == "y" || answer == "yes", err
}

func isolateCommand(*shell) command {
	in := &ops.NodeIsolateIn{Isolate: true}
	return command{in: in, flags: func(cmd *cobra.Command) {
		cmd.Flags().BoolFunc("off", "join it to its ancestors again", func(string) error {
			in.Isolate = false
			return nil
		})
	}}
}

// isCode reports whether err is an *errs.Error with this code.
func isCode(err error, code errs.Code) bool {
	e := errs.As(err)
	return e != nil && e.Code == code
}

// A verb is the command of one action of the state machine.
type verb struct {
	do                     statemachine.Action
	summary, text, example string
	aliases                string
	concludes              bool // takes a conclusion
}

var verbs = []verb{
	{do: statemachine.Start, summary: "start work on a node",
		text:    "The focus moves to the node, and pending ancestors change to monitoring.",
		example: `arbor start "Sign-in endpoint"`},
	{do: statemachine.Submit, summary: "submit the work of a node for validation",
		text:    "After validation, complete the node or fail it.",
		example: `arbor submit node-mj2hz4gy`, concludes: true},
	{do: statemachine.Complete, summary: "complete a node with its conclusion",
		text: `The conclusion tells the rest of the tree the result of the work. It is required
unless the node already has one. A planning node can be completed once all its
children are finished. A pending execution node is started first, in the same
commit. The node's problem is cleared. Open acceptance criteria prevent
completion: tick those that hold with --tick 1,2. At a terminal, --force
completes the node anyway and logs that.`,
		example: `arbor complete node-mj2hz4gy -m "Done; 5 tries a minute"
arbor complete node-mj2hz4gy -F conclusion.md --tick 1,2
git log -1 --format=%B | arbor complete node-mj2hz4gy -
arbor complete . -e`, aliases: "done", concludes: true},
	{do: statemachine.Fail, summary: "mark a node as failed, with the reason as its conclusion",
		text:    "To work on it again, use arbor retry.",
		example: `arbor fail node-mj2hz4gy -m "The provider closed its API"`, concludes: true},
	{do: statemachine.Retry, summary: "work on a failed node again",
		text:    "The focus moves to the node.",
		example: `arbor retry node-mj2hz4gy --reason "There is a new API"`},
	{do: statemachine.Reopen, summary: "reopen a finished node",
		text:    "The focus moves to the node. Below a completed or cancelled ancestor, --cascade\nreopens the ancestors as well.",
		example: `arbor reopen node-mj2hz4gy --reason "The limit is wrong" --cascade`},
	{do: statemachine.Cancel, summary: "cancel a planning node, with the reason as its conclusion",
		text:    "Its subtree is frozen until the node is reopened. The node's problem is cleared.",
		example: `arbor cancel Backend -m "The customer has single sign-on"`, concludes: true},
	{do: statemachine.Drop, summary: "give up an unfinished node, with the reason",
		text: `A pending node is started first, in the same commit. An execution node then
fails; a planning node is cancelled.`,
		example: `arbor drop node-mj2hz4gy -m "Nobody needs it"`, concludes: true},
}

func transitionCommand(sh *shell, v verb) command {
	in := &ops.NodeTransitionIn{Action: string(v.do)}
	c := concluding(sh, in)
	c.help = ops.Help{
		Use: string(v.do) + " NODE...", Summary: v.summary, Aliases: v.aliases,
		Text: strings.TrimSpace(v.text + "\n\n" + from(v.do)), Example: v.example,
	}
	if v.concludes {
		c.help.Use += " [-]"
	} else {
		c.without = []string{"conclusion"}
	}
	if v.do != statemachine.Complete {
		c.without = append(c.without, "checked")
	}
	c.offers = func(ctx context.Context, _ []string) []offer { return allowing(ctx, sh, in.Action) }
	return c
}

// from lists the transitions of an action, a line each, from the rules of the state machine.
func from(do statemachine.Action) string {
	var parts []string
	for _, r := range statemachine.Rules() {
		if r.Do == do && !r.Automatic {
			parts = append(parts, string(r.Type)+" node: "+string(r.From)+" → "+string(r.To))
		}
	}
	return strings.Join(parts, "\n")
}

// concluding returns the common part of the commands for transitions.
func concluding(sh *shell, in *ops.NodeTransitionIn) command {
	c := command{op: "node_transition", in: in}
	in.Begin = true
	c.start = func(ctx context.Context) (string, error) {
		n, err := sh.read(ctx, in.NodeID)
		if err != nil || len(in.Nodes) > 0 {
			return "", err
		}
		return n.Node.Conclusion, nil
	}
	c.show = showing(sh, func(sh *shell, out *ops.NodeTransitionOut) error {
		err := sh.wrote(out, out.Wrote, "")
		sayEach(sh, "ready now", out.Unblocked)
		if n := out.Next; n != nil {
			sayEach(sh, "next", []ops.Titled{{NodeID: n.ID, Title: n.Title}})
		}
		if a := out.Archived; a != nil && len(a.Rules)+len(a.Docs) > 0 {
			sh.say("archived into the workspace: %d rules, %d docs", len(a.Rules), len(a.Docs))
		}
		return err
	})
	return c
}

// transitionByName is arbor node transition NODE ACTION, which takes every action by the name that the other front ends
// use.
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
