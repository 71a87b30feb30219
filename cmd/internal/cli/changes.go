package cli

import (
	"context"
	"math"
	"strings"
	"time"

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
or since a time of your choice.`,
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
	if err := opt.bounded(all, "files", "--all brings the rest"); err != nil {
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

type nextOptions struct {
	*shell
	in    ops.NodeNextIn
	lease time.Duration
}

func newNext(sh *shell, run func(context.Context, *nextOptions) error) *cobra.Command {
	if run == nil {
		run = runNext
	}
	opt := &nextOptions{shell: sh}
	cmd := &cobra.Command{
		Use: "next", Short: "Tell which nodes are ready to be worked on", Aliases: []string{"ready"},
		Long: `In tree order, the first one unless -n says more. --claim takes them for the
session: nobody else is given them while the lease lasts.`,
		Example:           "arbor next\narbor next -n 5\narbor start $(arbor next --claim -q --session alice)",
		Args:              args(0, 0, ""),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			opt.in.SessionID = sh.session()
			if opt.in.Claim && opt.in.SessionID == "" {
				_, err := sh.namedSession()
				return err
			}
			if opt.in.Claim && sh.flags.all {
				return usagef("--claim takes as many as -n says, and no other session is given them; --all would take every one")
			}
			if sh.flags.all && !cmd.Flags().Changed("count") {
				opt.in.Count = math.MaxInt32
			}
			if opt.lease < 0 || opt.lease > 0 && opt.lease < time.Second {
				return usagef("--lease is %v; a second is the shortest", opt.lease)
			}
			opt.in.LeaseSeconds = int(opt.lease / time.Second)
			return run(cmd.Context(), opt)
		},
	}
	cmd.Flags().IntVarP(&opt.in.Count, "count", "n", 0, "at most `N` nodes; 1 unless said otherwise")
	cmd.Flags().BoolVar(&opt.in.Claim, "claim", false, "take them for the session")
	cmd.Flags().DurationVar(&opt.lease, "lease", 0, "for `HOW LONG`; 30m unless said otherwise")
	must(cmd.RegisterFlagCompletionFunc("count", cobra.NoFileCompletions))
	must(cmd.RegisterFlagCompletionFunc("lease", cobra.NoFileCompletions))
	sh.lists(cmd)
	return cmd
}

func runNext(ctx context.Context, opt *nextOptions) error {
	opt.in.In = opt.shell.in()
	out, err := call(ctx, opt.shell, ops.NodeNext, opt.in)
	if err != nil {
		return err
	}
	if opt.flags.json {
		return opt.json(out)
	}
	var rows [][]cell
	var ids []string
	for _, n := range out.Nodes {
		title := n.Title
		if len(n.Way) > 0 {
			title += "  in " + strings.Join(n.Way, " / ")
		}
		sign := render.SignOf(n.Status, opt.ascii())
		rows = append(rows, []cell{{text: n.NodeID, sgr: "2"}, {text: sign + " " + n.Status, status: n.Status}, {text: title}})
		ids = append(ids, render.Visible(n.NodeID))
	}
	if opt.flags.quiet {
		return opt.bounded(ids, "nodes", "--all brings the rest")
	}
	if err := opt.bounded(lines(opt.table([]string{"ID", "STATUS", "TITLE"}, rows)), "lines", "--all brings the rest"); err != nil {
		return err
	}
	switch rest := out.Ready - len(out.Nodes); {
	case len(out.Nodes) == 0:
		opt.say("no node is ready")
	case rest > 0:
		opt.say("%d more are ready; -n brings them", rest)
	}
	opt.hint(out.Hint)
	return nil
}
