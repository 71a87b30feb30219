package cli

import (
	"context"

	"github.com/spf13/cobra"

	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/mdstore"
)

func logCommand(sh *shell) command {
	in, text := &ops.LogAppendIn{}, &textSource{}
	c := command{in: in, list: true, text: text}
	c.instead = func(ctx context.Context) (bool, error) {
		if text.given() {
			return false, forgotten(ctx, sh, in.NodeID, text)
		}
		if len(in.Nodes) > 0 {
			return true, usagef("several nodes take the event by -m EVENT, -F FILE, - or -e")
		}
		return true, orText(showLog(ctx, sh, in.NodeID), "arbor log -m EVENT writes to the workspace's log")
	}
	return c
}

// forgotten refuses an event that is the name of a node: probably several nodes are given and the text is missing.
func forgotten(ctx context.Context, sh *shell, node string, text *textSource) error {
	if text.word == nil || *text.word == "-" {
		return nil
	}
	if n := nodeNamed(ctx, sh, *text.word); *text.word == n.ID || *text.word == n.Title && n.ID != "" {
		const how = "%s is a node, and no event is given; arbor log %s %s -m EVENT adds one to the log of each"
		return usagef(how, n.Title, node, *text.word)
	}
	return nil
}

// orText adds to NODE_NOT_FOUND how to give the word as a text instead.
func orText(err error, how string) error {
	if !isCode(err, errs.NodeNotFound) {
		return err
	}
	e := *errs.As(err)
	e.Message += "; if it is a text: " + how
	if d := e.Details; d != nil && d.Head != "" {
		told := *d
		told.Head += "; if it is a text: " + how
		e.Details = &told
	}
	return &e
}

// readOwner returns the log and the problem of a node, or those of the workspace if node is "".
func readOwner(ctx context.Context, sh *shell, node string) (*ops.NodeGetOut, error) {
	if node != "" {
		return sh.read(ctx, node)
	}
	ws, err := sh.own(ctx)
	if err != nil {
		return nil, err
	}
	return &ops.NodeGetOut{Out: ws.Out, Node: ops.NodeInfo{
		Log: ws.Log, LogHidden: ws.LogHidden, Problem: ws.Problem, Diagnostics: ws.Diagnostics}}, nil
}

func showLog(ctx context.Context, sh *shell, node string) error {
	sh.parts = true
	out, err := readOwner(ctx, sh, node)
	if err != nil {
		return err
	}
	n, hint := out.Node, "arbor log NODE EVENT adds to it"
	rest := "%d earlier entries are not shown; --all shows them"
	if node == "" {
		hint, rest = "arbor log -m EVENT adds to it", "%d earlier entries are not shown; they are in Workspace.md"
	}
	if sh.flags.json {
		members := map[string]any{"log": n.Log}
		if n.LogHidden > 0 {
			members["logHidden"] = n.LogHidden
		}
		return sh.part(members, n.Diagnostics, hint)
	}
	entries, hidden := n.Log, n.LogHidden
	if room := listLines - 1; len(entries) > listLines && !sh.flags.all {
		hidden += len(entries) - room
		entries = entries[len(entries)-room:]
	}
	p := sh.page()
	p.entries(entries)
	p.print("")
	sh.damage(n.Diagnostics)
	switch {
	case len(entries) == 0:
		sh.say("the log is empty")
	case hidden > 0:
		sh.warn(rest, hidden)
	}
	sh.hint(hint)
	return nil
}

func problemCommand(sh *shell) command {
	in, text, clear := &ops.ProblemUpdateIn{}, &textSource{}, false
	c := command{in: in, text: text}
	c.flags = func(cmd *cobra.Command) {
		cmd.Flags().BoolVar(&clear, "clear", false, "clear the problem: it is solved")
	}
	c.check = func(*cobra.Command) error {
		switch {
		case clear && (text.given() || in.NextStep != ""):
			return usagef("--clear takes the problem away; it goes with no text and no --next")
		case !clear && !text.given() && in.NextStep != "":
			return usagef("--next goes with the problem: TEXT, -m, -F, - or -e")
		}
		return nil
	}
	c.instead = func(ctx context.Context) (bool, error) {
		if clear {
			solved := ops.ProblemClearIn{In: in.In, NodeID: in.NodeID, Match: in.Match, Write: in.Write}
			out, err := call(ctx, sh, ops.ProblemClear, solved)
			if err == nil {
				err = sh.wrote(out, *out, "")
			}
			return true, err
		}
		if text.given() {
			return false, nil
		}
		return true, orText(showProblem(ctx, sh, in.NodeID), "arbor problem -m TEXT says what is wrong with the workspace")
	}
	c.start = func(ctx context.Context) (string, error) {
		out, err := readOwner(ctx, sh, in.NodeID)
		if err != nil || out.Node.Problem == nil {
			return "", err
		}
		return out.Node.Problem.Text, nil
	}
	return c
}

func showProblem(ctx context.Context, sh *shell, node string) error {
	sh.parts = true
	out, err := readOwner(ctx, sh, node)
	if err != nil {
		return err
	}
	n := out.Node
	defer sent(ctx, sh, out, n.Problem)
	if sh.flags.json {
		hint := "arbor problem --clear takes it away when it is solved"
		if n.Problem == nil {
			hint = "nothing is wrong; arbor problem NODE TEXT says what is, and -m TEXT what is wrong with the workspace"
		}
		return sh.part(map[string]any{"problem": n.Problem}, n.Diagnostics, hint)
	}
	sh.damage(n.Diagnostics)
	if n.Problem == nil {
		sh.say("no problem")
		return nil
	}
	text := n.Problem.Text
	if n.Problem.NextStep != "" {
		text += "\n\n### " + mdstore.NextStep + "\n\n" + n.Problem.NextStep
	}
	return sh.text(text)
}
