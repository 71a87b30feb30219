package cli

import (
	"context"

	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

func logCommand(sh *shell) command {
	in, text := &ops.LogAppendIn{}, &textSource{}
	c := command{in: in, list: true, text: text}
	c.instead = func(ctx context.Context) (bool, error) {
		if !text.given() {
			return true, orText(sh.showLog(ctx, in.NodeID), "arbor log -m EVENT writes to the workspace's log")
		}
		var err error
		if in.Operator, err = sh.operator(); in.Operator == "" {
			in.Operator = mdstore.OperatorHuman
		}
		return false, err
	}
	return c
}

// orText adds to an error about a single word that names no node how it would be a text.
func orText(err error, how string) error {
	if !isCode(err, errs.NodeNotFound) {
		return err
	}
	e := *errs.As(err)
	e.Message += "; if it is a text: " + how
	return &e
}

// A subject is a node or a workspace as the commands log and problem read it.
type subject struct {
	log         []mdstore.LogEntry
	logHidden   int
	problem     *mdstore.Problem
	diagnostics []mdoc.Diagnostic
}

// subject reads a node, or the workspace where node is "".
func (sh *shell) subject(ctx context.Context, node string) (subject, error) {
	if node == "" {
		out, err := call(ctx, sh, ops.WorkspaceOwn, ops.WorkspaceGetIn{In: sh.in()})
		if err != nil {
			return subject{}, err
		}
		return subject{out.Log, out.LogHidden, out.Problem, out.Diagnostics}, nil
	}
	out, err := call(ctx, sh, ops.NodeGet, ops.NodeGetIn{In: sh.in(), NodeID: node})
	if err != nil {
		return subject{}, err
	}
	return subject{out.Node.Log, 0, out.Node.Problem, out.Node.Diagnostics}, nil
}

func (sh *shell) showLog(ctx context.Context, node string) error {
	s, err := sh.subject(ctx, node)
	if err != nil {
		return err
	}
	hint := "arbor log NODE EVENT adds to it"
	if node == "" {
		hint = "arbor log -m EVENT adds to it"
	}
	entries, hidden := s.log, s.logHidden
	if sh.flags.json {
		return sh.json(struct {
			Log         []mdstore.LogEntry `json:"log"`
			Hidden      int                `json:"logHidden,omitempty"`
			Diagnostics []mdoc.Diagnostic  `json:"diagnostics,omitempty"`
			ops.Out
		}{entries, hidden, s.diagnostics, ops.Out{Hint: hint}})
	}
	p := sh.page()
	if room := listLines - 1; len(entries) > listLines && !sh.flags.all {
		hidden += len(entries) - room
		entries = entries[len(entries)-room:]
	}
	for _, e := range entries {
		p.b.WriteString(p.entry(e) + "\n")
	}
	if err := p.print(); err != nil {
		return err
	}
	sh.damage(s.diagnostics)
	switch {
	case len(entries) == 0:
		sh.say("the log is empty")
	case hidden > 0 && node != "":
		sh.warn("%d earlier entries are not shown; --all brings them", hidden)
	case hidden > 0:
		sh.warn("%d earlier entries are not shown; they are in Workspace.md", hidden)
	}
	sh.hint(hint)
	return nil
}
