package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"strings"

	"arbor/engine/env/act"
	"arbor/engine/env/trust"
	"arbor/engine/errs"
	"arbor/engine/ops"
)

// questionOf is what a person answers with yes or no, below what they are shown.
func questionOf(r trust.Request) string {
	if r.Subject != nil {
		return "Trust it?"
	}
	return "Let it run?"
}

// approveCommand shows what waits, and what would be granted, before it asks.
func approveCommand(sh *shell) command {
	in := &ops.ApproveIn{}
	c := confirmed(sh, in, &in.DryRun, ops.Approve, func(would *ops.DecideOut) string {
		return act.Asked(would.Request, false) + act.Granted(would.Granted) + questionOf(would.Request)
	})
	c.show = showing(sh, showDecision)
	return c
}

// runCommand runs a tool, and asks whoever runs it at a terminal where an approval is missing.
func runCommand(sh *shell) command {
	in := &ops.ToolCallIn{}
	return command{in: in, show: showing(sh, showRun), instead: func(ctx context.Context) (bool, error) {
		for atTerminal(sh) {
			out, err := call(ctx, sh, ops.ToolCall, *in)
			e := errs.As(err)
			if err == nil {
				return true, showRun(sh, out)
			} else if e.Code != errs.ApprovalPending || e.Details == nil {
				return true, err
			}
			would, err := call(ctx, sh, ops.Approve, ops.ApproveIn{ID: e.Details.Param, DryRun: true})
			if err != nil {
				return true, err
			}
			agreed, err := agrees(ctx, sh, act.Asked(would.Request, false)+"Let it run?")
			if err == nil && agreed {
				_, err = call(ctx, sh, ops.Approve, ops.ApproveIn{ID: would.Request.ID})
			} else if err == nil {
				_, err = call(ctx, sh, ops.Deny, ops.DenyIn{ID: would.Request.ID})
				return true, cmp.Or(err, error(usagef("not approved: nothing ran")))
			}
			if err != nil {
				return true, err
			}
		}
		return false, nil
	}}
}

func showDecision(sh *shell, out *ops.DecideOut) error {
	if sh.flags.json {
		return sh.json(out)
	}
	sh.say("%s: %s", out.Request.State, strings.TrimSpace(act.AskedFor(out.Request)))
	if out.Granted != nil {
		sh.say("%s", strings.TrimSpace(act.Granted(out.Granted)))
	}
	sh.hint(out.Hint)
	return nil
}

func showApprovals(sh *shell, out *ops.ApprovalListOut) error {
	if sh.flags.quiet {
		for _, r := range out.Requests {
			if err := sh.onScreen(r.ID); err != nil {
				return err
			}
		}
		return nil
	}
	if len(out.Requests) == 0 {
		sh.say("nothing waits for you")
		return nil
	}
	err := sh.print(out.Text())
	sh.hint("arbor approve ID lets one run, arbor deny ID refuses it")
	return err
}

func showGrants(sh *shell, out *ops.EnvGrantsOut) error {
	if sh.flags.json {
		return sh.json(out)
	}
	var rows [][]cell
	for _, g := range out.Grants {
		of, session := g.Glob, g.Session
		if of == "" {
			var line bytes.Buffer // the book is indented
			if of = string(g.Arguments); json.Compact(&line, g.Arguments) == nil {
				of = line.String()
			}
		}
		if session == "" {
			session = "every session"
		}
		rows = append(rows, []cell{{text: g.ID}, {text: g.Tool}, {text: g.Environment}, {text: of}, {text: session}})
	}
	if len(rows) == 0 {
		sh.say("nothing is granted")
		return nil
	}
	return sh.bounded(sh.table([]string{"ID", "TOOL", "ENV", "OF", "SESSION"}, rows), "lines")
}
