package cli

import (
	"cmp"
	"context"
	"strings"

	"arbor/context/render"
	"arbor/engine/errs"
	"arbor/engine/ops"
)

// wrote prints what a writing command changed. out is the operation's result, w its common part, and id what -q prints
// of it; "" for nothing. If it cannot print, the error says that the change is made.
func (sh *shell) wrote(out any, w ops.Wrote, id string) error {
	err := report(sh, out, w, id)
	if err == nil || w.DryRun || !w.Changed {
		return err
	}
	e := errs.New(errs.InternalError, "the change is made, but its report could not be printed: %v", err)
	e.Details = &errs.Details{Committed: true}
	return e
}

func report(sh *shell, out any, w ops.Wrote, id string) error {
	switch {
	case sh.flags.json:
		return sh.json(out)
	case w.DryRun:
		sh.onScreen(sh.diff(w.Diff))
		done := "nothing was written"
		if !w.Changed {
			done = "there is nothing to change"
		}
		sh.say("dry run: %s", done)
	case sh.flags.quiet && id != "":
		return sh.print(render.Visible(id))
	case sh.flags.quiet:
	case !w.Changed:
		sh.say("nothing to change")
	default:
		sh.onScreen(sh.changes(namesOf(sh, w.Workspace()), w, id))
	}
	sh.met(w.Met)
	for _, k := range w.Kept {
		owner, _ := namesOf(sh, w.Workspace()).of(string(k.NodeID))
		owner = cmp.Or(owner, string(k.NodeID), "the workspace")
		sh.say("replaced the %s of %s; what it said is kept in %s", k.Field, owner, k.Kept)
	}
	sh.adapted(w.Adapted)
	for _, text := range w.Warned {
		sh.say("warning: %s", namesOf(sh, w.Workspace()).withTitles(text))
	}
	if w.Changed && !w.DryRun {
		sh.hint(w.Hint)
	}
	return sh.unprinted
}

// sayDry says that this was a dry run, for commands without a diff.
func (sh *shell) sayDry() {
	if sh.flags.dryRun {
		sh.say("dry run: nothing was written")
	}
}

// sent notes that the session has read part, which is what the command printed of the result out.
func sent(ctx context.Context, sh *shell, out, part any) {
	if sh.session() == "" || sh.flags.quiet || sh.unprinted != nil {
		return
	}
	env, err := sh.env(ctx, MustExist)
	if err != nil {
		return
	}
	if printed, err := env.ReplyOf(part); err == nil {
		env.Sent(ctx, out, printed)
	}
}

// adapted reports values that were changed before they were written.
func (sh *shell) adapted(all []string) {
	for _, a := range all {
		sh.say("adapted: %s", a)
	}
}

// onScreen prints text of any length: all of it to a file or pipe, and at most listLines lines to a terminal.
func (sh *shell) onScreen(text string) error {
	if !sh.term.out {
		return sh.print(text)
	}
	return sh.bounded(lines(text), "lines", "a file or a pipe takes all of them: | less")
}

// diff returns a unified diff for stdout: coloured on a terminal, unchanged elsewhere.
func (sh *shell) diff(d string) string {
	style := sh.style()
	switch {
	case !sh.term.out && !style.Color:
		return d
	case !style.Color:
		return render.VisibleLines(d)
	}
	all := lines(render.VisibleLines(d))
	for i, line := range all {
		all[i] = style.Paint(diffColor(line), line)
	}
	return strings.Join(all, "\n")
}

func diffColor(line string) string {
	for _, c := range []struct{ start, sgr string }{
		{"--- ", "1"}, {"+++ ", "1"}, {"rename ", "1"}, {"@@", "36"}, {"+", "32"}, {"-", "31"},
	} {
		if strings.HasPrefix(line, c.start) {
			return c.sgr
		}
	}
	return ""
}
