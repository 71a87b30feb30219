package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"arbor/context/render"
	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
	"arbor/statemachine"
)

// The exit codes. They are part of the interface and never change their meaning.
const (
	exitOK          = 0
	exitInternal    = 1
	exitInvalid     = 2
	exitNotFound    = 3
	exitRefused     = 4
	exitConflict    = 5
	exitUnreadable  = 6
	exitInterrupted = 130
)

var exitCodes = map[errs.Class]int{
	errs.Internal: exitInternal, errs.Invalid: exitInvalid, errs.NotFound: exitNotFound,
	errs.Refused: exitRefused, errs.Conflict: exitConflict, errs.Unreadable: exitUnreadable,
	errs.Disk: exitInternal,
}

// exitHelp is what help says about them.
var exitHelp = []struct {
	code int
	text string
}{
	{exitOK, "done"},
	{exitInternal, "an unexpected failure: a full disk, a missing permission, a bug"},
	{exitInvalid, "a wrong command line or argument"},
	{exitNotFound, "no such vault, workspace, node or session"},
	{exitRefused, "the life cycle or the rules forbid it"},
	{exitConflict, "files changed meanwhile: read again"},
	{exitUnreadable, "a file is damaged; also what check returns when it finds anything"},
	{exitInterrupted, "interrupted"},
}

// errFound is the error of a command that has printed what is wrong as its result.
var errFound = errors.New("diagnostics were found")

// finish prints the error of a command and returns the exit code. n names the nodes in the message.
func (sh *shell) finish(ctx context.Context, err error, n names) int {
	defer settleTyped(sh, err)
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errFound):
		return exitUnreadable
	}
	e := errs.As(err).In(ops.Shell)
	if !wantsJSON(sh) || sh.json(map[string]any{"error": e}) != nil {
		complain(sh, e, n)
	}
	if ctx.Err() != nil {
		if stopped := sh.loops.stopped(); stopped != "" {
			sh.say("%s", stopped)
		}
		return exitInterrupted
	}
	return exitCodes[e.Class()]
}

// wantsJSON reports whether --json was given, even if the flags could not be parsed.
func wantsJSON(sh *shell) bool {
	args := sh.sys.Args
	if i := slices.Index(args, "--"); i >= 0 {
		args = args[:i]
	}
	return !sh.protocol && (sh.flags.json || slices.Contains(args, "--json") || slices.Contains(args, "--json=true"))
}

// complain prints an error for people: the message, facts that are not in it, and what may help.
func complain(sh *shell, e *errs.Error, n names) {
	style := sh.style()
	style.Color = sh.color(sh.term.err)
	var b strings.Builder
	message := e.Message
	if d := e.Details; d != nil && d.Head != "" {
		if message = d.Head; e.Code != errs.AmbiguousID {
			message += "; did you mean:"
		}
	}
	message = n.withTitles(message)
	b.WriteString(style.Paint("31", "arbor:") + " " + render.VisibleLines(message) + "\n")
	for _, line := range sh.offered {
		b.WriteString("  " + render.Visible(line) + "\n")
	}
	if d := e.Details; d != nil {
		if sh.offered == nil {
			candidates(&b, style, e, n)
		}
		for _, p := range d.Problems {
			if !strings.Contains(e.Message, p.Text) {
				fmt.Fprintf(&b, "  %s\n", render.Visible(p.String()))
			}
		}
		if d.Text != "" {
			b.WriteString("\n" + render.VisibleLines(d.Text) + "\n\n")
		}
		if d.Committed {
			b.WriteString("  the change is made: do not repeat it\n")
		}
	}
	if try := remedies[e.Code]; try.text != "" && !strings.Contains(e.Message, try.with) && !ofLocal(e) {
		b.WriteString("  " + try.with + " " + try.text + "\n")
	}
	if sh.refused != "" {
		b.WriteString("  " + sh.refused + " --help tells more\n")
	}
	fmt.Fprint(sh.sys.Stderr, wrapped(b.String(), sh.term.errWidth))
}

// candidates writes what may have been meant, unless the message names it: the path of titles to each node with its
// short id and status, or the name and id of each workspace.
func candidates(b *strings.Builder, style render.Style, e *errs.Error, n names) {
	ids := n.id
	for _, c := range e.Details.Candidates {
		if e.Details.Head == "" && strings.Contains(e.Message, c.ID) {
			continue
		}
		if c.Way == "" { // a workspace
			c.Way, ids = c.Title, n.workspaces(e.Details.Candidates)
		}
		if style.ASCII {
			c.Way = strings.ReplaceAll(c.Way, view.WayMark, " > ")
		}
		line := "  " + render.Visible(c.Way) + "  " + style.Paint("2", render.Visible(ids(c.ID)))
		b.WriteString(strings.TrimRight(line+"  "+style.PaintStatus(statemachine.Status(c.Status), c.Status), " ") + "\n")
	}
}

// ofLocal reports whether an error is about files in .local/, which check does not read.
func ofLocal(e *errs.Error) bool {
	local := func(p mdoc.Diagnostic) bool { return mdstore.Path(p.File).Under(mdstore.LocalDir) }
	return e.Details != nil && slices.ContainsFunc(e.Details.Problems, local)
}

// remedies says what a person at a command line can do about an error. It is left out if the message already has the
// text in with.
var remedies = map[errs.Code]struct{ with, text string }{
	errs.VaultNotFound: {"arbor init", "NAME --goal GOAL makes one; arbor admin where tells where it was " +
		"looked for"},
	errs.RulesHashMismatch:   {"arbor ws rules", "shows the rules and the hash that goes with --rules-hash"},
	errs.ConclusionRequired:  {"-m TEXT", "gives it; or -F FILE, - for stdin, -e for your editor"},
	errs.InvalidParentStatus: {"--cascade", "reopens what is closed above it"},
	errs.WorkspaceActive:     {"--force", "does it all the same"},
	errs.FileUnreadable:      {"arbor check", "lists what is wrong, with file and line"},
	errs.DuplicateID:         {"arbor check", "lists what is wrong, with file and line"},
}

// settleTyped removes the file with the text from an editor if the command has stored the text, and otherwise prints
// its path.
func settleTyped(sh *shell, err error) {
	switch {
	case sh.typed == "":
	case err == nil && !sh.flags.dryRun:
		os.Remove(sh.typed)
	default:
		fmt.Fprintf(sh.sys.Stderr, "your text is kept in %s\n", sh.typed)
	}
}

// usagef returns the error for an invalid command line.
func usagef(format string, args ...any) *errs.Error {
	return errs.New(errs.InvalidParams, format, args...)
}

// meant adds the nearest known word, after the text before, to an error about an unknown word.
func meant(e *errs.Error, before, given string, known []string) *errs.Error {
	if near := ops.Nearest(given, known); near != "" {
		e.Message += "; did you mean " + before + near + "?"
		e.Details = &errs.Details{Nearest: before + near}
	}
	return e
}

// valueNames describes the values of flags, by their type.
var valueNames = map[string]string{
	"int": "a whole number", "duration": "a length of time such as 30m or 1h30m", "bool": "true or false",
}

// flagError turns an error of the flag library into ours, with the nearest known flag.
func (sh *shell) flagError(cmd *cobra.Command, err error) error {
	sh.refused = cmd.CommandPath()
	var bad *pflag.InvalidValueError
	if errors.As(err, &bad) {
		if takes := valueNames[bad.GetFlag().Value.Type()]; takes != "" {
			return usagef("--%s: %s is expected, not %q", bad.GetFlag().Name, takes, bad.GetValue())
		}
	}
	if first := sh.sys.Args; !cmd.HasParent() && len(first) > 0 && !strings.HasPrefix(first[0], "-") {
		return unknownCommand(cmd, first[0]) // its flags cannot be known
	}
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return usagef("%v", err)
	}
	name := unknown.GetSpecifiedName()
	return unknownFlag(cmd, name)
}

// runGroup runs a command that only has other commands below it: it prints the help. With --json it returns an error
// instead, because there is no result.
func (sh *shell) runGroup(cmd *cobra.Command, _ []string) error {
	switch {
	case !sh.flags.json && !cmd.HasParent():
		return bare(sh, cmd)
	case !sh.flags.json:
		return cmd.Help()
	}
	return usagef("%s needs a COMMAND: %s", cmd.CommandPath(), strings.Join(subcommands(cmd), ", "))
}

// subcommands returns the names of the commands below cmd that help shows.
func subcommands(cmd *cobra.Command) (names []string) {
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return names
}
