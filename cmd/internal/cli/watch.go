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
	day string // of the previous line
}

func newWatch(sh *shell) *cobra.Command {
	opt := &watchOptions{shell: sh}
	cmd := &cobra.Command{
		Use: "watch [WS]", Short: "Print each change as it happens, until interrupted", Aliases: []string{"tail"},
		Long: `Prints one line per change by any program, within a second of the save: local
time, what happened to which node, fields with old and new values, sections, new
entries of lists and logs, and the file. Then it prints problems that arose
since, as arbor check reports them, and problems that are gone. Documents of the
project and stray files are not watched; use arbor check. Without a workspace it
watches the whole vault. A change of more than 200 lines is cut, with the number
of lines left out; --all prints everything.

With --json each change is one document on its own line, and nothing is cut:
time (UTC), workspaceId, nodeId (absent for the workspace itself), title, kind
(created, changed, removed, moved, or diagnosed if only the problems changed),
path, from (the old path after a move), nodes (added, removed or moved with a
workspace; added ones also have their own lines), unreadable, fields [{key,
from, to}], sections [{name, kind, added, removed}], diagnostics (new problems),
mended (problems that are gone). Paths are absolute. Lines with the same time
belong together.

Ctrl-C ends it with exit code 0; so does the next line if the reader of a pipe
is gone.`,
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

// errUnread ends arbor watch without a failure.
var errUnread = errors.New("the reader of stdout is gone")

func runWatch(ctx context.Context, opt *watchOptions) error {
	signal.Ignore(syscall.SIGPIPE) // so that a write to a closed pipe returns an error and does not kill the process
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
		return nil // an interrupt is the normal end
	}
	return err
}

func (opt *watchOptions) began(b feed.Baseline) {
	where := opt.vault.Found.Vault
	if !opt.vault.Found.Server {
		where = opt.shown(where)
	}
	opt.say("watching %s with %s in %s; Ctrl-C ends it", counted(b.Workspaces, "workspace"), counted(b.Nodes, "node"), where)
	if b.Diagnostics > 0 {
		opt.say("found before the watch began: %s; arbor check lists them", counted(b.Diagnostics, "diagnostic"))
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

// tell prints a report in one write.
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
