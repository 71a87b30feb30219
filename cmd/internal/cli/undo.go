package cli

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"arbor/context/render"
	"arbor/engine/ops"
	"arbor/mdstore"
)

func undoCommand(sh *shell) command {
	in := &ops.UndoIn{}
	return command{in: in, list: true, show: showing(sh, func(sh *shell, out *ops.UndoOut) error { return showUndone(sh, in, out) }), check: func(*cobra.Command) error {
		in.Diff = in.Diff || in.List && sh.flags.verbose
		return nil
	}, offers: func(context.Context, []string) []offer { return nil }}
}

func showUndone(sh *shell, in *ops.UndoIn, out *ops.UndoOut) error {
	if sh.flags.json || out.Undone != "" {
		if !sh.flags.json {
			what := "undo"
			if in.Again {
				what = "again"
			}
			sh.say("%s: %s", what, render.Visible(out.Undone))
		}
		return sh.wrote(out, out.Wrote, "")
	}
	var rows [][]cell
	for _, o := range out.Operations {
		text := o.Text
		if o.Undone {
			text += "  (undone)"
		} else if o.TooLarge {
			text += "  (too large to be undone)"
		}
		by := strings.Join(strings.Fields(o.Operator+" "+o.Who+" "+o.Session), " ")
		n := cell{text: strconv.Itoa(o.N)}
		rows = append(rows, []cell{n, {text: o.ID, sgr: "2"}, {text: timeOf(o.Time)}, {text: by}, {text: text}})
	}
	if len(rows) == 0 {
		sh.say("no operations")
	}
	table := sh.table([]string{"N", "ID", "TIME", "BY", "WHAT"}, rows)
	all := table[: len(table)-len(rows) : len(table)-len(rows)]
	for i, o := range out.Operations {
		if all = append(all, table[len(table)-len(rows)+i]); o.Diff != "" {
			all = append(all, lines(sh.diff(o.Diff))...)
		}
	}
	return sh.bounded(all, "lines")
}

// recorded makes the changes of a command an operation that can be undone, for commands that call no operation of the
// catalogue.
func (sh *shell) recorded(cmd *cobra.Command, words []string) {
	if slices.ContainsFunc(sh.sys.More, func(m Command) bool { return strings.Fields(m.Use)[0] == cmd.Name() }) {
		return // a front end makes many operations
	}
	cmd.SetContext(sh.withProgress(cmd.Context()))
	text := strings.Join(strings.Fields(cmd.CommandPath())[1:], " ")
	if len(words) > 0 {
		named, _, _ := strings.Cut(words[0], "=") // the rest may be a secret
		text += " " + named
	}
	by, _ := sh.operator() // the command checks it
	op := &mdstore.Operation{Name: cmd.CommandPath(), Text: render.Visible(text),
		Operator: cmp.Or(by, mdstore.OperatorHuman), Session: sh.session()}
	cmd.SetContext(mdstore.WithOperation(cmd.Context(), op))
}
