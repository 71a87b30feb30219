package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"strings"

	"github.com/spf13/cobra"

	"arbor/engine/env/act"
	"arbor/engine/env/trust"
	"arbor/engine/errs"
	"arbor/engine/ops"
)

// questionOf returns the yes-or-no question about a request, which follows its description.
func questionOf(r trust.Request) string {
	if r.Subject != nil {
		return "Trust it?"
	}
	return "Let it run?"
}

// approveCommand lists the open requests. With an ID it shows the request and what would be granted, and then asks;
// with --deny it refuses the request.
func approveCommand(sh *shell) command {
	in, deny := &ops.ApproveIn{}, false
	c := confirmed(sh, in, &in.DryRun, ops.Approve, func(would *ops.DecideOut) string {
		return act.Asked(would.Request, false) + act.Granted(would.Granted) + questionOf(would.Request)
	})
	c.show = showing(sh, showDecision)
	confirmation, confirm := c.flags, c.instead
	c.flags = func(cmd *cobra.Command) {
		confirmation(cmd)
		cmd.Flags().BoolVar(&deny, "deny", false, "refuse it; the assistant is told that a person did not agree")
	}
	c.check = func(cmd *cobra.Command) error {
		granted := in.Session || in.Always || in.Paths != ""
		switch {
		case in.ID == "" && (deny || granted):
			return usagef("which request? arbor env approve lists what waits")
		case deny && granted:
			return usagef("--deny refuses the request; it grants nothing for later")
		}
		return nil
	}
	c.instead = func(ctx context.Context) (bool, error) {
		switch {
		case in.ID == "":
			out, err := call(ctx, sh, ops.ApprovalList, ops.ApprovalListIn{})
			if err == nil && sh.flags.json {
				err = sh.json(out)
			} else if err == nil {
				err = showApprovals(sh, out)
			}
			return true, err
		case deny && !in.DryRun:
			out, err := call(ctx, sh, ops.Deny, ops.DenyIn{ID: in.ID})
			if err == nil {
				err = showDecision(sh, out)
			}
			return true, err
		case in.DryRun && !sh.flags.json:
			out, err := call(ctx, sh, ops.Approve, *in)
			if err == nil {
				err = sh.print(act.Asked(out.Request, true) + act.Granted(out.Granted))
			}
			return true, err
		}
		return confirm(ctx)
	}
	return c
}

// runCommand runs a tool. If an approval is missing, it asks for it, at a terminal.
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
	sh.hint("arbor env approve ID lets one run, with --deny it refuses it")
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
			var line bytes.Buffer // the stored JSON is indented
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
