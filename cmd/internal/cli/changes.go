package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"arbor/context/render"
	"arbor/engine/ops"
)

type changesOptions struct {
	*shell
	in ops.ChangesGetIn
}

func newChanges(sh *shell, run func(context.Context, *changesOptions) error) *cobra.Command {
	if run == nil {
		run = runChanges
	}
	opt := &changesOptions{shell: sh}
	cmd := &cobra.Command{
		Use: "changes", Short: "Tell what people and other programs changed since you last looked",
		Long: `File by file, with the fields and sections concerned: since the session last looked,
or since a time of your choice. What a session has seen is kept for 14 days after it
last looked, of the 16 that looked last. What it is told counts as seen, so that it
is told all, however much it is.`,
		Example:           "arbor changes --session alice\narbor changes --since 2h30m\narbor changes --since \"2026-01-01 10:00:00\"",
		Args:              args(0, 0, ""),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			opt.in.SessionID = sh.session()
			return run(cmd.Context(), opt)
		},
	}
	cmd.Flags().StringVar(&opt.in.Since, "since", "", "since this `TIME`: UTC, RFC 3339, Unix milliseconds, or how long ago")
	must(cmd.RegisterFlagCompletionFunc("since", cobra.NoFileCompletions))
	sh.lists(cmd)
	return cmd
}

func runChanges(ctx context.Context, opt *changesOptions) error {
	if opt.in.SessionID == "" && opt.in.Since == "" {
		return usagef("since when? --since TIME, or a session that remembers when it last looked (--session, ARBOR_SESSION)")
	}
	opt.in.In = opt.shell.in()
	out, err := call(ctx, opt.shell, ops.ChangesGet, opt.in)
	if err != nil {
		return err
	}
	if opt.flags.json {
		return opt.json(out)
	}
	var all []string
	style := opt.style()
	for _, c := range out.Changes {
		c.Path = opt.shown(c.Path)
		all = append(all, changeLine(c, style, opt.flags.quiet))
	}
	if opt.in.Since == "" { // all of it: what a session is told counts as seen, and no later call names it
		if err := opt.print(strings.Join(all, "\n")); err != nil {
			return err
		}
	} else if err := opt.bounded(all, "files", "--all brings the rest"); err != nil {
		return err
	}
	if len(out.Changes) == 0 && !out.First {
		opt.say("nothing changed")
	}
	opt.hint(out.Hint)
	return nil
}

func changeLine(c ops.FileChange, style render.Style, quiet bool) string {
	if quiet {
		return render.Visible(c.Path)
	}
	colors := map[string]string{"created": "32", "changed": "33", "removed": "31"}
	line := style.Paint(colors[c.Kind], c.Kind) + " " + render.Visible(c.Path)
	if c.Title != "" {
		line += "  " + style.Paint("1", render.Visible(c.Title))
	}
	var parts []string
	if len(c.Fields) > 0 {
		parts = append(parts, strings.Join(c.Fields, ", "))
	}
	if len(c.Sections) > 0 {
		parts = append(parts, "## "+strings.Join(c.Sections, ", ## "))
	}
	if len(parts) > 0 {
		line += ": " + render.Visible(strings.Join(parts, "; "))
	}
	return line
}
