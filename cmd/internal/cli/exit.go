package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"arbor/context/render"
	"arbor/engine/errs"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
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

// errFound ends a command whose result is printed and says that something is wrong.
var errFound = errors.New("diagnostics were found")

// finish prints what a command failed with and returns the exit code.
func (sh *shell) finish(ctx context.Context, err error) int {
	defer settleTyped(sh, err)
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errFound):
		return exitUnreadable
	}
	e, command := errorOf(err)
	if wantsJSON(sh) {
		if jerr := sh.json(map[string]any{"error": e}); jerr != nil {
			sh.warn("arbor: %s", e.Message)
		}
	} else {
		complain(sh, e, command)
	}
	if ctx.Err() != nil {
		return exitInterrupted
	}
	return exitCodes[e.Class()]
}

// errorOf returns the error as programs see it, and the command whose help tells more.
func errorOf(err error) (e *errs.Error, command string) {
	var u *usageError
	if !errors.As(err, &u) {
		return errs.As(err), ""
	}
	e = errs.New(u.code, "%s", u.Error())
	if u.nearest != "" {
		e.Details = &errs.Details{Nearest: u.nearest}
	}
	return e, u.command
}

// wantsJSON reports whether --json was given, also where the flags could not be parsed.
func wantsJSON(sh *shell) bool {
	if sh.protocol {
		return false
	}
	if sh.flags.json {
		return true
	}
	for _, a := range sh.sys.Args {
		switch a {
		case "--json", "--json=true":
			return true
		case "--":
			return false
		}
	}
	return false
}

// complain prints an error for people: the message, the facts that it does not tell, and what may help.
func complain(sh *shell, e *errs.Error, command string) {
	style := sh.style()
	style.Color = sh.color(sh.term.err)
	var b strings.Builder
	b.WriteString(style.Paint("31", "arbor:") + " " + render.VisibleLines(e.Message) + "\n")
	if d := e.Details; d != nil {
		for i, c := range d.Candidates {
			if strings.Contains(e.Message, c.ID) {
				continue
			}
			if i == candidateLines {
				fmt.Fprintf(&b, "  … %d more\n", len(d.Candidates)-i)
				break
			}
			fmt.Fprintf(&b, "  %s  %s\n", render.Visible(c.ID), render.Visible(c.Title))
		}
		for _, p := range d.Problems {
			if !strings.Contains(e.Message, p.Text) {
				fmt.Fprintf(&b, "  %s\n", render.Visible(p.String()))
			}
		}
		if d.Committed {
			b.WriteString("  the change is made: do not repeat it\n")
		}
	}
	if try := remedies[e.Code]; try.text != "" && !strings.Contains(e.Message, try.with) && !ofLocal(e) {
		b.WriteString("  " + try.with + " " + try.text + "\n")
	}
	if command != "" {
		b.WriteString("  " + command + " --help tells more\n")
	}
	fmt.Fprint(sh.sys.Stderr, b.String())
}

// ofLocal reports whether an error is about files of this machine's, which no check looks at.
func ofLocal(e *errs.Error) bool {
	local := func(p mdoc.Diagnostic) bool { return mdstore.Path(p.File).Under(mdstore.LocalDir) }
	return e.Details != nil && slices.ContainsFunc(e.Details.Problems, local)
}

const candidateLines = 10 // of an error

// remedies are what a person at a command line can do about an error, unless the message says it already.
var remedies = map[errs.Code]struct{ with, text string }{
	errs.VaultNotFound:       {"arbor init", "NAME --goal GOAL makes one; arbor where tells where it was looked for"},
	errs.RulesHashMismatch:   {"arbor rules", "shows the rules and the hash that goes with --rules-hash"},
	errs.ConclusionRequired:  {"-m TEXT", "gives it; or -F FILE, - for stdin, -e for your editor"},
	errs.InvalidParentStatus: {"--cascade", "reopens what is closed above it"},
	errs.WorkspaceActive:     {"--force", "does it all the same"},
	errs.FileUnreadable:      {"arbor check", "lists what is wrong, with file and line"},
	errs.DuplicateID:         {"arbor check", "lists what is wrong, with file and line"},
}

// settleTyped removes the file that an editor wrote once its text is safe, and names it where it is not.
func settleTyped(sh *shell, err error) {
	switch {
	case sh.typed == "":
	case err == nil && !sh.flags.dryRun:
		os.Remove(sh.typed)
	default:
		fmt.Fprintf(sh.sys.Stderr, "your text is kept in %s\n", sh.typed)
	}
}
