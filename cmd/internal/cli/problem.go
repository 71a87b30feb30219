package cli

import (
	"context"

	"github.com/spf13/cobra"

	"arbor/engine/ops"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

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
			if err != nil {
				return true, err
			}
			return true, sh.wrote(out, *out, "")
		}
		if text.given() {
			return false, nil
		}
		return true, orText(sh.showProblem(ctx, in.NodeID), "arbor problem -m TEXT says what is wrong with the workspace")
	}
	c.start = func(ctx context.Context) (string, error) {
		s, err := sh.subject(ctx, in.NodeID)
		if err != nil || s.problem == nil {
			return "", err
		}
		return s.problem.Text, nil
	}
	return c
}

func (sh *shell) showProblem(ctx context.Context, node string) error {
	s, err := sh.subject(ctx, node)
	if err != nil {
		return err
	}
	if sh.flags.json {
		hint := "arbor problem --clear takes it away when it is solved"
		if s.problem == nil {
			hint = "nothing is wrong; arbor problem NODE TEXT says what is, and -m TEXT what is wrong with the workspace"
		}
		return sh.json(struct {
			Problem     *mdstore.Problem  `json:"problem"`
			Diagnostics []mdoc.Diagnostic `json:"diagnostics,omitempty"`
			ops.Out
		}{s.problem, s.diagnostics, ops.Out{Hint: hint}})
	}
	sh.damage(s.diagnostics)
	if s.problem == nil {
		sh.say("no problem")
		return nil
	}
	text := s.problem.Text
	if s.problem.NextStep != "" {
		text += "\n\n### " + mdstore.NextStep + "\n\n" + s.problem.NextStep
	}
	return sh.text(text)
}
