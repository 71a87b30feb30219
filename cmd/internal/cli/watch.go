package cli

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"arbor/engine/feed"
	"arbor/mdstore"
)

type watchOptions struct {
	*shell
	day string // of the line before
}

func newWatch(sh *shell) *cobra.Command {
	opt := &watchOptions{shell: sh}
	cmd := &cobra.Command{
		Use: "watch [WS]", Short: "Print each change as it happens, until interrupted", Aliases: []string{"tail"},
		Long: `One line a change, by any program, within a second of the save: the local time,
what happened to which node, the fields with their old and new values, the
sections, new entries of lists and logs, and the file. After it comes what is
wrong since then, as arbor check reports it, and what is repaired. Documents of
the project and stray files are for arbor check. Without a workspace it watches
the whole vault. A change that brings more than 200 lines is cut, with the
number of those left out; --all prints them all.

With --json each change is one document on a line of its own, and all are
printed: time (UTC), workspaceId, nodeId (not of a workspace itself), title,
kind (created, changed, removed, moved; diagnosed: no file changed, but what is
wrong did), path, from (of what moved), nodes (that came, went or moved with a
workspace; those that came have lines, too), unreadable, fields [{key, from,
to}], sections [{name, kind, added, removed}], diagnostics (those that came),
mended (those that went). Paths are absolute. Lines of one time happened at
once.

Ctrl-C ends it with exit code 0, and so does the next line for a pipe whose
reader is gone.`,
		Example:           "arbor watch\narbor watch Login --json | jq -r .path\narbor watch -q >> changes.txt &",
		ValidArgsFunction: completeFlag(sh, workspaceOffers),
		RunE: func(cmd *cobra.Command, words []string) error {
			if len(words) > 0 {
				if err := workspaceWord(sh, words[0]); err != nil {
					return err
				}
			}
			return runWatch(cmd.Context(), opt)
		},
	}
	sh.lists(cmd)
	return cmd
}

// errUnread says that the reader of stdout is gone.
var errUnread = errors.New("the reader of stdout is gone")

func runWatch(ctx context.Context, opt *watchOptions) error {
	signal.Ignore(syscall.SIGPIPE) // a write to a pipe without a reader fails then, and does not kill the process
	defer signal.Reset(syscall.SIGPIPE)
	v, err := opt.open(ctx, Lasting)
	if err != nil {
		return err
	}
	tell := func(r feed.Report) error {
		opt.met(v.Engine.Live().Late(ctx, true))
		return opt.tell(r)
	}
	polls := func(why error) { opt.say("changes are found by looking every two seconds: %v", why) }
	news := &feed.Feed{Began: opt.began, Tell: tell, Away: opt.away, Polls: polls, Off: v.Engine.Off()}
	if opt.flags.workspace != "" {
		ws, err := opt.own(ctx)
		if err != nil {
			return err
		}
		news.Workspace = mdstore.ID(ws.Workspace.ID)
	}
	err = news.Run(ctx, v.Engine.Live())
	if ctx.Err() != nil || errors.Is(err, errUnread) {
		opt.unprinted = nil
		return nil // to be interrupted is how it ends
	}
	return err
}

func (opt *watchOptions) began(b feed.Baseline) {
	where := opt.shown(opt.vault.Found.Vault)
	opt.say("watching %s with %s in %s; Ctrl-C ends it", counted(b.Workspaces, "workspace"), counted(b.Nodes, "node"), where)
	if b.Diagnostics > 0 {
		opt.say("wrong already: %s; arbor check lists what", counted(b.Diagnostics, "diagnostic"))
	}
}

func (opt *watchOptions) away(why error) {
	switch {
	case opt.flags.quiet:
	case errors.Is(why, fs.ErrNotExist):
		opt.warn("the vault was moved or deleted; waiting for it to come back")
	case why != nil:
		opt.warn("%v; waiting for it", why)
	default:
		opt.warn("the vault is back")
	}
}

// tell prints what changed, in one piece.
func (opt *watchOptions) tell(r feed.Report) error {
	print := opt.printLines
	if opt.flags.json {
		print = opt.printDocuments
	}
	err := print(r)
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) {
		return errUnread
	}
	return err
}
